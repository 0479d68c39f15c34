"""Every fact that a run can record. The host alone writes them; all else is read from them.

An event is a row: number, kind, place in the run, time, body. Its body is one of the structs below.
A kind that this version does not know is kept as it is and shown as it is.
"""

from typing import ClassVar, Literal

import msgspec

from actum.records.actions import Action, FormatName
from actum.records.calls import Caller
from actum.records.messages import Message, Reply, Usage
from actum.records.outcomes import Outcome
from actum.records.policies import RuleSet
from actum.records.sessions import Environment, Level, Limits
from actum.records.tools import Effect, ToolSpec
from actum.records.values import JSON, BlobRef

FORMAT = 1
RunStatus = Literal["done", "failed", "denied", "limit", "paused", "cancelled", "running", "broken"]


class Body(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an event says beside its place."""

    kind: ClassVar[str] = ""


class SourceRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where tools came from, so that a resume can open it again."""

    kind: Literal["file", "process"]
    alias: str = ""
    path: str = ""
    sha256: str = ""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The point of another run that this one goes on from."""

    run: str
    seq: int
    head: str


class RunStart(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The whole specification of the run, as data."""

    kind = "run.start"

    format: int = FORMAT
    actum: str = ""
    run: str = ""
    task: str = ""
    entry: Literal["task", "program"] = "task"
    principal: str | None = None
    seed: str = ""
    environment: Environment | None = None
    model: str | None = None
    action_format: FormatName = "code"
    instructions: str = ""
    output_schema: dict[str, JSON] | None = None
    budget: dict[str, JSON] = {}
    limits: Limits = Limits()
    minimum_level: Level | None = None
    mounts: tuple[str, ...] = ()
    network: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    tools_root: str = "tools"
    policy: tuple[RuleSet, ...] = ()
    folder: str = ""
    sources: tuple[SourceRecord, ...] = ()
    manifest: str = ""
    """What the model was shown of the tools at the start."""
    direct: tuple[ToolSpec, ...] = ()
    """The tools that the model was given as native calls."""
    no_wait: bool = False
    parent: Origin | None = None


class ModelRequest(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A question to the model. Messages stand once, in the request that first sends them."""

    kind = "model.request"

    model: str
    digest: str
    added: tuple[Message, ...] = ()
    """Messages that no earlier request of this run has sent."""
    count: int = 0
    parameters: dict[str, JSON] = {}


class ModelResponse(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The model's answer, whole."""

    kind = "model.response"

    reply: Reply


class ActionStart(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The action of a step, as it was read."""

    kind = "action.start"

    action: Action


class ModuleLoad(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A program imported a tool module and was given this text."""

    kind = "module.load"

    name: str
    text: str = ""
    problem: str = ""


class ToolCalled(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A program or a model made a call. Nothing has left yet."""

    kind = "tool.call"

    number: int
    tool: str
    args: tuple[JSON, ...] = ()
    kwargs: dict[str, JSON] = {}
    effect: Effect | None = None
    key: str = ""
    """The idempotency key: the same in replay and resume, new in a fork."""
    caller: Caller = "code"


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


class TimerFired(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A timer of the program was due."""

    kind = "timer"


class ProgramInterrupted(Body, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody stopped the program at a quiescent point."""

    kind = "interrupt"


class PendingRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One row that waits for a person."""

    call: str
    tool: str
    arguments: dict[str, JSON] = {}
    effect: Effect = "write"
    line: int | None = None
    rule: str = ""
    why: str = ""
    kind: Literal["approval", "unknown", "question"] = "approval"


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
    comment: str = ""


class Output(Body, frozen=True, kw_only=True, omit_defaults=True):
    """Text that the program wrote since the last event."""

    kind = "output"

    stream: Literal["stdout", "stderr"]
    text: str


class ActionEnd(Body, frozen=True, kw_only=True, omit_defaults=True):
    """How the action ended, and what the model is told."""

    kind = "action.end"

    outcome: Outcome | None = None
    observation: str = ""


class Artifact(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A file that the program left."""

    kind = "artifact"

    name: str
    blob: BlobRef


class RunPause(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The run waits for a person; its process may end."""

    kind = "run.pause"

    reason: str = ""


class RunResume(Body, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody goes on with the run."""

    kind = "run.resume"

    actum: str = ""
    notes: tuple[str, ...] = ()


class Divergence(Body, frozen=True, kw_only=True, omit_defaults=True):
    """Re-execution did something else than the record says."""

    kind = "divergence"

    at: int
    recorded: str
    replayed: str


class RunEnd(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The run is over."""

    kind = "run.end"

    status: RunStatus
    output: JSON = None
    reason: str = ""
    exit: int = 0
    usage: Usage = Usage()


class Newer(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A kind from another version of actum, as it stands in the file."""

    kind = "newer"

    fields: dict[str, JSON] = {}


KnownBody = (
    RunStart
    | ModelRequest
    | ModelResponse
    | ActionStart
    | ModuleLoad
    | ToolCalled
    | ToolAttempted
    | ToolResult
    | ToolErred
    | ToolRefused
    | TimerFired
    | ProgramInterrupted
    | ApprovalRequest
    | ApprovalDecision
    | Output
    | ActionEnd
    | Artifact
    | RunPause
    | RunResume
    | Divergence
    | RunEnd
)
AnyBody = KnownBody | Newer

BODIES: dict[str, type[KnownBody]] = {body.kind: body for body in KnownBody.__args__}
_DECODERS = {kind: msgspec.json.Decoder(body) for kind, body in BODIES.items()}
_FIELDS = msgspec.json.Decoder(dict[str, JSON])
_ENCODER = msgspec.json.Encoder()


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """An event before the journal has given it its number."""

    body: AnyBody
    parent: int | None = None
    step: int | None = None
    line: int | None = None
    time: int | None = None
    """Nanoseconds since 1970; the journal's own clock where it is None."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a run."""

    seq: int
    kind: str
    parent: int | None
    step: int | None
    line: int | None
    time: int
    text: str
    """The body as it stands in the file: this text is what the hash covers."""
    body: AnyBody
    hash: str
    """The head of the chain after this event."""


def encode_body(body: AnyBody) -> str:
    """The one text of a body: fields in their order, no spaces, keys of data in the order they came."""
    fields = body.fields if isinstance(body, Newer) else body
    return _ENCODER.encode(fields).decode()


def decode_body(kind: str, text: str) -> AnyBody:
    """The body behind a row's text. Raises `msgspec.MsgspecError` where it is not one."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        return Newer(fields=_FIELDS.decode(text))
    return decoder.decode(text)
