"""Threads under the scheduler, in place of those of `_thread`.

Phase 1: imports built-in modules only, see `boot`.
"""

from __future__ import annotations

import _thread
import sys

from actum.places.guest.locks import Lock, ReentrantLock
from actum.places.guest.scheduler import SCHEDULER, own, real_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from actum.places.guest.scheduler import Wait

real = {
    "allocate_lock": _thread.allocate_lock,
    "get_ident": _thread.get_ident,
    "get_native_id": _thread.get_native_id,
    "start_new_thread": _thread.start_new_thread,
    "RLock": _thread.RLock,
    "LockType": _thread.LockType,
}
if hasattr(_thread, "start_joinable_thread"):
    real["start_joinable_thread"] = _thread.start_joinable_thread
real_start = _thread.start_new_thread


def thread_number() -> int:
    """Stand in for the thread's identity: real ones are addresses and come again."""
    return getattr(own, "number", 1)


class ThreadHandle:
    """What Python 3.13 and later joins a thread by."""

    def __init__(self, ident: int = 0) -> None:
        self.ident = ident
        self._done = False
        self._waits: list[Wait] = []

    def is_done(self) -> bool:
        """Whether the thread has ended."""
        return self._done

    def _set_done(self) -> None:
        self._done = True
        for wait in self._waits:
            wait.end()
        self._waits = []

    def join(self, timeout: float | None = None) -> None:
        """Wait until the thread has ended, or the time is up."""
        if not self._done:
            limit = None if timeout is None or timeout < 0 else timeout
            SCHEDULER.block(self._waits.append, limit)


def start(
    function: Callable[..., object],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    handle: ThreadHandle | None = None,
) -> int:
    """Start a thread; it runs when its turn comes."""
    baton = real_lock()
    baton.acquire()
    SCHEDULER.threads += 1
    number = SCHEDULER.threads
    SCHEDULER.alive.add(baton)

    def run() -> None:
        own.baton = baton
        own.number = number
        baton.acquire()
        try:
            function(*args, **(kwargs or {}))
        except SystemExit:
            return
        except BaseException as error:
            sys.excepthook(type(error), error, error.__traceback__)
        finally:
            sentinel = getattr(own, "sentinel", None)
            if sentinel is not None and sentinel.locked():
                sentinel.release()
            if handle is not None:
                handle._set_done()
            SCHEDULER.leave(baton)

    SCHEDULER.ready.append(baton)
    try:
        real_start(run, ())
    except BaseException:
        # The kernel gives no more threads: nobody must wait for this one.
        SCHEDULER.ready.remove(baton)
        SCHEDULER.alive.discard(baton)
        raise
    return number


def _start_joinable(
    function: Callable[..., object], handle: ThreadHandle | None = None, daemon: bool = True
) -> ThreadHandle:
    handle = handle or ThreadHandle()
    handle.ident = start(function, (), {}, handle)
    return handle


def _set_sentinel() -> Lock:
    """Python 3.11 and 3.12 join a thread by a lock that its end releases."""
    own.sentinel = Lock()
    return own.sentinel


def install_threads() -> None:
    """Put ours into `_thread` itself; `threading`, `queue` and the rest are then born on them."""
    replacements: dict[str, object] = {
        "get_ident": thread_number,
        "get_native_id": thread_number,
        "allocate_lock": Lock,
        "allocate": Lock,
        "LockType": Lock,
        "RLock": ReentrantLock,
        "start_new_thread": start,
        "start_new": start,
        "_set_sentinel": _set_sentinel,
    }
    if sys.version_info >= (3, 13):
        replacements |= {
            "lock": Lock,
            "_ThreadHandle": ThreadHandle,
            "start_joinable_thread": _start_joinable,
            "_make_thread_handle": ThreadHandle,
            "_get_main_thread_ident": lambda: 1,
            "daemon_threads_allowed": lambda: True,
        }
    for name, replacement in replacements.items():
        setattr(_thread, name, replacement)
