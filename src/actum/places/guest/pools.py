"""Thread pools: idle ones shrink to nothing between programs, and none waits on a real pipe.

Phase 2: imported by `boot.install` after `time` and `_thread` are ours.
"""

import importlib
import multiprocessing.pool
import queue
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from actum.places.guest.scheduler import SCHEDULER

TURNS_AT_THE_END = 100
_pools: list[weakref.ref[Any]] = []
_initialise_pool = ThreadPoolExecutor.__init__
_set_up_queues = multiprocessing.pool.ThreadPool._setup_queues


def _initialise(self: Any, *args: Any, **kwargs: Any) -> None:
    _initialise_pool(self, *args, **kwargs)
    _pools.append(weakref.ref(self))


class _ChangeQueue(queue.Queue[None]):
    """What a `ThreadPool` tells its handler thread by; ours has no pipe to wait on."""

    _reader = None


class _ThreadContext:
    SimpleQueue = _ChangeQueue


def _set_up(self: Any) -> None:
    _set_up_queues(self)
    self._ctx = _ThreadContext


def _wait_for_changes(sentinels: object, change_notifier: Any, timeout: object = None) -> None:
    change_notifier.get()
    while not change_notifier.empty():
        change_notifier.get()


def install_pools() -> None:
    """Keep track of executors, and cure `multiprocessing.pool.ThreadPool`."""
    ThreadPoolExecutor.__init__ = _initialise
    # Born on our threads, where a program would import it later.
    importlib.import_module("multiprocessing.dummy")
    multiprocessing.pool.ThreadPool._setup_queues = _set_up
    multiprocessing.pool.Pool._wait_for_updates = staticmethod(_wait_for_changes)


def forget_pools() -> None:
    """A session begins: those of before the fork are not its own."""
    _pools.clear()


def settle() -> None:
    """At the end of a program, run what can run until it waits, and retire idle workers."""
    _let_others_run()
    for reference in _pools[:]:
        pool = reference()
        if pool is None:
            _pools.remove(reference)
        elif _is_idle(pool):
            _retire_workers(pool)


def _let_others_run() -> None:
    for _ in range(TURNS_AT_THE_END):
        if not SCHEDULER.ready:
            return
        SCHEDULER.yield_to_others()


def _is_idle(pool: Any) -> bool:
    if pool._shutdown or not pool._threads or not pool._work_queue.empty():
        return False
    return pool._idle_semaphore._value >= len(pool._threads)


def _retire_workers(pool: Any) -> None:
    """End its threads; the pool stays open and makes new ones at the next submit."""
    pool._shutdown = True
    pool._work_queue.put(None)
    _let_others_run()
    pool._shutdown = False
    if any(thread.is_alive() for thread in pool._threads):
        return
    pool._threads.clear()
    pool._idle_semaphore = threading.Semaphore(0)
    while not pool._work_queue.empty():
        pool._work_queue.get()
