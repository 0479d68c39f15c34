"""The events with which a run begins, pauses, goes on and ends."""

from typing import Literal

import msgspec

from actum.records.actions import FormatName
from actum.records.event_bodies import Body
from actum.records.messages import Usage
from actum.records.policies import RuleSet
from actum.records.sessions import Environment, GivenKind, Level, Limits, Mount
from actum.records.tools import ToolSpec
from actum.records.values import JSON, BlobRef

FORMAT = 1
RunStatus = Literal["done", "failed", "denied", "limit", "paused", "cancelled", "running", "broken"]


class SourceRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where tools came from, so that a resume can open it again."""

    kind: Literal["file", "process"]
    alias: str = ""
    path: str = ""
    sha256: str = ""


class GivenRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A variable or a file that was handed in with the task."""

    name: str
    kind: GivenKind
    summary: str
    """What the model is told of it: its type, and how large it is."""
    blob: BlobRef


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
    budget: dict[str, JSON] = msgspec.field(default_factory=dict[str, JSON])
    limits: Limits = Limits()
    minimum_level: Level | None = None
    mounts: tuple[Mount, ...] = ()
    given: tuple[GivenRecord, ...] = ()
    """Variables and files that the sessions of the run begin with."""
    network: tuple[str, ...] = ()
    """Hosts that programs may reach by HTTP."""
    network_by_hand: tuple[str, ...] = ()
    """Those of them that were named for this run alone, in no file."""
    packages: tuple[str, ...] = ()
    imports: tuple[str, ...] | None = None
    """What programs may import beside the standard library; None: whatever is installed."""
    tools_root: str = "tools"
    policy: tuple[RuleSet, ...] = ()
    folder: str = ""
    sources: tuple[SourceRecord, ...] = ()
    manifest: str = ""
    """What the model was shown of the tools at the start."""
    discovery: Literal["auto", "all"] = "auto"
    direct: tuple[ToolSpec, ...] = ()
    """The tools that the model was given as native calls."""
    no_wait: bool = False
    images: tuple[BlobRef, ...] = ()
    """Pictures that came with the task."""
    parent: Origin | None = None


class RunPause(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The run waits for a person; its process may end."""

    kind = "run.pause"

    reason: str = ""


class RunResume(Body, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody goes on with the run."""

    kind = "run.resume"

    actum: str = ""
    notes: tuple[str, ...] = ()
    sources: tuple[SourceRecord, ...] = ()
    """The tools files as they are now, where they changed: what was approved before is asked again."""


class Replied(Body, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody answered the run after it had ended: the same conversation goes on."""

    kind = "reply"

    text: str


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
