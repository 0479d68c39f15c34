"""Check that a run's file is as it was written, from the file alone."""

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from actum.journal.blobs import LargeBlobs
from actum.journal.chain import Chain, Problem, Row
from actum.journal.reading import UNREADABLE, look_into
from actum.journal.references import blobs_named
from actum.journal.schema import raw_rows, schema_problem
from actum.records.events import RunEnd
from actum.records.values import BlobRef


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What can be said of a record.

    `intact`: nothing in it was changed after it was written. `complete`: it goes on to the end of
    the run. `sealed`: the last event that a seal covers.
    """

    run: str
    intact: bool
    events: int
    sealed: int | None = None
    complete: bool
    problem: Problem | None = None


def verify(path: Path) -> Verdict:
    """Read every row and blob of a run and check each. Nothing is written; nothing is raised."""
    try:
        return look_into(path, lambda connection: _Check(path, connection).verdict())
    except UNREADABLE as error:
        what = f"SQLite cannot read it: {error}"
        return Verdict(
            run=path.stem,
            intact=False,
            events=0,
            complete=False,
            problem=Problem(seq=None, kind=None, what=what),
        )


class _Check:
    """One walk through one file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._chain = Chain(path.stem)
        self._large = LargeBlobs(path)
        self._last_kind = ""
        self._named: dict[str, tuple[BlobRef, Row]] = {}

    def verdict(self) -> Verdict:
        problem = next(self._problems(), None)
        return Verdict(
            run=self._chain.run,
            intact=problem is None,
            events=self._chain.seq,
            complete=problem is None and self._last_kind == RunEnd.kind,
            problem=problem,
        )

    def _problems(self) -> Iterator[Problem]:
        foreign = schema_problem(self._connection)
        # The events are read all the same, so that a changed one is named before the table is.
        if foreign is None or not foreign.startswith("the table event"):
            yield from self._wrong_events()
        if foreign is not None:
            yield Problem(seq=None, kind=None, what=foreign)
        if self._chain.seq == 0:
            yield Problem(seq=None, kind=None, what="there is no event in it")
        yield from self._wrong_blobs()
        yield from self._missing_blobs()
        yield from self._damage()

    def _wrong_events(self) -> Iterator[Problem]:
        for raw in raw_rows(self._connection):
            row = self._chain.follow(raw)
            if isinstance(row, Problem):
                yield row
                return
            self._last_kind = row.kind
            for blob in blobs_named(row):
                self._named.setdefault(blob.sha256, (blob, row))

    def _wrong_blobs(self) -> Iterator[Problem]:
        rows = self._connection.execute("select sha256, size, data from blob")
        for sha256, size, data in rows:
            found = hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else ""
            if found == sha256 and len(data) == size:
                continue
            by_name = self._named.get(sha256) or self._named.get(found)
            yield _blob_problem(by_name, sha256, "is not as it was written")

    def _missing_blobs(self) -> Iterator[Problem]:
        for sha256, (blob, row) in self._named.items():
            found = self._measure(sha256)
            if found is None:
                yield _blob_problem((blob, row), sha256, "is not there")
            elif found != (blob.size, sha256):
                yield _blob_problem((blob, row), sha256, "is not as it was written")

    def _measure(self, sha256: str) -> tuple[int, str] | None:
        row: tuple[int] | None = self._connection.execute(
            "select size from blob where sha256 = ?", (sha256,)
        ).fetchone()
        if row is not None:
            # Its content has been compared with its name already.
            return row[0], sha256
        return self._large.measure(sha256)

    def _damage(self) -> Iterator[Problem]:
        """What no event shows: an index that leads nowhere, pages that belong to nothing."""
        for (line,) in self._connection.execute("pragma integrity_check(1)"):
            if line != "ok":
                yield Problem(seq=None, kind=None, what=f"SQLite finds damage: {line}")


def _blob_problem(named: tuple[BlobRef, Row] | None, sha256: str, what: str) -> Problem:
    text = f"the content {str(sha256)[:12]} {what}"
    if named is None:
        return Problem(seq=0, kind=None, what=text)
    _, row = named
    return Problem(seq=row.seq, kind=row.kind, what=text)
