"""What a model can want to do on one turn. A closed union: a sixth breaks the type check."""

from typing import Literal

import msgspec

from actum.records.values import JSON

FormatName = Literal["code", "json", "auto"]


class RunCode(msgspec.Struct, frozen=True, tag="code", omit_defaults=True):
    """Run this program."""

    program: str
    thought: str = ""
    call_id: str | None = None
    """The native call that carried the program, where there was one."""


class WantedCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call that a model asked for by JSON."""

    id: str
    tool: str
    arguments: dict[str, JSON]


class CallTools(msgspec.Struct, frozen=True, tag="calls", omit_defaults=True):
    """Call these tools, side by side."""

    calls: tuple[WantedCall, ...]
    thought: str = ""


class Finish(msgspec.Struct, frozen=True, tag="finish"):
    """End the run with this value."""

    value: JSON


class Say(msgspec.Struct, frozen=True, tag="say"):
    """Words and nothing else: the answer, where free text is one."""

    text: str


class Unreadable(msgspec.Struct, frozen=True, tag="unreadable", omit_defaults=True):
    """Not understood. `message` tells the model what to write instead."""

    message: str
    call_ids: tuple[str, ...] = ()


Action = RunCode | CallTools | Finish | Say | Unreadable
