"""The events of tool calls, and of what people decide about them."""

from typing import Literal

import msgspec

from actum.records.calls import Caller
from actum.records.event_bodies import Body
from actum.records.tools import Effect
from actum.records.values import JSON


class ToolCalled(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A program or a model made a call. Nothing has left yet."""

    kind = "tool.call"

    number: int
    tool: str
    args: tuple[JSON, ...] = ()
    kwargs: dict[str, JSON] = msgspec.field(default_factory=dict[str, JSON])
    effect: Effect | None = None
    key: str = ""
    """The idempotency key: the same in replay and resume, new in a fork."""
    caller: Caller = "code"
    again: bool = False
    """Made by `.again(...)`: done, also where the ledger has it as done."""


class ToolAttempted(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The call is about to leave. For a write this is on disk before it does."""

    kind = "tool.attempt"

    number: int
    arguments: dict[str, JSON] | None = None
    """The arguments by name, where they are not as they were called (edited, defaults)."""


class ToolResult(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The call did its work. Delivered to the program in the order of the record."""

    kind = "tool.result"

    number: int
    value: JSON = None
    by: Literal["tool", "person", "ledger"] = "tool"
    first: str = ""
    """Of the ledger: the call that did it, as `2.7`."""


class ToolErred(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The call was wrong or the tool failed."""

    kind = "tool.error"

    number: int
    message: str
    status: str = "failed"
    retryable: bool = False
    by: Literal["tool", "gate", "person"] = "tool"


class ToolRefused(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The gate did not let the call through."""

    kind = "tool.refused"

    number: int
    message: str
    rule: str = ""
    hint: str = ""
    ends_run: bool = False


class PendingRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row that waits for a person."""

    call: str
    tool: str
    arguments: dict[str, JSON] = msgspec.field(default_factory=dict[str, JSON])
    effect: Effect = "write"
    line: int | None = None
    rule: str = ""
    why: str = ""
    kind: Literal["approval", "unknown", "question"] = "approval"
    scope: str = ""
    """What `rest` allows of the tool, where that is less than all of it."""


class ApprovalRequest(Body, frozen=True, kw_only=True, omit_defaults=True):
    """Rows that are put to a person together."""

    kind = "approval.request"

    rows: tuple[PendingRow, ...]


Decision = Literal["allow", "deny", "retry", "happened", "fail", "answer"]


class ApprovalDecision(Body, frozen=True, kw_only=True, omit_defaults=True):
    """What was decided about one row."""

    kind = "approval.decision"

    call: str
    decision: Decision
    tool: str = ""
    value: JSON = None
    """Of `happened` and `answer`."""
    arguments: dict[str, JSON] | None = None
    """The arguments as a person edited them."""
    by: str = ""
    """Who: the account, or the name of the callback."""
    how: str = ""
    """By what: `terminal`, `actum approve`, `callback`, `no-wait`, `rest`."""
    rest: bool = False
    """Allow later calls of the same tool in this program too."""
    scope: str = ""
    """Of the row: `rest` holds for calls of this scope."""
    comment: str = ""
