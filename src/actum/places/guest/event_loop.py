"""asyncio under the scheduler: a loop that waits nowhere else, and tasks that are numbered.

Phase 2: imported by `boot.install` after `time` and `_thread` are ours.
"""

import asyncio
import concurrent.futures
import selectors
import sys
from asyncio import unix_events
from typing import Any

from actum.places.guest.clock import CLOCK, SECOND
from actum.places.guest.scheduler import SCHEDULER, Wait


class Numbers:
    """Count what is made. `asyncio.wait` returns sets: hashed by address their order would vary."""

    def __init__(self) -> None:
        self.last = 0

    def next(self) -> int:
        """Count one more."""
        self.last += 1
        return self.last


NUMBERS = Numbers()


class QuiescentSelector(selectors._BaseSelectorImpl):
    """Takes the place of epoll: it waits in the scheduler, until a timer or a poke."""

    def __init__(self) -> None:
        super().__init__()
        self._wait: Wait | None = None
        self._poked = False

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """Refuse: nothing outside could be put on record."""
        raise PermissionError("asyncio has no sockets and pipes here; use tools")

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait; what is ready is in the loop's own queue by then."""
        if not self._poked and (timeout is None or timeout > 0):
            SCHEDULER.block(self._keep, timeout)
            self._wait = None
        self._poked = False
        return []

    def poke(self) -> None:
        """Something was put into the loop from outside."""
        self._poked = True
        if self._wait is not None:
            self._wait.end()

    def _keep(self, wait: Wait) -> None:
        self._wait = wait


class NumberedFuture(asyncio.Future[Any]):
    """A future whose place in a set does not depend on its address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._number = NUMBERS.next()
        super().__init__(*args, **kwargs)

    def __hash__(self) -> int:
        return self._number


class NumberedTask(asyncio.Task[Any]):
    """A task whose place in a set does not depend on its address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._number = NUMBERS.next()
        super().__init__(*args, **kwargs)

    def __hash__(self) -> int:
        return self._number


def _make_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **kwargs: Any) -> NumberedTask:
    return NumberedTask(coroutine, loop=loop, **kwargs)


class QuiescentLoop(unix_events._UnixSelectorEventLoop):
    """The only kind of event loop here."""

    def __init__(self, selector: object = None) -> None:
        super().__init__(QuiescentSelector())
        self.set_task_factory(_make_task)

    def create_future(self) -> NumberedFuture:
        """Make a numbered one."""
        return NumberedFuture(loop=self)

    def time(self) -> float:
        """Tell the virtual time; asking costs nothing here, asyncio asks all the time."""
        return (CLOCK.now - CLOCK.started) / SECOND

    def poke(self) -> None:
        """Wake the loop: one of its futures was set from outside."""
        self._selector.poke()

    def add_signal_handler(self, sig: int, callback: Any, *args: Any) -> None:
        """Refuse: signals cannot be put on record."""
        raise RuntimeError("signal handlers are off here")

    def _make_self_pipe(self) -> None:
        self._ssock = None
        self._csock = None

    def _close_self_pipe(self) -> None:
        self._ssock = None
        self._csock = None

    def _write_to_self(self) -> None:
        self.poke()


_as_completed: Any = asyncio.as_completed


def _as_completed_in_order(fs: Any, **kwargs: Any) -> Any:
    """Make tasks first, in order: Python 3.11 puts bare coroutines into a set."""
    if asyncio.iscoroutine(fs) or asyncio.isfuture(fs):
        return _as_completed(fs, **kwargs)
    awaitables = list(fs)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _as_completed(awaitables, **kwargs)
    return _as_completed([asyncio.ensure_future(one) for one in awaitables], **kwargs)


def _number_thread_futures() -> None:
    future: Any = concurrent.futures.Future
    initialise = future.__init__

    def numbered(self: Any) -> None:
        self._number = NUMBERS.next()
        initialise(self)

    future.__init__ = numbered
    future.__hash__ = lambda self: self._number


def install_event_loop() -> None:
    """Make ours the loop that every policy, runner and library gets."""
    _number_thread_futures()
    policy: Any = getattr(unix_events, "_UnixDefaultEventLoopPolicy", None)
    if policy is None:
        policy = unix_events._DefaultEventLoopPolicy
    policy._loop_factory = QuiescentLoop
    for module in (asyncio, unix_events):
        module.SelectorEventLoop = QuiescentLoop
        if sys.version_info >= (3, 13):
            module.EventLoop = QuiescentLoop
    asyncio.as_completed = _as_completed_in_order
    asyncio.tasks.as_completed = _as_completed_in_order
