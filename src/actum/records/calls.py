"""One call of a tool, and the three ways it can come back."""

from typing import Literal

import msgspec

from actum.records.values import JSON

Caller = Literal["code", "direct", "sub-agent"]


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call as the program or the model made it; nothing in it has been checked yet."""

    step: int
    number: int
    """Counted within the step, by the side that calls."""
    tool: str
    args: tuple[JSON, ...] = ()
    kwargs: dict[str, JSON] = {}
    line: int | None = None
    caller: Caller = "code"
    again: bool = False
    """Do it, also where the ledger has it as done."""

    @property
    def id(self) -> str:
        """`2.7`: call 7 of step 2. Unique in a run."""
        return f"{self.step}.{self.number}"


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True, tag="answer"):
    """The tool did its work."""

    value: JSON = None


class ToolFailure(msgspec.Struct, frozen=True, kw_only=True, tag="failure", omit_defaults=True):
    """The call was wrong, or the tool failed. The caller can read it and act on it."""

    message: str
    status: str = "failed"
    """`arguments`, `unknown`, `failed`, `timeout`, `cancelled`, `result`."""
    retryable: bool = False


class ToolRefusal(msgspec.Struct, frozen=True, kw_only=True, tag="refusal", omit_defaults=True):
    """The call was not let through. `rule` names what refused it, `hint` what to do instead."""

    message: str
    rule: str = ""
    hint: str = ""
    ends_run: bool = False
    """A budget that ran out cannot be caught: the program and the run end."""


CallResult = ToolAnswer | ToolFailure | ToolRefusal
