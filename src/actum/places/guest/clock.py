"""The virtual clock. It goes on by a microsecond a look and jumps at each event of the host.

Phase 1: imports built-in modules only, see `boot`.
"""

from __future__ import annotations

import time

MICROSECOND = 1000
SECOND = 1_000_000_000
BEFORE_ANY_SESSION = 1_600_000_000 * SECOND
"""A constant, so that what libraries keep at their import is equal in every zygote."""

REPLACED = (
    "time",
    "time_ns",
    "monotonic",
    "monotonic_ns",
    "perf_counter",
    "perf_counter_ns",
    "process_time",
    "process_time_ns",
    "thread_time",
    "thread_time_ns",
    "clock_gettime",
    "clock_gettime_ns",
    "sleep",
    "localtime",
    "gmtime",
    "ctime",
    "strftime",
)
real = {name: getattr(time, name) for name in REPLACED if hasattr(time, name)}
real_sleep = time.sleep
_localtime = time.localtime
_gmtime = time.gmtime
_ctime = time.ctime
_strftime = time.strftime


class Clock:
    """What time it is in this session, in nanoseconds."""

    def __init__(self) -> None:
        self.started = BEFORE_ANY_SESSION
        self.now = BEFORE_ANY_SESSION

    def begin(self, started: int) -> None:
        """Set the clock to where the session begins."""
        self.started = started
        self.now = started

    def advance_to(self, moment: int) -> None:
        """Jump forward; a moment that has passed changes nothing."""
        self.now = max(self.now, moment)

    def look(self) -> int:
        """Nanoseconds since 1970. Each look costs a microsecond, so that spin loops end."""
        self.now += MICROSECOND
        return self.now

    def look_running(self) -> int:
        """Nanoseconds since the session began."""
        return self.look() - self.started


CLOCK = Clock()


def wall_seconds() -> float:
    """What `time.time` tells."""
    return CLOCK.look() / SECOND


def running_seconds() -> float:
    """What `time.monotonic` and all counters tell."""
    return CLOCK.look_running() / SECOND


def _clock_gettime_ns(clock: int) -> int:
    if clock == time.CLOCK_REALTIME:
        return CLOCK.look()
    return CLOCK.look_running()


def _clock_gettime(clock: int) -> float:
    return _clock_gettime_ns(clock) / SECOND


def _local_time(seconds: float | None = None) -> time.struct_time:
    return _localtime(wall_seconds() if seconds is None else seconds)


def _universal_time(seconds: float | None = None) -> time.struct_time:
    return _gmtime(wall_seconds() if seconds is None else seconds)


def _time_as_text(seconds: float | None = None) -> str:
    return _ctime(wall_seconds() if seconds is None else seconds)


def _formatted_time(pattern: str, moment: time.struct_time | None = None) -> str:
    return _strftime(pattern, _local_time() if moment is None else moment)


def install_clock(sleep: object) -> None:
    """Put the virtual functions into `time` itself; whoever imports it later is born on them."""
    functions: dict[str, object] = {
        "time": wall_seconds,
        "time_ns": CLOCK.look,
        "sleep": sleep,
        "clock_gettime": _clock_gettime,
        "clock_gettime_ns": _clock_gettime_ns,
        "localtime": _local_time,
        "gmtime": _universal_time,
        "ctime": _time_as_text,
        "strftime": _formatted_time,
    }
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        functions[name] = running_seconds
        functions[name + "_ns"] = CLOCK.look_running
    for name, function in functions.items():
        setattr(time, name, function)
