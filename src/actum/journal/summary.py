"""One line about a run, from as few rows of its file as will do."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from actum.journal.chain import RawRow, readable_body
from actum.journal.lock import is_running
from actum.journal.reading import UNREADABLE, look_into
from actum.records.events import (
    ActionStart,
    ModelResponse,
    RunEnd,
    RunPause,
    RunResume,
    RunStart,
    ToolAttempted,
)
from actum.records.run_events import RunStatus

_FIRST = "select seq, kind, time, body from event order by seq limit 1"
_LAST = "select seq, kind, time, body from event order by seq desc limit 1"
_TURNING_POINT = (
    "select seq, kind, time, body from event where kind in (?, ?, ?, ?) order by seq desc limit 1"
)
_TURNS = (RunEnd.kind, RunPause.kind, RunResume.kind, RunStart.kind)
_LAST_STEP = "select step from event where kind = ? order by seq desc limit 1"
_COUNT = "select count(*) from event where kind = ?"


class _Row(NamedTuple):
    seq: int
    kind: str
    time: int
    text: str


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a list."""

    id: str
    task: str = ""
    status: RunStatus = "broken"
    started: str | None = None
    """ISO 8601, UTC."""
    seconds: float = 0.0
    steps: int = 0
    calls: int = 0
    usd: float | None = None
    model: str | None = None
    format: str = ""
    place: str | None = None
    level: str | None = None
    project: str = ""
    events: int = 0
    problem: str | None = None
    """Why the file says no more, where it cannot be read."""
    path: str = ""
    began: int = 0
    """Nanoseconds since 1970."""


def summarize(path: Path) -> RunSummary:
    """One line about the run in this file. A file that cannot be read gives a line too."""
    try:
        summary = look_into(path, lambda connection: _summary(path, connection))
    except UNREADABLE as error:
        summary = RunSummary(id=path.stem, problem=f"SQLite cannot read it: {error}")
    if summary.status == "broken" and is_running(path):
        summary = msgspec.structs.replace(summary, status="running", problem=None)
    return msgspec.structs.replace(summary, project=path.parent.name, path=str(path))


def _summary(path: Path, connection: sqlite3.Connection) -> RunSummary:
    first = _row(connection, _FIRST)
    last = _row(connection, _LAST)
    if first is None or last is None:
        return RunSummary(id=path.stem, problem="there is no event in it")
    start = readable_body(first.kind, first.text)
    began = RunSummary(
        id=path.stem,
        started=_moment(first.time),
        seconds=round((last.time - first.time) / 1e9, 3),
        steps=_number(connection, _LAST_STEP, ActionStart.kind),
        events=last.seq,
        began=first.time,
    )
    if isinstance(start, RunStart):
        began = _with_start(began, start)
    return _with_turning_point(began, connection)


def _with_start(summary: RunSummary, start: RunStart) -> RunSummary:
    environment = start.environment
    return msgspec.structs.replace(
        summary,
        task=start.task,
        model=start.model,
        format=start.action_format,
        place=environment.place if environment else None,
        level=environment.level if environment else None,
    )


def _with_turning_point(summary: RunSummary, connection: sqlite3.Connection) -> RunSummary:
    turn = _row(connection, _TURNING_POINT, *_TURNS)
    body = readable_body(turn.kind, turn.text) if turn else None
    if isinstance(body, RunEnd):
        return msgspec.structs.replace(
            summary,
            status=body.status,
            calls=body.usage.calls,
            usd=body.usage.usd,
            seconds=body.usage.seconds or summary.seconds,
        )
    return msgspec.structs.replace(
        summary,
        status="paused" if isinstance(body, RunPause) else "broken",
        calls=_number(connection, _COUNT, ToolAttempted.kind),
        usd=_spent(connection),
    )


def _spent(connection: sqlite3.Connection) -> float | None:
    """What the answers so far have cost; None where no price is known."""
    total: float | None = None
    rows = connection.execute("select body from event where kind = ?", (ModelResponse.kind,))
    for (text,) in rows:
        body = readable_body(ModelResponse.kind, str(text))
        if isinstance(body, ModelResponse) and body.reply.usage.usd is not None:
            total = (total or 0.0) + body.reply.usage.usd
    return total


def _row(connection: sqlite3.Connection, question: str, *values: str) -> _Row | None:
    found: RawRow | None = connection.execute(question, values).fetchone()
    match found:
        case (int(seq), str(kind), int(time), str(text)):
            return _Row(seq, kind, time, text)
        case _:
            return None


def _number(connection: sqlite3.Connection, question: str, kind: str) -> int:
    found: RawRow | None = connection.execute(question, (kind,)).fetchone()
    return found[0] if found and isinstance(found[0], int) else 0


def _moment(nanoseconds: int) -> str | None:
    try:
        moment = datetime.fromtimestamp(nanoseconds / 1e9, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
