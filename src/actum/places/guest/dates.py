"""`datetime` keeps its own clock in C: its types are made to ask ours.

Phase 2: imported by `boot.install` after `time` and `_thread` are ours.
"""

import ctypes
import datetime
import gc
from collections.abc import Callable
from typing import Any

from actum.places.guest.clock import wall_seconds


def _now(cls: type[datetime.datetime], tz: datetime.tzinfo | None = None) -> datetime.datetime:
    return cls.fromtimestamp(wall_seconds(), tz)


def _utcnow(cls: type[datetime.datetime]) -> datetime.datetime:
    return cls.fromtimestamp(wall_seconds(), datetime.UTC).replace(tzinfo=None)


def _today(cls: type[datetime.date]) -> datetime.date:
    return cls.fromtimestamp(wall_seconds())


def _replace(kind: type, name: str, function: Callable[..., Any]) -> None:
    """Change a type that Python does not let change; libraries in C read the same dictionary."""
    namespace: Any = gc.get_referents(kind.__dict__)[0]
    namespace[name] = classmethod(function)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def install_dates() -> None:
    """Put `now`, `utcnow` and `today` on the virtual clock."""
    _replace(datetime.datetime, "now", _now)
    _replace(datetime.datetime, "utcnow", _utcnow)
    _replace(datetime.datetime, "today", _today)
    _replace(datetime.date, "today", _today)
