"""What is said between the model and the loop, in no provider's dialect."""

from typing import Literal

import msgspec

from actum.records.values import JSON, BlobRef


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What a request, or a run, has used. `usd` is None where the price is not known."""

    requests: int = 0
    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    usd: float | None = None
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Read and written together."""
        return self.input_tokens + self.output_tokens


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Words."""

    text: str


class Image(msgspec.Struct, frozen=True, tag="image"):
    """A picture, kept as a blob."""

    blob: BlobRef


class Opaque(msgspec.Struct, frozen=True, tag="opaque"):
    """A block that a provider wants back unchanged: thinking, signatures."""

    provider: str
    block: JSON


class NativeCall(msgspec.Struct, frozen=True, tag="call", omit_defaults=True):
    """A tool call in the provider's own form. `arguments` is the text that the model wrote."""

    id: str
    name: str
    arguments: str


class NativeResult(msgspec.Struct, frozen=True, tag="result", omit_defaults=True):
    """The answer to one native call."""

    id: str
    text: str
    failed: bool = False
    images: tuple[BlobRef, ...] = ()


Part = Text | Image | Opaque | NativeCall | NativeResult
Role = Literal["system", "user", "assistant"]


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of the conversation."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Its words alone."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))


def said(role: Role, text: str) -> Message:
    """A message of plain words."""
    return Message(role=role, parts=(Text(text),))


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came back from one request."""

    parts: tuple[Part, ...]
    stop: Literal["end", "calls", "length", "refusal", "stop_sequence", "other"] = "end"
    usage: Usage = Usage()
    model: str = ""
    id: str = ""

    @property
    def text(self) -> str:
        """Its words alone."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[NativeCall, ...]:
        """Its native tool calls."""
        return tuple(part for part in self.parts if isinstance(part, NativeCall))
