"""One thread that watches every session of this process: its time, its memory, its files.

It works while the event loop is blocked, and it kills from outside: nothing in a guest can
prevent it.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from actum.places.local.folders import takes_more_than
from actum.records.outcomes import Limit

LOOK_EVERY = 0.05
PAGE = os.sysconf("SC_PAGE_SIZE")
FILES_EVERY = 4
"""Looks between two counts of the files."""


class Watched:
    """One session while a program runs in it."""

    def __init__(self, pid: int, kill: Callable[[Limit], None], memory: int) -> None:
        self.pid = pid
        self.kill = kill
        self.memory = memory
        self.deadline: float | None = None
        """When its time is over, by the monotonic clock; None while it waits for the host."""
        self.folder: int | None = None
        self.disk = 0
        self.looks = 0

    def look(self, now: float) -> None:
        """Kill it where it is over a limit."""
        if self.deadline is not None and now >= self.deadline:
            self.kill("seconds")
        elif self.takes_memory() > self.memory:
            self.kill("memory")
        elif self.folder is not None:
            self.looks += 1
            if self.looks % FILES_EVERY == 0 and takes_more_than(self.folder, self.disk):
                self.kill("disk")

    def takes_memory(self) -> int:
        """Bytes of memory that it holds."""
        with contextlib.suppress(OSError, IndexError):
            return int(Path(f"/proc/{self.pid}/statm").read_bytes().split()[1]) * PAGE
        return 0


class Watcher:
    """The thread, and whom it watches."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._watched: set[Watched] = set()
        self._next_look = float("inf")
        threading.Thread(target=self._watch, name="actum-watcher", daemon=True).start()

    def add(self, watched: Watched) -> None:
        """Watch a session from now on."""
        with self._lock:
            self._watched.add(watched)
        # It sleeps for good only while it has nobody to watch; to wake it costs every program.
        if self._next_look == float("inf"):
            self._wake.set()

    def remove(self, watched: Watched) -> None:
        """Forget a session. When this returns the watcher has let go of it."""
        with self._lock:
            self._watched.discard(watched)

    def expect(self, watched: Watched, deadline: float | None) -> None:
        """Kill it at that time; None while its time stands still."""
        watched.deadline = deadline
        if deadline is not None and deadline < self._next_look:
            self._wake.set()

    def _watch(self) -> None:
        while True:
            pause = self._look()
            self._wake.wait(pause)
            self._wake.clear()

    def _look(self) -> float | None:
        """Look at each; how long to sleep then."""
        with self._lock:
            now = time.monotonic()
            for watched in self._watched:
                watched.look(now)
            deadlines = [w.deadline for w in self._watched if w.deadline is not None]
            if not self._watched:
                self._next_look = float("inf")
                return None
            self._next_look = min([now + LOOK_EVERY, *[d for d in deadlines if d > now]])
            return max(0.0, self._next_look - now)


_watchers: dict[int, Watcher] = {}
_making = threading.Lock()


def watcher() -> Watcher:
    """The one of this process; a fork of the host makes its own."""
    with _making:
        if os.getpid() not in _watchers:
            _watchers[os.getpid()] = Watcher()
        return _watchers[os.getpid()]


def kill_by(pidfd: int) -> None:
    """Kill a process for good, if it still lives."""
    with contextlib.suppress(OSError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
