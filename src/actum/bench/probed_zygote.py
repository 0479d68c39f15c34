"""The zygote with a clock in it: each step on the way to a session leaves the time when it was over.

Started in place of `zygote.py`, for a measurement only. The times stand in a page of memory that
zygote and sessions share; a session writes them to its errors before its second program.

What is imported before the zygote has its own clock would keep the real one, and the zygote would
refuse to start. So this file begins with built-in modules only.
"""

from __future__ import annotations

import posix
import sys
import time
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LAUNCH = "actum.places.local.launch"
GUEST = "actum.places.guest"
ZYGOTE = f"{__file__.rpartition('/bench/')[0]}/places/local/launch/zygote.py"

POINTS = (
    (f"{LAUNCH}.confine", "Walls.confine", "zygote's descriptors taken over", ""),
    (f"{LAUNCH}.confine", "Walls._own_mounts", "tied to the zygote", "own mounts"),
    (f"{LAUNCH}.confine", "Walls._own_user", "", "own user namespace"),
    (f"{LAUNCH}.confine", "Limits.enter", "", "limits"),
    (f"{LAUNCH}.confine", "drop_capabilities", "", "capabilities dropped"),
    (f"{LAUNCH}.confine", "Walls._enter_landlock", "", "landlock"),
    (f"{LAUNCH}.seccomp", "Filter.enter", "descriptors closed", "seccomp"),
    (f"{GUEST}.boot", "serve", "", ""),
    (f"{GUEST}.session", "Session.__init__", "first frame read", "session made"),
    (f"{GUEST}.session", "Session.run", "program read", "program answered"),
    (f"{GUEST}.program", "Programs.run", "clock and entropy set", "program run"),
)
"""Module, function, and what is over when it begins and when it ends."""

OF_THE_ZYGOTE = ("order read", "pid namespace made", "forked, in the zygote", "answer sent")


class Clock:
    """Notes when something is over for the first time since the last order."""

    def __init__(self, real: list[Callable[[], int]]) -> None:
        # Held here and not by the module: the zygote refuses modules that hold the real clock.
        import mmap

        self._now, self._used = real
        self._times = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("q")
        self._steps: list[str] = []

    def place(self, step: str) -> int:
        """The place of a step in the page."""
        if step not in self._steps:
            self._steps.append(step)
        return self._steps.index(step)

    def note(self, place: int) -> None:
        """It is over now."""
        if not self._times[2 * place]:
            self._times[2 * place] = self._now()
            self._times[2 * place + 1] = self._used()

    def clear(self) -> None:
        """A new order: nothing is over yet."""
        for place in range(len(self._steps)):
            self._times[2 * place] = 0

    def told(self) -> str:
        """Every step with its time, and the processor time of its process until then."""
        import json

        times = [[self._times[2 * n], self._times[2 * n + 1]] for n in range(len(self._steps))]
        return json.dumps({s: t for s, t in zip(self._steps, times, strict=True) if t[0]})


def around(
    clock: Clock, function: Callable[..., object], before: str, after: str
) -> Callable[..., object]:
    """The same function, with the time noted before it and after it."""
    first = clock.place(before) if before else None
    last = clock.place(after) if after else None

    def timed(*args: object, **kwargs: object) -> object:
        if first is not None:
            clock.note(first)
        result = function(*args, **kwargs)
        if last is not None:
            clock.note(last)
        return result

    return timed


def put_clock_into_the_steps(clock: Clock) -> None:
    """Wrap every step. A step that is no longer there is an error."""
    import importlib

    for module, name, before, after in POINTS:
        owner: object = importlib.import_module(module)
        *path, attribute = name.split(".")
        for part in path:
            owner = getattr(owner, part)
        setattr(owner, attribute, around(clock, getattr(owner, attribute), before, after))


def put_clock_into_the_loop(clock: Clock) -> None:
    """The turns of the zygote, and its fork."""
    fork_loop = sys.modules[f"{LAUNCH}.fork_loop"]
    order, namespace, forked, answered = (clock.place(step) for step in OF_THE_ZYGOTE)
    begun = clock.place("forked")
    really_open = fork_loop.ForkLoop.open_one
    really_fork = fork_loop.posix.fork

    def open_one(loop: object, child: Callable[[], None]) -> None:
        clock.clear()
        clock.note(order)
        really_open(loop, child)
        clock.note(answered)

    def fork() -> int:
        clock.note(namespace)
        pid = really_fork()
        clock.note(forked if pid else begun)
        return pid

    fork_loop.ForkLoop.open_one = open_one
    vars(fork_loop)["posix"] = types.SimpleNamespace(**{**vars(posix), "fork": fork})


def tell_before_the_second_program(clock: Clock) -> None:
    """The times go out as the session's own errors."""
    session = sys.modules[f"{GUEST}.session"].Session
    really_run = session.run

    def run(itself: object, frame: dict[str, object]) -> None:
        if frame["step"] != 1:
            posix.write(2, clock.told().encode())
        really_run(itself, frame)

    session.run = run


def main() -> None:
    """Load the zygote as it is, put the clock in, and let it go."""
    zygote = types.ModuleType("zygote")
    zygote.__file__ = ZYGOTE
    with open(ZYGOTE, "rb") as file:  # noqa: PTH123 -- pathlib would be imported too early
        code = compile(file.read(), ZYGOTE, "exec")
    real_clocks = [time.monotonic_ns, time.thread_time_ns]
    exec(code, zygote.__dict__)  # noqa: S102 -- our own file, as the interpreter would run it
    clock = Clock(real_clocks)
    put_clock_into_the_steps(clock)
    put_clock_into_the_loop(clock)
    tell_before_the_second_program(clock)
    sys.modules[f"{LAUNCH}.preparing"].run(zygote.fork)


if __name__ == "__main__":
    main()
