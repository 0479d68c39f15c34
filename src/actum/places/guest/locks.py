"""Locks that wait in the scheduler, in place of those of `_thread`.

Phase 1: imports built-in modules only, see `boot`.
"""

from __future__ import annotations

from _collections import deque  # pyright: ignore[reportMissingImports]

from actum.places.guest.scheduler import SCHEDULER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from actum.places.guest.scheduler import Baton, Wait


class Lock:
    """Takes the place of `_thread.lock`. `release` hands it to whoever waits longest."""

    __slots__ = ("__weakref__", "_held", "_queue")

    def __init__(self) -> None:
        self._held = False
        self._queue: deque[Wait] | None = None

    def acquire(self, blocking: bool = True, timeout: float | None = -1) -> bool:
        """Take it, waiting if it must."""
        if not self._held:
            self._held = True
            return True
        if not blocking:
            return False
        queue = self._queue
        if queue is None:
            queue = self._queue = deque()
        limit = None if timeout is None or timeout < 0 else timeout
        return SCHEDULER.block(queue.append, limit)

    def release(self) -> None:
        """Give it to the next who waits, or leave it free."""
        if not self._held:
            raise RuntimeError("release unlocked lock")
        while self._queue:
            if self._queue.popleft().end():
                return
        self._held = False

    acquire_lock = acquire
    release_lock = release

    def locked(self) -> bool:
        """Whether somebody holds it."""
        return self._held

    locked_lock = locked

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def _at_fork_reinit(self) -> None:
        self._held = False
        self._queue = None


class ReentrantLock:
    """Takes the place of `_thread.RLock`."""

    __slots__ = ("__weakref__", "_count", "_lock", "_owner")

    def __init__(self) -> None:
        self._lock = Lock()
        self._owner: Baton | None = None
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float | None = -1) -> bool:
        """Take it once more, waiting if another thread has it."""
        me = SCHEDULER.current
        if self._owner is me:
            self._count += 1
            return True
        taken = self._lock.acquire(blocking, timeout)
        if taken:
            self._owner = me
            self._count = 1
        return taken

    def release(self) -> None:
        """Give back one of the times it was taken."""
        if self._owner is not SCHEDULER.current:
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if not self._count:
            self._owner = None
            self._lock.release()

    def locked(self) -> bool:
        """Whether somebody holds it."""
        return self._lock.locked()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()

    def _is_owned(self) -> bool:
        return self._owner is SCHEDULER.current

    def _recursion_count(self) -> int:
        return self._count if self._is_owned() else 0

    def _release_save(self) -> tuple[int, Baton | None]:
        state = (self._count, self._owner)
        self._count = 0
        self._owner = None
        self._lock.release()
        return state

    def _acquire_restore(self, state: tuple[int, Baton | None]) -> None:
        self._lock.acquire()
        self._count, self._owner = state

    def _at_fork_reinit(self) -> None:
        self._lock._at_fork_reinit()
        self._owner = None
        self._count = 0
