"""What a program sees of its own process: constants, one folder, and no children.

Phase 2, and only in a session: the process that forks sessions needs the real functions.
"""

import os
import posixpath
import signal
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn, Self

from actum.places.guest.clock import running_seconds
from actum.places.guest.scheduler import SCHEDULER
from actum.places.guest.shown_folders import ShownFolders

PROCESS = 4242
PARENT = 4241
SIGNALS_WITHOUT_EFFECT = frozenset((signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH, signal.SIGCONT))
NO_PROCESSES = "processes are off here; use threads"
NO_ALARMS = (
    "alarms are off here: time is on record; use asyncio.timeout, or a thread and join(timeout)"
)
ALARMS = ("alarm", "setitimer", "pause", "sigwait", "sigwaitinfo", "sigtimedwait")
STARTERS = ("fork", "forkpty", "posix_spawn", "posix_spawnp", "system", "popen")
REPLACERS = ("execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp", "execlpe")
SPAWNERS = ("spawnv", "spawnve", "spawnvp", "spawnvpe", "spawnl", "spawnle", "spawnlp", "spawnlpe")

PROCESSORS = 4
"""What pools take their size from: equal on every machine."""
NODE = "box"

_list = os.listdir
_scan = os.scandir
_uname = os.uname
_exit = os._exit
_getcwd = os.getcwd
_chdir = os.chdir
_real_path = posixpath.realpath


class ProcessesOff(PermissionError):
    """A program tried to start a process."""

    def __init__(self) -> None:
        super().__init__(1, NO_PROCESSES)


def _refuse_process(*args: object, **kwargs: object) -> NoReturn:
    raise ProcessesOff


def _refuse_alarm(*args: object, **kwargs: object) -> NoReturn:
    raise PermissionError(1, NO_ALARMS)


def sorted_names(path: Any = ".") -> list[Any]:
    """Take the place of `os.listdir`: in order."""
    return sorted(_list(path))


class SortedScan:
    """Takes the place of `os.scandir`: in order."""

    def __init__(self, path: Any = ".", shown: ShownFolders | None = None) -> None:
        with _scan(path) as entries:
            found: list[Any] = sorted(entries, key=_entry_name)
        self._entries = iter(found if shown is None else map(shown.entry, found))

    def __iter__(self) -> "SortedScan":
        return self

    def __next__(self) -> "os.DirEntry[Any]":
        return next(self._entries)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the rest."""
        self._entries = iter(())


def _entry_name(entry: "os.DirEntry[Any]") -> Any:
    return entry.name


class OwnProcess:
    """Signals to oneself, and the working folder under the one name it has everywhere."""

    def __init__(
        self, work: str, before_exit: Callable[[], None], folders: tuple[str, ...] = ()
    ) -> None:
        self._work = work
        self._folders = ShownFolders(folders)
        self._links = bool(folders)
        self._actual = os.getcwd()
        self._before_exit = before_exit

    def exit(self, status: int) -> NoReturn:
        """End the process; what was written before reaches the host."""
        self._before_exit()
        _exit(status)

    def signal_oneself(self, number: int) -> None:
        """Do what the signal would, the same whether or not we are process 1 of a namespace."""
        handler = signal.getsignal(number)
        if number in (signal.SIGKILL, signal.SIGSTOP) or handler is signal.SIG_DFL:
            if number not in SIGNALS_WITHOUT_EFFECT:
                self.exit(128 + number)
        elif callable(handler):
            handler(number, _caller())

    def kill(self, process: int, number: int) -> None:
        """Take the place of `os.kill`: there is no other process."""
        if process in (PROCESS, 0, -PROCESS):
            if number:
                self.signal_oneself(number)
            return
        raise ProcessLookupError(3, "No such process")

    def real_path(self, path: Any, **options: Any) -> Any:
        """Take the place of `os.path.realpath`."""
        resolved = _real_path(path, **options)
        if isinstance(resolved, bytes):
            return os.fsencode(self._shown(os.fsdecode(resolved)))
        return self._shown(resolved)

    def working_folder(self) -> str:
        """Take the place of `os.getcwd`."""
        return self._shown(_getcwd())

    def working_folder_bytes(self) -> bytes:
        """Take the place of `os.getcwdb`."""
        return os.fsencode(self.working_folder())

    def scan(self, path: Any = ".") -> SortedScan:
        """Take the place of `os.scandir`."""
        return SortedScan(path, self._folders)

    def change_folder(self, path: Any) -> None:
        """Take the place of `os.chdir`: above a link lies the working folder, not the host's."""
        if isinstance(path, int):
            _chdir(path)
            return
        wanted = posixpath.normpath(f"{self.working_folder()}/{os.fsdecode(path)}")
        if os.fsdecode(path).startswith("/"):
            wanted = os.fsdecode(path)
        if wanted == self._work or wanted.startswith(self._work + "/"):
            wanted = self._actual + wanted[len(self._work) :]
        _chdir(wanted)

    def install_folders(self) -> None:
        """Let links to folders of the host show as folders."""
        if self._links:
            os.scandir = self.scan
            os.lstat = self._folders.status
            os.chdir = self.change_folder

    def _shown(self, path: str) -> str:
        if path == self._actual or path.startswith(self._actual + "/"):
            return self._work + path[len(self._actual) :]
        shown = self._folders.actual(self._actual, path)
        if shown is not None:
            return f"{self._work}/{shown}"
        return path


def _caller() -> types.FrameType | None:
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame


def _system() -> os.uname_result:
    real = _uname()
    return os.uname_result((real[0], NODE, *real[2:]))


def _times() -> os.times_result:
    seconds = running_seconds()
    return os.times_result((seconds, 0.0, 0.0, 0.0, seconds))


def _wait_for_files(real: Callable[..., Any]) -> Callable[..., Any]:
    def select(read: Any, write: Any, other: Any, timeout: float | None = None, /) -> Any:
        """Wait for nothing but time in the scheduler."""
        if timeout is not None and not (read or write or other):
            SCHEDULER.sleep(max(0.0, timeout))
            return [], [], []
        return real(read, write, other, timeout)

    return select


def cure_select(module: Any) -> None:
    """Used as a sleep, it would stop every thread."""
    module.select = _wait_for_files(module.select)


def install_own_process(own: OwnProcess) -> None:
    """Replace what would show the real process, or start another one."""
    os.getpid = lambda: PROCESS
    os.getppid = lambda: PARENT
    os.getpgrp = lambda: PROCESS
    os.listdir = sorted_names
    os.scandir = SortedScan
    own.install_folders()
    os.kill = own.kill
    os.killpg = own.kill
    os._exit = own.exit
    os.getcwd = own.working_folder
    os.getcwdb = own.working_folder_bytes
    os.path.realpath = own.real_path
    signal.raise_signal = own.signal_oneself
    os.cpu_count = lambda: PROCESSORS
    os.sched_getaffinity = lambda pid: set(range(PROCESSORS))
    os.uname = _system
    os.times = _times
    if hasattr(os, "process_cpu_count"):
        os.process_cpu_count = lambda: PROCESSORS
    for name in ALARMS:
        setattr(signal, name, _refuse_alarm)
    for name in STARTERS + REPLACERS + SPAWNERS:
        if hasattr(os, name):
            setattr(os, name, _refuse_process)


def cure_fork_exec(module: Any) -> None:
    """What `subprocess` and `multiprocessing` start processes by, in C."""
    module.fork_exec = _refuse_process


def cure_subprocess(module: Any) -> None:
    """Where it was imported before the session began."""
    module._fork_exec = _refuse_process
