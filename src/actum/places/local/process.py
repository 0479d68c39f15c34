"""One session's process, as the host holds it: by a pidfd, never by a number alone."""

import asyncio
import contextlib
import os
import signal
import socket
import threading
import time

from actum.places.local.channel import Channel
from actum.places.local.folders import BaseFolder, remove_tree
from actum.places.local.shown_folders import ShownFolders
from actum.places.local.zygote_process import ZygoteProcess
from actum.records.sessions import Limits

CPU_CLOCK_OF_PROCESS = 2
LEAST_CPU_SECONDS = 3600
CPU_PER_LIMIT = 60
"""A session lives through many programs: this net is for one whose host cannot see it."""


class SessionProcess:
    """A confined process, its channel, and its folder where it stands on the host's disk."""

    def __init__(
        self,
        zygote: ZygoteProcess,
        base: BaseFolder,
        limits: Limits,
        shown: ShownFolders | None = None,
    ) -> None:
        self._zygote = zygote
        ours, theirs = socket.socketpair()
        output, their_output = os.pipe2(os.O_CLOEXEC)
        errors, their_errors = os.pipe2(os.O_CLOEXEC)
        self._path, self.folder = "", None
        if zygote.plan.level != "full":
            self._path, self.folder = base.for_session(zygote.told.account)
        given = [theirs.fileno(), their_output, their_errors, self.folder or their_errors]
        cpu = max(LEAST_CPU_SECONDS, int(limits.seconds) * CPU_PER_LIMIT)
        self.channel = Channel(ours, output, errors, folder_comes=zygote.plan.level == "full")
        self._closed = False
        self._cpu = 0.0
        # A kill may come from the watcher's thread; the number of a closed pidfd is soon another's.
        self._lock = threading.Lock()
        try:
            if shown is not None:
                shown.send(ours)
            self._pid_there, self.pidfd = zygote.open(
                limits.memory_mb, limits.disk_mb, cpu, given, len(shown or ())
            )
        except BaseException:
            self.channel.close()
            self._remove_folder()
            raise
        finally:
            theirs.close()
            os.close(their_output)
            os.close(their_errors)
        self.pid = pid_of(self.pidfd)
        self._cpu_clock = ~self.pid << 3 | CPU_CLOCK_OF_PROCESS

    @property
    def work_folder(self) -> int | None:
        """Its working folder, wherever that is mounted."""
        return self.channel.folder if self.folder is None else self.folder

    def cpu_seconds(self) -> float:
        """Processor time that it has used so far."""
        with contextlib.suppress(OSError):
            if not self._closed:
                self._cpu = time.clock_gettime(self._cpu_clock)
        return self._cpu

    def kill(self) -> None:
        """Kill it and all its threads. It has no children."""
        with self._lock, contextlib.suppress(OSError):
            if not self._closed:
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    async def gone(self, within: float | None = None) -> bool:
        """Wait until it is dead, or until this many seconds have passed. Whether it is dead."""
        loop = asyncio.get_running_loop()
        dead = loop.create_future()
        loop.add_reader(self.pidfd, lambda: dead.done() or dead.set_result(None))
        try:
            done, _ = await asyncio.wait([dead], timeout=within)
        finally:
            loop.remove_reader(self.pidfd)
        return bool(done)

    async def ended(self) -> int | None:
        """Wait until it is dead; how it ended."""
        await self.gone()
        self.cpu_seconds()
        return self._zygote.reap(self._pid_there)

    def close(self) -> None:
        """Give everything back. The process must be dead."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            os.close(self.pidfd)
        self.channel.close()
        self._remove_folder()

    def _remove_folder(self) -> None:
        if self.folder is not None:
            os.close(self.folder)
            remove_tree(self._path)


def pid_of(pidfd: int) -> int:
    """The pid that the host knows it by; 0 where it is dead already."""
    with open(f"/proc/self/fdinfo/{pidfd}", "rb") as file:  # noqa: PTH123 -- on the way of every open
        for line in file:
            if line.startswith(b"Pid:"):
                return max(0, int(line.split()[1]))
    return 0
