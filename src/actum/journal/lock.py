"""One writer a run: a lock file beside it, held by the process that writes.

The run's file itself is never locked so: SQLite's own locks would go with the first closed copy.
"""

import contextlib
import os
import sys
import time
from pathlib import Path

from actum.errors import RunBusy, StoreLost

TRIES = 20
PAUSE = 0.005
"""A reader that asks whether the run is open holds the lock for an instant: try again."""


def lock_path(path: Path) -> Path:
    """`ID.lock` beside `ID.actum`."""
    return path.with_suffix(".lock")


class WriterLock:
    """The right to write one run. It ends with the process, however that ends."""

    def __init__(self, path: Path) -> None:
        self._path = lock_path(path)
        self._file: int | None = _take(self._path)
        os.truncate(self._file, 0)
        os.write(self._file, str(os.getpid()).encode())

    def release(self) -> None:
        """Let others write. May be called twice."""
        if self._file is None:
            return
        # Gone before it is let go of: whoever waits for the old file sees that it is not the one.
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._file)
        self._file = None
        if sys.platform == "win32":
            with contextlib.suppress(OSError):
                self._path.unlink()


def is_running(path: Path) -> bool:
    """Whether a process has the run open to write."""
    try:
        file = os.open(lock_path(path), os.O_RDWR)
    except OSError:
        return False
    try:
        return not _try_lock(file, shared=True)
    finally:
        os.close(file)


def _take(path: Path) -> int:
    for _ in range(TRIES):
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreLost(
                f"The folder of the record cannot be written: {path.parent}",
                why=str(error),
                hints=("check its permissions, or set ACTUM_HOME to another folder",),
            ) from error
        if _try_lock(file, shared=False) and _is_still(path, file):
            return file
        os.close(file)
        time.sleep(PAUSE)
    run = path.stem
    raise RunBusy(
        f"Another process has the run {run} open.",
        why=_holder(path),
        hints=(f"wait until it ends, or look on:   actum runs show {run}",),
    )


def _is_still(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except OSError:
        return False


def _holder(path: Path) -> str:
    try:
        return f"process {int(path.read_text())} holds its lock"
    except (OSError, ValueError):
        return "its lock is held"


if sys.platform == "win32":

    def _try_lock(file: int, *, shared: bool) -> bool:
        import msvcrt

        del shared
        # Behind the text, so that others can still read who holds it.
        os.lseek(file, 4096, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(file, 0, os.SEEK_SET)
        return True

else:

    def _try_lock(file: int, *, shared: bool) -> bool:
        import fcntl

        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
