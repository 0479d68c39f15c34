"""Asynchronous work from code that is not."""

import asyncio
import contextvars
import threading
from collections.abc import Coroutine
from typing import Generic, TypeVar

T = TypeVar("T")


def in_own_loop(work: Coroutine[None, None, T]) -> T:
    """Run to the end; in a thread of its own where a loop is running here already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    aside = _Aside(work)
    try:
        aside.wait()
    except KeyboardInterrupt:
        # Nobody waits for it any more: it is cancelled, as `asyncio.run` does, and written down.
        aside.cancel()
        aside.wait()
        raise
    return aside.result()


class _Aside(Generic[T]):
    """Work in a loop and a thread of its own."""

    def __init__(self, work: Coroutine[None, None, T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._errors: list[BaseException] = []
        self._task: asyncio.Task[T] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._cancelled = False
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._run,), name="actum-run")
        self._thread.start()

    def wait(self) -> None:
        """Wait for its end."""
        self._thread.join()

    def cancel(self) -> None:
        """Let it come to its end soon."""
        self._cancelled = True
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    def result(self) -> T:
        """What came of it, or what it raised."""
        if self._errors:
            raise self._errors[0]
        return self._results[0]

    def _run(self) -> None:
        try:
            self._results.append(asyncio.run(self._whole()))
        except BaseException as error:  # noqa: BLE001 -- it is raised where it is waited for
            self._errors.append(error)

    async def _whole(self) -> T:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.ensure_future(self._work)
        if self._cancelled:
            self._task.cancel()
        return await self._task
