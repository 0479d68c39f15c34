"""What a source of tools must do."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from actum.records.calls import ToolAnswer, ToolFailure, ToolRefusal
from actum.records.run_events import SourceRecord
from actum.records.tools import ToolSpec


class Source(Protocol):
    """Tools that come from one place."""

    name: str
    """As policies name it: `tools.py`, `github`."""

    def record(self) -> SourceRecord:
        """What `run.start` keeps of it, so that a resume can open it again."""
        ...

    async def tools(self) -> Sequence[ToolSpec]:
        """Everything it has."""
        ...

    def check(
        self, tool: str, args: Sequence[object], kwargs: dict[str, object]
    ) -> dict[str, object]:
        """The arguments by name, defaults filled in, each of the type that the tool asks for.

        Raises `BadArguments` with every wrong, missing and unknown argument at once.
        """
        ...

    async def call(
        self, tool: str, arguments: dict[str, object], key: str
    ) -> ToolAnswer | ToolFailure:
        """Do it. Never raises for what the tool did wrong."""
        ...

    async def close(self) -> None:
        """Let go of what it holds."""
        ...


@runtime_checkable
class JudgesCalls(Protocol):
    """A source that knows more of a call than its tool says: what this one changes, or that it may not leave."""

    def spec_for(self, tool: str, arguments: dict[str, object]) -> ToolSpec:
        """The tool as it is for a call with these checked arguments."""
        ...

    def refusal(self, tool: str, arguments: dict[str, object]) -> ToolRefusal | None:
        """Why this call never leaves, whatever the rules say. None where it may."""
        ...
