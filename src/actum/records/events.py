"""Every fact that a run can record. The host alone writes them; all else is read from them.

An event is a row: number, kind, place in the run, time, body. Its body is one of the structs below.
A kind that this version does not know is kept as it is and shown as it is.
"""

from typing import Literal

import msgspec

from actum.records.actions import Action
from actum.records.call_events import (
    ApprovalDecision,
    ApprovalRequest,
    ToolAttempted,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.event_bodies import Body
from actum.records.file_events import Artifact, InputOpened, Mounted
from actum.records.messages import Message, Reply
from actum.records.outcomes import Outcome
from actum.records.run_events import Divergence, Replied, RunEnd, RunPause, RunResume, RunStart
from actum.records.values import JSON


class ModelRequest(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A question to the model. Messages stand once, in the request that first sends them."""

    kind = "model.request"

    model: str
    digest: str
    added: tuple[Message, ...] = ()
    """Messages that no earlier request of this run has sent."""
    count: int = 0
    parameters: dict[str, JSON] = msgspec.field(default_factory=dict[str, JSON])


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


class TimerFired(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A timer of the program was due."""

    kind = "timer"


class ProgramInterrupted(Body, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody stopped the program at a quiescent point."""

    kind = "interrupt"


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


class Newer(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A kind from another version of actum, as it stands in the file."""

    kind = "newer"

    fields: dict[str, JSON] = msgspec.field(default_factory=dict[str, JSON])


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
    | Mounted
    | InputOpened
    | Artifact
    | RunPause
    | RunResume
    | Replied
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
