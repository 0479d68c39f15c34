"""The smallest host there can be: to measure a place without gate and journal."""

from collections import deque
from collections.abc import Callable

from actum.places.contract import Session
from actum.records.calls import ToolAnswer, ToolCall
from actum.records.outcomes import Outcome
from actum.records.sessions import (
    Answered,
    Delivery,
    ModuleText,
    OutputChunk,
    Program,
    SessionSpec,
    Stop,
    TimerDue,
    Waiting,
)
from actum.records.values import BlobRef, blob_ref

SEED = "0" * 32
STARTED = 1_700_000_000_000_000_000


class AnswersAtOnce:
    """Gives each call its first argument back, and keeps nothing."""

    thought = 0.0

    def __init__(self, modules: Callable[[str], ModuleText]) -> None:
        self._modules = modules
        self._calls: deque[ToolCall] = deque()

    def submit(self, call: ToolCall) -> None:
        self._calls.append(call)

    async def next(self, waiting: Waiting) -> Delivery:
        if self._calls:
            call = self._calls.popleft()
            return Answered(call=call.id, result=ToolAnswer(value=call.args[0]), now=STARTED)
        return Stop(limit="seconds") if waiting.timeout is None else TimerDue(now=STARTED)

    async def module(self, name: str) -> ModuleText:
        return self._modules(name)

    def output(self, chunk: OutputChunk) -> None:
        pass

    def keep(self, content: bytes, content_type: str) -> BlobRef:
        return blob_ref(content, content_type)


def spec() -> SessionSpec:
    """How each measured session begins."""
    return SessionSpec(seed=SEED, started=STARTED)


def program(source: str, seconds: float | None = 60.0) -> Program:
    """A program as the loop would send it."""
    return Program(source=source, step=1, now=STARTED, seconds=seconds)


async def run(session: Session, source: str, host: AnswersAtOnce, seconds: float = 60.0) -> Outcome:
    """Run a program, and refuse to measure one that failed."""
    outcome = await session.run(program(source, seconds), host)
    return checked(outcome)


def checked(outcome: Outcome) -> Outcome:
    """A figure of something that went wrong is no figure."""
    if outcome.status != "done":
        raise AssertionError(f"a measured program ended as {outcome.status}: {outcome.error}")
    return outcome
