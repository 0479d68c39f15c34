"""Look at a run's file without writing to it, or leaving anything beside it, while others may write."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from actum.journal.schema import lenient_text

Found = TypeVar("Found")
TRIES = 5
UNREADABLE = (sqlite3.Error, OSError, UnicodeError, OverflowError, MemoryError)
"""What reading a damaged file can raise."""


def look_into(path: Path, look: Callable[[sqlite3.Connection], Found]) -> Found:
    """What `look` finds in the file. Raises one of `UNREADABLE` where it cannot be read."""
    for _ in range(TRIES - 1):
        before = _stamp(path)
        try:
            with _opened(path) as connection:
                found = look(connection)
        except UNREADABLE:
            if _stamp(path) == before:
                raise
            continue
        if before.log is not None or _stamp(path) == before:
            return found
    with _opened(path) as connection:
        return look(connection)


class _Stamp(NamedTuple):
    node: int
    size: int
    changed: int
    log: int | None


def _stamp(path: Path) -> _Stamp:
    """Equal stamps mean: nobody wrote in between."""
    main = path.stat()
    try:
        log = _beside(path, "-wal").stat().st_size
    except OSError:
        log = None
    return _Stamp(main.st_ino, main.st_size, main.st_mtime_ns, log)


@contextmanager
def _opened(path: Path) -> Generator[sqlite3.Connection]:
    if not _beside(path, "-wal").exists():
        # All is in the one file. SQLite would make a log and its index even to read: tell it not to.
        with _connection(path, "mode=ro&immutable=1") as connection:
            yield connection
    elif _beside(path, "-shm").exists():
        with _connection(path, "mode=ro") as connection:
            yield connection
    else:
        # A log without its index: a copy of a run whose process was killed. Join them elsewhere.
        with tempfile.TemporaryDirectory(prefix="actum-") as folder:
            copy = Path(folder) / path.name
            shutil.copyfile(path, copy)
            shutil.copyfile(_beside(path, "-wal"), _beside(copy, "-wal"))
            with _connection(copy, "mode=ro") as connection:
                yield connection


@contextmanager
def _connection(path: Path, options: str) -> Generator[sqlite3.Connection]:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}", uri=True, isolation_level=None
    )
    try:
        connection.text_factory = lenient_text
        connection.execute("pragma trusted_schema=off")
        # One transaction: every question is answered from the same state of the file.
        connection.execute("begin")
        yield connection
    finally:
        connection.close()


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
