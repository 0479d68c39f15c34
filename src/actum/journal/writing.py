"""The one connection that writes a run's file: lazily in the event loop, durably in a thread."""

import contextlib
import os
import sqlite3
from pathlib import Path

from actum.errors import StoreLost, UserMistake
from actum.journal.blobs import flush_file, flush_folder
from actum.journal.schema import INSERT_BLOB, INSERT_EVENT, create_tables
from actum.records.events import Event

LOG_PAGES = 1000
"""A log longer than this is moved into the file: only while nobody waits in the event loop."""
PATIENCE = 5000
"""Milliseconds to wait, in the thread, for whoever else holds the file."""


class Batch:
    """What is appended and not yet handed to SQLite."""

    def __init__(self, files: list[Path] | None = None) -> None:
        self.events: list[Event] = []
        self.blobs: dict[str, bytes] = {}
        self.files: list[Path] = files or []
        """Large blobs that are written but not flushed."""
        self.version = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing for the tables."""
        return not self.events and not self.blobs


class RunFile:
    """An open file `ID.actum`. The lock beside it says that nobody else writes."""

    def __init__(self, path: Path, descriptor: int, *, flush_parent: bool = False) -> None:
        """Use `create` or `open`. The file keeps the descriptor until it is closed."""
        self.path = path
        # A second descriptor, closed last: closing it earlier would drop SQLite's own locks.
        self._descriptor = descriptor
        self._flushed = False
        self._flush_parent = flush_parent
        self._connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=PATIENCE / 1000
        )

    @classmethod
    def create(cls, path: Path, *, flush_parent: bool) -> "RunFile":
        """A new, empty run; or one that was reserved and never begun."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise _lost(path, error) from error
        if os.fstat(descriptor).st_size > 0:
            os.close(descriptor)
            raise UserMistake(f"There is a run {path.stem} already.", where=str(path))
        file = cls(path, descriptor, flush_parent=flush_parent)
        file._prepare(new=True)
        return file

    @classmethod
    def open(cls, path: Path) -> "RunFile":
        """A run that is there."""
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError as error:
            raise _lost(path, error) from error
        file = cls(path, descriptor)
        file._prepare(new=False)
        return file

    def write_now(self, batch: Batch) -> bool:
        """Commit without waiting for the disk. False where somebody else holds the file just now."""
        try:
            self._write(batch)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return False
            raise self.lost(error) from error
        except (sqlite3.Error, OSError) as error:
            raise self.lost(error) from error
        return True

    def write_durably(self, batch: Batch) -> StoreLost | None:
        """Commit, and come back when it is on disk. Run in a thread; an error is handed back."""
        try:
            self._check_place()
            for path in batch.files:
                flush_file(path)
            self._flush_once()
            self._wait_for_disk()
            # An empty transaction flushes nothing. Setting this number again writes one page, and
            # with it everything that was committed lazily before.
            self._write(batch, last="pragma user_version=1")
            self._never_wait()
        except (sqlite3.Error, OSError) as error:
            return self.lost(error)
        return None

    def close(self) -> None:
        """Let go of the file; SQLite moves its log into it."""
        try:
            self._connection.close()
        finally:
            os.close(self._descriptor)

    def lost(self, error: Exception) -> StoreLost:
        """The error that a caller sees instead of SQLite's."""
        return _lost(self.path, error)

    def _prepare(self, *, new: bool) -> None:
        connection = self._connection
        try:
            if new:
                create_tables(connection)
            connection.execute("pragma journal_mode=wal")
            connection.execute("pragma fullfsync=1")
            # Refused here, rather than at the first event, where the file is read-only.
            connection.execute("begin immediate")
            connection.execute("rollback")
            self._never_wait()
        except sqlite3.Error as error:
            self.close()
            raise self.lost(error) from error

    def _wait_for_disk(self) -> None:
        self._connection.execute("pragma synchronous=full")
        self._connection.execute(f"pragma wal_autocheckpoint={LOG_PAGES}")
        self._connection.execute(f"pragma busy_timeout={PATIENCE}")

    def _never_wait(self) -> None:
        self._connection.execute("pragma synchronous=normal")
        self._connection.execute("pragma wal_autocheckpoint=0")
        self._connection.execute("pragma busy_timeout=0")

    def _write(self, batch: Batch, *, last: str | None = None) -> None:
        connection = self._connection
        connection.execute("begin immediate")
        try:
            connection.executemany(
                INSERT_BLOB,
                [(sha256, len(content), content) for sha256, content in batch.blobs.items()],
            )
            connection.executemany(INSERT_EVENT, [_row(event) for event in batch.events])
            if last is not None:
                connection.execute(last)
            connection.execute("commit")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("rollback")
            raise

    def _check_place(self) -> None:
        """SQLite writes on into a file that was deleted: notice it before anything is promised."""
        if not os.path.samestat(self.path.stat(), os.fstat(self._descriptor)):
            raise FileNotFoundError(f"another file stands at {self.path}")
        if self._flushed and not self.path.with_name(self.path.name + "-wal").exists():
            raise FileNotFoundError(f"the log beside {self.path} is gone")

    def _flush_once(self) -> None:
        if self._flushed:
            return
        os.fsync(self._descriptor)
        flush_folder(self.path.parent)
        if self._flush_parent:
            flush_folder(self.path.parent.parent)
        self._flushed = True


def _row(event: Event) -> tuple[object, ...]:
    return (
        event.seq,
        event.kind,
        event.parent,
        event.step,
        event.line,
        event.time,
        event.text,
        event.hash,
    )


def _lost(path: Path, error: Exception) -> StoreLost:
    return StoreLost(
        f"The record of the run {path.stem} cannot be written.",
        where=str(path),
        why=str(error),
        hints=(f"make room on the disk, then go on:   actum resume {path.stem}",),
    )
