"""sqlite asks the kernel for random numbers and the time: its functions are replaced.

Phase 2. Applied when `sqlite3` is imported, which may be in the middle of a program.
"""

import datetime
from typing import Any

from actum.places.guest.clock import CLOCK, SECOND
from actum.places.guest.entropy import STREAM

UTC = datetime.UTC


def _random() -> int:
    return int.from_bytes(STREAM.read(8), "big", signed=True)


def _random_blob(size: int) -> bytes:
    return STREAM.read(max(1, size))


def _now() -> datetime.datetime:
    return datetime.datetime.fromtimestamp(CLOCK.look() // SECOND, UTC)


def _current_timestamp() -> str:
    return _now().strftime("%Y-%m-%d %H:%M:%S")


def _current_date() -> str:
    return _now().strftime("%Y-%m-%d")


def _current_time() -> str:
    return _now().strftime("%H:%M:%S")


class _DateFunctions:
    """`date`, `datetime` and the rest: `now` becomes a fixed moment, and a clean connection works."""

    def __init__(self, connect: Any) -> None:
        self._clean = connect(":memory:", check_same_thread=False)

    def function(self, name: str, position: int) -> Any:
        """Make the replacement; the time value is the argument at `position`."""

        def replacement(*args: Any) -> Any:
            values = list(args)
            if len(values) <= position:
                values.append("now")
            values = [self._fixed(value) for value in values]
            marks = ", ".join("?" * len(values))
            return self._clean.execute(f"select {name}({marks})", values).fetchone()[0]

        return replacement

    def _fixed(self, value: Any) -> Any:
        if isinstance(value, str) and value.lower() == "now":
            moment = CLOCK.look()
            fraction = moment % SECOND // 1_000_000
            at = datetime.datetime.fromtimestamp(moment // SECOND, UTC)
            return f"{at:%Y-%m-%d %H:%M:%S}.{fraction:03d}"
        return value


def cure_sqlite(module: Any) -> None:
    """Let every connection ask our clock and our stream."""
    connect = module.connect
    dates: list[_DateFunctions] = []

    def cured_connect(*args: Any, **kwargs: Any) -> Any:
        connection = connect(*args, **kwargs)
        if not dates:
            dates.append(_DateFunctions(connect))
        create = connection.create_function
        create("random", 0, _random)
        create("randomblob", 1, _random_blob)
        create("current_timestamp", 0, _current_timestamp)
        create("current_date", 0, _current_date)
        create("current_time", 0, _current_time)
        for name in ("date", "time", "datetime", "julianday", "unixepoch"):
            create(name, -1, dates[0].function(name, 0))
        create("strftime", -1, dates[0].function("strftime", 1))
        return connection

    cured_connect.__doc__ = connect.__doc__
    module.connect = cured_connect
    module.dbapi2.connect = cured_connect
