"""What a tool prints is for the person at the terminal, never part of anybody's output."""

import contextlib
import contextvars
import sys
import threading
from collections.abc import Generator
from typing import Any, TextIO

_IN_TOOL: contextvars.ContextVar[bool] = contextvars.ContextVar("actum_in_tool", default=False)


class _Divided:
    """Stands in for stdout while tools run: what they write goes to stderr."""

    def __init__(self, real: TextIO) -> None:
        self.real = real

    def __getattr__(self, name: str) -> Any:
        target = sys.stderr if _IN_TOOL.get() else self.real
        return getattr(target, name)

    def write(self, text: str) -> int:
        """Write to where it belongs."""
        return (sys.stderr if _IN_TOOL.get() else self.real).write(text)


class _Standing:
    """The stand-in, and how many tools need it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.divided: _Divided | None = None


_STANDING = _Standing()


@contextlib.contextmanager
def prints_aside() -> Generator[None]:
    """While this holds, what this task and its threads print goes to stderr."""
    _enter()
    token = _IN_TOOL.set(True)
    try:
        yield
    finally:
        _IN_TOOL.reset(token)
        _leave()


def _enter() -> None:
    with _STANDING.lock:
        _STANDING.count += 1
        if _STANDING.divided is None or sys.stdout is not _STANDING.divided:
            divided = _Divided(sys.stdout)
            _STANDING.divided = divided
            sys.stdout = divided


def _leave() -> None:
    with _STANDING.lock:
        _STANDING.count -= 1
        divided = _STANDING.divided
        if _STANDING.count == 0 and divided is not None:
            if sys.stdout is divided:
                sys.stdout = divided.real
            _STANDING.divided = None
