"""Threads for tools that are plain functions: many at once, and none that keeps the process alive."""

import asyncio
import collections
import contextvars
import threading
from collections.abc import Callable
from typing import Any

MOST_THREADS = 256
IDLE_SECONDS = 30.0


class _Job:
    """One function on its way through a thread."""

    def __init__(self, function: Callable[[], object]) -> None:
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[object] = self.loop.create_future()
        self.function = function
        self.context = contextvars.copy_context()
        self.started = False

    def run(self) -> None:
        """Do it, and hand over what came of it."""
        try:
            value = self.context.run(self.function)
        except BaseException as error:  # noqa: BLE001 -- it is raised where it is waited for
            self._tell(self._fail, error)
        else:
            self._tell(self._succeed, value)

    def _tell(self, tell: Callable[[Any], None], what: object) -> None:
        try:
            self.loop.call_soon_threadsafe(tell, what)
        except RuntimeError:
            # The loop is closed: nobody waits any more.
            return

    def _succeed(self, value: object) -> None:
        if not self.future.done():
            self.future.set_result(value)

    def _fail(self, error: BaseException) -> None:
        if self.future.done():
            return
        if isinstance(error, StopIteration | GeneratorExit):
            # No future may hand these on: they would end the coroutine that waits.
            error = RuntimeError(type(error).__name__)
        self.future.set_exception(error)


class ToolThreads:
    """A pool that grows with what waits. Its threads are daemons: a tool that hangs ends with us.

    A job that nobody waits for any more gives its place to another, since its thread may never end.
    """

    def __init__(self, most: int = MOST_THREADS) -> None:
        self._most = most
        self._jobs: collections.deque[_Job] = collections.deque()
        self._change = threading.Condition()
        self._threads = 0
        self._idle = 0
        self._given_up: set[_Job] = set()

    async def run(self, function: Callable[[], object]) -> object:
        """What the function returns or raises, from a thread."""
        job = _Job(function)
        self._take(job)
        try:
            return await job.future
        except asyncio.CancelledError:
            self._give_up(job)
            raise

    def _take(self, job: _Job) -> None:
        with self._change:
            self._jobs.append(job)
            if self._idle >= len(self._jobs):
                self._change.notify()
            elif self._threads < self._most:
                self._start()

    def _start(self) -> None:
        self._threads += 1
        threading.Thread(target=self._work, name="actum-tool", daemon=True).start()

    def _give_up(self, job: _Job) -> None:
        with self._change:
            if not job.started:
                if job in self._jobs:
                    self._jobs.remove(job)
                return
            self._given_up.add(job)
            self._threads -= 1
            if self._jobs and self._threads < self._most:
                self._start()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job.run()
            with self._change:
                if job in self._given_up:
                    # Another thread has this one's place.
                    self._given_up.discard(job)
                    return

    def _next(self) -> _Job | None:
        with self._change:
            self._idle += 1
            try:
                while not self._jobs:
                    if not self._change.wait(IDLE_SECONDS) and not self._jobs:
                        self._threads -= 1
                        return None
                job = self._jobs.popleft()
                job.started = True
                return job
            finally:
                self._idle -= 1


TOOL_THREADS = ToolThreads()
"""Of this process: what many runs do at once shares it."""
