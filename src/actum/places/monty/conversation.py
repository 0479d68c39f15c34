"""One program from its first line to its end: each thing that it wants, and the answer."""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

import msgspec
import pydantic_monty as monty

from actum.places.contract import Host
from actum.places.monty.arrivals import Arrivals, Interruption, raised
from actum.places.monty.clock import ANSWERED, SLEEPS, SLEEPS_AWAITED, Clock
from actum.places.monty.counting import Counting, Killed
from actum.places.monty.reading import Reading
from actum.places.monty.tool_modules import ToolModules
from actum.places.monty.worker import Worker
from actum.records.calls import ToolCall
from actum.records.sessions import OutputChunk, Program
from actum.records.values import JSON, mark

SECOND = 1_000_000_000
_FUNCTION = re.compile(r"<(function|coroutine object|bound method) [^>]*>")
_OWN = frozenset({"exit", "finish", "help", "quit"})
T = TypeVar("T")


class Inside(msgspec.Struct, frozen=True):
    """What stays from program to program."""

    worker: Worker
    modules: ToolModules
    clock: Clock


class Conversation:
    """The state of one program while it runs."""

    def __init__(
        self,
        inside: "Inside",
        host: Host,
        program: Program,
        counting: Counting,
    ) -> None:
        self._worker = inside.worker
        self._modules = inside.modules
        self._clock = inside.clock
        self._host = host
        self._program = program
        self._counting = counting
        self.reading = Reading(program.source)
        self.file = ""
        self.killed: Killed | None = None
        self._failure: BaseException | None = None
        self._chunks: deque[OutputChunk] = deque()
        self._loop = asyncio.get_running_loop()
        self.finished: list[JSON] = []
        """What `finish` was given."""
        self.exit_code: object = None
        self.arrivals = Arrivals(host, inside.clock, counting)

    async def run(self, source: str, file: str) -> monty.MontyComplete:
        """Feed it and answer until it is done: its last value. Raises `MontyError` or `Killed`."""
        self.file = file
        snapshot = await self._computing(self._worker.feed(source, self._printed))
        while not isinstance(snapshot, monty.MontyComplete):
            answer = await self._answered(snapshot)
            snapshot = await self._computing(answer())
        return snapshot

    async def _computing(self, work: Awaitable[T]) -> T:
        """Let it compute for as long as it has time."""
        left = self._counting.left()
        clock = None if left is None else self._loop.call_later(left, self.kill, Killed("seconds"))
        try:
            return await work
        finally:
            if clock is not None:
                clock.cancel()
            self._pass_on()
            if self._failure is not None:
                raise self._failure

    def kill(self, why: Killed) -> None:
        """End it where it stands."""
        self.killed = self.killed or why
        self._worker.kill()

    def _printed(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        """Called by Monty, from a thread of its own."""
        self._chunks.append(OutputChunk(stream, text))
        self._loop.call_soon_threadsafe(self._pass_on)

    def _pass_on(self) -> None:
        """What was printed so far. Nobody would hear what is raised here."""
        try:
            while self._chunks:
                self._counting.wrote(self._chunks.popleft())
        except Killed as killed:
            self.kill(killed)
        except BaseException as failure:  # noqa: BLE001 -- raised again where the program is run
            self._failure = failure
            self._worker.kill()

    async def _answered(
        self, snapshot: monty.AsyncSnapshot
    ) -> Callable[[], Awaitable[monty.AsyncSnapshot]]:
        """How to go on from here."""
        match snapshot:
            case monty.AsyncFutureSnapshot():
                results = await self.arrivals.ready(snapshot.pending_call_ids)
                return lambda: snapshot.resume(results)
            case monty.AsyncNameLookupSnapshot():
                return self._name(snapshot)
            case monty.AsyncFunctionSnapshot():
                if snapshot.is_os_function:
                    return await self._system(snapshot)
                try:
                    result = await self._call(snapshot)
                except Interruption:
                    result = raised(KeyboardInterrupt())
                except TypeError as error:
                    result = raised(error)
                return lambda: snapshot.resume(result)
            case monty.MontyComplete():
                raise AssertionError

    def _name(
        self, snapshot: monty.AsyncNameLookupSnapshot
    ) -> Callable[[], Awaitable[monty.AsyncSnapshot]]:
        name = snapshot.variable_name
        if snapshot.object_id is None and name in _OWN:
            return lambda: snapshot.resume(value=_named(name))
        return snapshot.resume

    async def _system(
        self, snapshot: monty.AsyncFunctionSnapshot
    ) -> Callable[[], Awaitable[monty.AsyncSnapshot]]:
        name, arguments = str(snapshot.function_name), snapshot.args
        result: monty.ExternalResult
        if name == "import":
            if arguments[0] == self._modules.root:
                await self._modules.load(self.reading, self._host.module)
            return snapshot.resume_auto
        if name in ANSWERED:
            result = {"return_value": self._clock.answer(name, arguments)}
        elif name in SLEEPS_AWAITED:
            self.arrivals.timers[snapshot.call_id] = self._due(arguments)
            result = {"future": ...}
        elif name in SLEEPS:
            result = await self._sleep(self._due(arguments))
        else:
            return snapshot.resume_auto
        return lambda: snapshot.resume(result)

    def _due(self, arguments: tuple[object, ...]) -> int:
        seconds = arguments[0]
        return self._clock.now + (
            max(0, int(seconds * SECOND)) if isinstance(seconds, int | float) else 0
        )

    async def _sleep(self, due: int) -> monty.ExternalResult:
        try:
            await self.arrivals.sleep(due)
        except Interruption:
            return raised(KeyboardInterrupt())
        return {"return_value": None}

    async def _call(self, snapshot: monty.AsyncFunctionSnapshot) -> monty.ExternalResult:
        name = str(snapshot.function_name)
        tool = self._modules.tool(name)
        if tool is None:
            return self._own(name, snapshot.args)
        if tool == "parallel":
            return await self._parallel(snapshot)
        call = self._submit(snapshot, tool, snapshot.args, snapshot.kwargs)
        position = snapshot.position
        span = (position.start, position.end)
        if position.filename == self.file and span in self.reading.awaited:
            self.arrivals.futures[snapshot.call_id] = call
            return {"future": ...}
        await self.arrivals.wait_for([call])
        return self.arrivals.result(call)

    async def _parallel(self, snapshot: monty.AsyncFunctionSnapshot) -> monty.ExternalResult:
        """All calls come back before the first error, by position, is raised."""
        function, *columns = snapshot.args
        tool = self._modules.tool(str(function))
        if tool is None:
            raise TypeError(f"{self._modules.root}.parallel takes a tool and its arguments")
        rows = list(zip(*columns, strict=False))
        calls = [self._submit(snapshot, tool, row, {}) for row in rows]
        await self.arrivals.wait_for(calls)
        results = [self.arrivals.result(call) for call in calls]
        values: list[object] = []
        for result in results:
            if "return_value" not in result:
                return result
            values.append(result["return_value"])
        return {"return_value": values}

    def _submit(
        self,
        snapshot: monty.AsyncFunctionSnapshot,
        tool: str,
        args: tuple[object, ...],
        kwargs: dict[str, object],
    ) -> str:
        if _FUNCTION.search(f"{args!r:.100000}{kwargs!r:.100000}"):
            raise TypeError(f"{tool}: a function cannot be an argument of a tool")
        position = snapshot.position
        ours = position.filename == self.file
        call = ToolCall(
            step=self._program.step,
            number=self._counting.call(),
            tool=tool,
            args=tuple(mark(value) for value in args),
            kwargs={key: mark(value) for key, value in kwargs.items()},
            line=self.reading.line(position.start) if ours else None,
        )
        self.arrivals.open.add(call.id)
        self._host.submit(call)
        return call.id

    def _own(self, name: str, arguments: tuple[object, ...]) -> monty.ExternalResult:
        """A function that Monty lacks and programs use."""
        given = arguments[0] if arguments else None
        if name == "finish":
            self.finished = self.finished or [mark(given)]
            return {"exc_type": "SystemExit", "message": "finish"}
        if name in {"exit", "quit"}:
            self.exit_code = given if given is not None else 0
            return {"exc_type": "SystemExit", "message": str(given)}
        if name == "help":
            self._printed("stdout", self._modules.help(given).rstrip() + "\n")
            return {"return_value": None}
        return raised(NameError(f"name '{name}' is not defined"))


def _named(name: str) -> Callable[..., None]:
    def function(*_args: object, **_kwargs: object) -> None:
        """Stands for a function of ours; the call itself comes out."""

    function.__name__ = name
    return function
