"""The tables of a run's file, and how their rows are read."""

import sqlite3
from collections.abc import Iterator

from actum.journal.chain import RawRow

EVENT_TABLE = (
    "CREATE TABLE event("
    "seq integer primary key, kind text not null, parent integer, step integer, line integer, "
    "time integer not null, body text not null, hash text not null) STRICT"
)
BLOB_TABLE = (
    "CREATE TABLE blob("
    "sha256 text primary key not null, size integer not null, data blob not null) STRICT"
)
SELECT_EVENTS = "select seq, kind, parent, step, line, time, body, hash from event order by seq"
INSERT_EVENT = (
    "insert into event(seq, kind, parent, step, line, time, body, hash) "
    "values(?, ?, ?, ?, ?, ?, ?, ?)"
)
INSERT_BLOB = "insert or ignore into blob(sha256, size, data) values(?, ?, ?)"
_EXPECTED: set[tuple[object, ...]] = {
    ("table", "event", "event", EVENT_TABLE),
    ("table", "blob", "blob", BLOB_TABLE),
    ("index", "sqlite_autoindex_blob_1", "blob", None),
}


def create_tables(connection: sqlite3.Connection) -> None:
    """Make an empty file into an empty run."""
    # Nothing is promised yet: the file is flushed by the first sync.
    connection.execute("pragma synchronous=off")
    connection.execute("begin immediate")
    connection.execute(EVENT_TABLE)
    connection.execute(BLOB_TABLE)
    connection.execute("pragma user_version=1")
    connection.execute("commit")


def schema_problem(connection: sqlite3.Connection) -> str | None:
    """What the file has beside the two tables of a run, or lacks."""
    rows: list[tuple[object, ...]] = connection.execute(
        "select type, name, tbl_name, sql from sqlite_schema"
    ).fetchall()
    found = set(rows)
    for kind, name, *_ in sorted(found - _EXPECTED, key=repr):
        if (kind, name) in {expected[:2] for expected in _EXPECTED}:
            return f"the {kind} {name} is not made as a run's is"
        return f"there is a {kind} {name} that does not belong to a run"
    for kind, name, *_ in sorted(_EXPECTED - found, key=repr):
        return f"the {kind} {name} is missing"
    return None


def raw_rows(connection: sqlite3.Connection) -> Iterator[RawRow]:
    """Every row of the table of events, in the order of its numbers."""
    yield from connection.execute(SELECT_EVENTS)


def lenient_text(raw: bytes) -> str:
    """Text as it stands in the file: bytes that are not UTF-8 are found later, by the chain."""
    return raw.decode("utf-8", "surrogateescape")
