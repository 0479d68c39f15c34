"""One thread runs at a time, and the host is asked for one event when all of them wait.

That rule makes a program a function of its events. Phase 1: imports built-in modules only, see
`boot`.
"""

from __future__ import annotations

import _thread
import heapq
import posix
from _collections import deque  # pyright: ignore[reportMissingImports]

from actum.places.guest.clock import CLOCK, SECOND, real_sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    class EventSource(Protocol):
        """Where events come from: the host, behind the wire."""

        def flush(self) -> None: ...
        def wait(self, timeout: int | None) -> dict[str, Any]: ...

    Baton = _thread.LockType


real_lock = _thread.allocate_lock
real_native_ident = _thread.get_native_id
own = _thread._local()
"""What belongs to one real thread: its baton and its number."""


FARTHEST = 1 << 62
"""Nanoseconds; the host counts in 64 bits."""


class Deadlock(RuntimeError):
    """Every thread and task waits for another; no call is open and no timer runs."""


class Wait:
    """One thread waits for one thing. The first to end it wins; later ones change nothing."""

    __slots__ = ("_baton", "over", "won")

    def __init__(self, baton: Baton) -> None:
        self._baton = baton
        self.over = False
        self.won = False

    def end(self) -> bool:
        """What was waited for is there. False: the wait was over already."""
        return self._finish(won=True)

    def give_up(self) -> bool:
        """Time is up, or something else came up."""
        return self._finish(won=False)

    def _finish(self, *, won: bool) -> bool:
        if self.over:
            return False
        self.over = True
        self.won = won
        SCHEDULER.ready.append(self._baton)
        return True


class Scheduler:
    """Threads that can run, timers, and open calls."""

    def __init__(self) -> None:
        self.events: EventSource | None = None
        self.reset()

    def reset(self) -> None:
        """Forget everything: the calling thread is the only one, and the main one."""
        self.ready: deque[Baton] = deque()
        self.threads = 1
        self.alive: set[Baton] = set()
        self.open: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.foreign = False
        self.main: Baton | None = None
        self.main = self.own_baton()
        self.current = self.main
        self._timers: list[tuple[int, int, Callable[[], object], Wait | None]] = []
        self._timer_count = 0
        self._main_wait: Wait | None = None
        self._for_main: BaseException | None = None
        self._leaving: list[int] = []

    def own_baton(self) -> Baton:
        """The lock on which the calling thread sleeps while another one runs."""
        baton = getattr(own, "baton", None)
        if baton is None:
            baton = own.baton = real_lock()
            baton.acquire()
            # A thread that nobody started through us: a library's own, calling back into Python.
            self.foreign = self.main is not None
        return baton

    def block(self, register: Callable[[Wait], object], timeout: float | None = None) -> bool:
        """Wait until whoever got the `Wait` ends it. False: the time was up."""
        baton = self.own_baton()
        is_main = baton is self.main
        if is_main:
            self._raise_in_main()
        wait = Wait(baton)
        register(wait)
        if timeout is not None:
            self.start_timer(timeout, wait.give_up, wait)
        if is_main:
            self._main_wait = wait
        self._switch(baton)
        if is_main and not wait.won:
            self._raise_in_main()
        return wait.won

    def sleep(self, seconds: float) -> None:
        """Take the place of `time.sleep`."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.block(lambda wait: None, seconds)

    def start_timer(
        self, seconds: float, action: Callable[[], object], wait: Wait | None = None
    ) -> None:
        """Do `action` when the time has passed, unless `wait` is over by then."""
        exact = max(0, seconds * SECOND)
        if exact > FARTHEST:
            raise OverflowError("timeout value is too large")
        # Round up: one nanosecond short, and asyncio asks again for the rest of it for ever.
        distance = int(exact) + (int(exact) < exact)
        self._timer_count += 1
        heapq.heappush(self._timers, (CLOCK.now + distance, self._timer_count, action, wait))

    def interrupt_main(self, error: BaseException) -> None:
        """Raise this in the main thread: now if it waits, else when it waits next."""
        self._for_main = error
        if self._main_wait is not None:
            self._main_wait.give_up()

    def forget_interrupt(self) -> None:
        """A program has ended: what was meant for its main thread is void."""
        self._for_main = None
        self._main_wait = None

    def yield_to_others(self) -> None:
        """Let every thread that can run go first."""
        self.block(Wait.end)

    def leave(self, baton: Baton) -> None:
        """The calling thread ends here and hands the baton on."""
        self.alive.discard(baton)
        following = self._next_ready()
        self.current = following
        self._leaving.append(real_native_ident())
        following.release()

    def _raise_in_main(self) -> None:
        error = self._for_main
        if error is not None:
            self._for_main = None
            raise error

    def _switch(self, baton: Baton) -> None:
        following = self._next_ready()
        if following is not baton:
            self.current = following
            following.release()
            baton.acquire()
        self.current = baton
        if self._leaving:
            self._see_off()

    def _see_off(self) -> None:
        """Wait until ended threads are gone: what they free would move our heap."""
        while self._leaving:
            path = f"/proc/self/task/{self._leaving.pop()}"
            for _ in range(200):
                if not posix.access(path, 0):
                    break
                real_sleep(0.0001)

    def _next_ready(self) -> Baton:
        while not self.ready:
            self._take_event()
        return self.ready.popleft()

    def _take_event(self) -> None:
        timers = self._timers
        while timers and timers[0][3] is not None and timers[0][3].over:
            heapq.heappop(timers)
        if not timers and not self.open:
            self.interrupt_main(
                Deadlock(
                    "every thread and task waits for another: no call is open and no timer runs"
                )
            )
            return
        timeout = max(0, timers[0][0] - CLOCK.now) if timers else None
        assert self.events is not None, "no session has begun"
        event = self.events.wait(timeout)
        CLOCK.advance_to(event["now"])
        kind = event["t"]
        if kind == "answered":
            self.open.pop(event["call"])(event["result"])
        elif kind == "timer":
            self._fire_timers()
        else:
            self.interrupt_main(KeyboardInterrupt())

    def _fire_timers(self) -> None:
        """Fire the next timer, and every other one that is due with it."""
        timers = self._timers
        if timers:
            CLOCK.advance_to(timers[0][0])
        while timers and timers[0][0] <= CLOCK.now:
            _, _, action, wait = heapq.heappop(timers)
            if wait is None or not wait.over:
                action()


SCHEDULER = Scheduler()
