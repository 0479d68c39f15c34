"""What the runs of a folder have cost today, read from their files: other processes count too."""

import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from actum.journal.chain import readable_body
from actum.journal.index import run_files
from actum.journal.reading import UNREADABLE, look_into
from actum.records.events import ModelResponse

NANOSECONDS = 1_000_000_000
_RESPONSES = "select body from event where kind = ? and time >= ?"
_Stamp = tuple[int, ...]


class DaySpend:
    """The money of a day, which begins at midnight UTC. Reads again only what has changed."""

    def __init__(self, folder: Path, clock: Callable[[], int] = time.time_ns) -> None:
        self._folder = folder
        self._clock = clock
        self._known: dict[Path, tuple[int, _Stamp, float]] = {}

    def usd(self) -> float:
        """What models have answered for since midnight. An answer without a known price is free."""
        midnight = _midnight(self._clock())
        return sum(self._of(path, midnight) for path in run_files(self._folder))

    def _of(self, path: Path, midnight: int) -> float:
        stamp = _stamp(path)
        if not stamp or max(stamp) < midnight:
            # Nothing has been written to it today.
            return 0.0
        known = self._known.get(path)
        if known is not None and known[:2] == (midnight, stamp):
            return known[2]
        try:
            spent = look_into(path, lambda connection: _spent(connection, midnight))
        except UNREADABLE:
            return 0.0
        self._known[path] = (midnight, stamp, spent)
        return spent


def _spent(connection: sqlite3.Connection, since: int) -> float:
    total = 0.0
    for (text,) in connection.execute(_RESPONSES, (ModelResponse.kind, since)):
        body = readable_body(ModelResponse.kind, str(text))
        if isinstance(body, ModelResponse):
            total += body.reply.usage.usd or 0.0
    return total


def _stamp(path: Path) -> _Stamp:
    """When the file and its log were last written; nothing where it is gone."""
    times: list[int] = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            times.append(file.stat().st_mtime_ns)
        except OSError:
            continue
    return tuple(times)


def _midnight(now: int) -> int:
    day = datetime.fromtimestamp(now / NANOSECONDS, UTC).date()
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * NANOSECONDS
