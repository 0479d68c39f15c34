"""What a model must do."""

from collections.abc import AsyncIterator
from typing import Literal, Protocol

import msgspec

from actum.records.messages import Message, NativeCall, Opaque, Usage
from actum.records.values import JSON

StopReason = Literal["end", "calls", "length", "refusal", "stop_sequence", "other"]


class NativeTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool in the form that providers take: a name, a sentence, a schema."""

    name: str
    description: str
    schema: dict[str, JSON]


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a model is asked with. The messages in front stay equal from turn to turn."""

    messages: tuple[Message, ...]
    tools: tuple[NativeTool, ...] = ()
    output_schema: dict[str, JSON] | None = None
    """Where set, the whole answer is one object of this schema."""
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    temperature: float | None = None


class TextDelta(msgspec.Struct, frozen=True):
    """More words of the answer."""

    text: str


class ThinkingDelta(msgspec.Struct, frozen=True):
    """More words of what the model thinks on the way; shown, not part of the answer."""

    text: str


class BlockDone(msgspec.Struct, frozen=True):
    """A whole native call, or a whole block that must go back unchanged."""

    block: NativeCall | Opaque


class UsageSeen(msgspec.Struct, frozen=True):
    """What the provider says was used, as of now."""

    usage: Usage


class ReplyEnd(msgspec.Struct, frozen=True):
    """The answer is whole. A stream that ends without this was cut."""

    stop: StopReason
    model: str = ""
    id: str = ""


ModelEvent = TextDelta | ThinkingDelta | BlockDone | UsageSeen | ReplyEnd


class Model(Protocol):
    """Any object with these keeps the contract."""

    name: str
    """`provider:name`, as a user types it and as the record keeps it."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask. Raises `ModelFailed` where there is no answer to be had."""
        ...
