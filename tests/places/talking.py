"""A host that answers programs in tests: from functions, in the order of the calls."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from actum.places.contract import Place, Session
from actum.records.calls import ToolAnswer, ToolCall, ToolFailure
from actum.records.outcomes import Outcome
from actum.records.sessions import (
    Answered,
    Delivery,
    Limits,
    ModuleText,
    OutputChunk,
    Program,
    SessionSpec,
    Stop,
    TimerDue,
    Waiting,
)
from actum.records.values import BlobRef, blob_ref

STARTED = 1_750_000_000_000_000_000
SEED = "00112233445566778899aabbccddeeff"
T = TypeVar("T")
P = TypeVar("P", bound=Place)


class Answering:
    """Answers every call by a function, one at a time, in the order of the calls."""

    def __init__(
        self,
        tools: dict[str, Callable[..., Any]] | None = None,
        modules: dict[str, str] | None = None,
        before: Callable[[Waiting], Delivery | None] | None = None,
        on_output: Callable[[], None] | None = None,
    ) -> None:
        self.tools = tools or {}
        self.modules = modules or {}
        self.before = before
        self.on_output = on_output
        self.thought = 0.0
        self.calls: list[ToolCall] = []
        self.open: list[ToolCall] = []
        self.waits: list[Waiting] = []
        self.chunks: list[OutputChunk] = []
        self.imported: list[str] = []
        self.kept: dict[str, bytes] = {}

    @property
    def text(self) -> str:
        return "".join(chunk.text for chunk in self.chunks)

    def submit(self, call: ToolCall) -> None:
        self.calls.append(call)
        self.open.append(call)

    async def next(self, waiting: Waiting) -> Delivery:
        self.waits.append(waiting)
        early = self.before(waiting) if self.before is not None else None
        if early is not None:
            return early
        if self.open:
            return self._answer(self.open.pop(0))
        if waiting.timeout is None:
            return Stop(message="nothing can happen any more")
        return TimerDue(now=waiting.timeout)

    def _answer(self, call: ToolCall) -> Delivery:
        now = STARTED + len(self.waits)
        tool = self.tools.get(call.tool)
        if tool is None:
            return Answered(call=call.id, result=ToolFailure(message="unknown"), now=now)
        value = tool(*call.args, **call.kwargs)
        return Answered(call=call.id, result=ToolAnswer(value=value), now=now)

    async def module(self, name: str) -> ModuleText:
        self.imported.append(name)
        if name in self.modules:
            return ModuleText(text=self.modules[name])
        return ModuleText(problem=f"there is no module '{name}'")

    def output(self, chunk: OutputChunk) -> None:
        self.chunks.append(chunk)
        if self.on_output is not None:
            self.on_output()

    def keep(self, content: bytes, content_type: str) -> BlobRef:
        kept = blob_ref(content, content_type)
        self.kept[kept.sha256] = content
        return kept


def spec(limits: Limits | None = None, **options: Any) -> SessionSpec:
    """A session that begins as all others do."""
    return SessionSpec(seed=SEED, started=STARTED, limits=limits or Limits(), **options)


def program(source: str, *, step: int = 1, seconds: float | None = 20.0) -> Program:
    """A program."""
    return Program(source=source, step=step, now=STARTED + step, seconds=seconds)


async def run_all(
    place: Place,
    sources: Sequence[str],
    host: Answering | None = None,
    *,
    limits: Limits | None = None,
    seconds: float | None = 20.0,
) -> list[Outcome]:
    """Run programs one after another in one session, up to the first that is killed."""
    session = await place.open(spec(limits))
    outcomes: list[Outcome] = []
    try:
        for step, source in enumerate(sources, 1):
            outcome = await session.run(
                program(source, step=step, seconds=seconds), host or Answering()
            )
            outcomes.append(outcome)
            if outcome.status == "killed":
                break
    finally:
        await session.close()
    return outcomes


def with_place(make: Callable[[], P], act: Callable[[P], Awaitable[T]]) -> T:
    """Open a place, do something with it, close it."""

    async def whole() -> T:
        place = make()
        try:
            return await act(place)
        finally:
            await place.close()

    return asyncio.run(whole())


async def outcome_of(place: Place, source: str, **options: Any) -> tuple[Outcome, Answering]:
    """One program in a session of its own."""
    host = Answering()
    outcomes = await run_all(place, [source], host, **options)
    return outcomes[0], host


__all__ = ["Answering", "Session", "outcome_of", "program", "run_all", "spec", "with_place"]
