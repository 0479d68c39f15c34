"""A run as it stands in its file, for those who only read it."""

import sqlite3
from pathlib import Path

import msgspec

from actum.errors import DoesNotVerify
from actum.journal.blobs import read_blob
from actum.journal.chain import Chain, Problem, event_of, readable_body
from actum.journal.reading import UNREADABLE, look_into
from actum.journal.schema import raw_rows, schema_problem
from actum.records.events import Event
from actum.records.values import BlobRef


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """The events of one run, each bound to the one before it."""

    run: str
    path: Path
    events: tuple[Event, ...]
    head: str

    def get(self, blob: BlobRef) -> bytes:
        """Bytes that an event names. Raises `BlobMissing`, `DoesNotVerify`."""
        return read_blob(self.path, blob)


def read_run(path: Path) -> Recording:
    """Read a run, even while another process writes it. Raises `DoesNotVerify`."""
    chain = Chain(path.stem)
    events = read_events(path, chain)
    return Recording(run=chain.run, path=path, events=tuple(events), head=chain.head)


def read_events(path: Path, chain: Chain) -> list[Event]:
    """Follow the chain through the whole file. Raises `DoesNotVerify` where it breaks."""
    try:
        return look_into(path, lambda connection: _follow(path, connection, chain))
    except UNREADABLE as error:
        raise DoesNotVerify(
            f"The record of the run {path.stem} cannot be read.",
            where=str(path),
            why=f"SQLite cannot read it: {error}",
        ) from error


def _follow(path: Path, connection: sqlite3.Connection, chain: Chain) -> list[Event]:
    chain.restart()
    foreign = schema_problem(connection)
    if foreign is not None:
        raise _broken(path, foreign)
    events: list[Event] = []
    for raw in raw_rows(connection):
        row = chain.follow(raw)
        if isinstance(row, Problem):
            raise _broken(path, f"event {row.seq}: {row.what}")
        events.append(event_of(row, readable_body(row.kind, row.text), chain.head))
    return events


def _broken(path: Path, why: str) -> DoesNotVerify:
    run = path.stem
    return DoesNotVerify(
        f"The record of the run {run} is not as it was written.",
        where=str(path),
        why=why,
        hints=(f"see what is left of it:   actum verify {run}",),
    )
