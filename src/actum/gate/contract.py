"""The one shape of every guard, and what a call carries from one to the next."""

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

import msgspec

from actum.records.calls import CallResult, ToolCall
from actum.records.tools import ToolSpec

Verdict = Literal["allow", "deny", "ask"]


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules say of a call, and which rule it was."""

    decide: Verdict
    rule: str
    why: str = ""


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A call on its way through the gate. Each guard may hand on a changed copy."""

    call: ToolCall
    key: str
    """The idempotency key: the same however often the call is carried out."""
    spec: ToolSpec | None = None
    arguments: dict[str, object] = {}
    """By name, of the types that the tool asks for; empty before it is validated."""
    ruling: Ruling | None = None
    edited: bool = False
    """A person has changed the arguments."""

    @property
    def tool(self) -> ToolSpec:
        """The tool, once the call is validated."""
        if self.spec is None:
            raise LookupError(f"call {self.call.id} has not been validated")
        return self.spec


Proceed = Callable[[Passage], Awaitable[CallResult]]


class Guard(Protocol):
    """Let a call pass, change it, or answer it yourself."""

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Answer, by `proceed` or without."""
        ...


class AttemptLog(Protocol):
    """Where an attempt is written down before it leaves."""

    async def attempted(self, passage: Passage) -> None:
        """Record it; for anything but a read, on disk when this returns."""
        ...


def stack(*guards: Guard) -> Proceed:
    """One way through all of them, the first outermost."""
    way: Proceed = _end
    for guard in reversed(guards):
        way = _before(guard, way)
    return way


def _before(guard: Guard, way: Proceed) -> Proceed:
    async def pass_through(passage: Passage) -> CallResult:
        return await guard(passage, way)

    return pass_through


async def _end(passage: Passage) -> CallResult:
    raise LookupError(f"no guard carried out call {passage.call.id}")
