"""What an action format must do."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from actum.models.contract import NativeTool
from actum.records.actions import Action, FormatName
from actum.records.messages import Message, Reply
from actum.records.outcomes import Outcome
from actum.records.tools import ToolSpec
from actum.records.values import JSON, BlobRef


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """What a format may tell the model at the start. It does not grow with the number of tools."""

    manifest: str
    """The tools by module, with counts."""
    tools_root: str = "tools"
    instructions: str = ""
    """The user's own words about the agent."""
    output_schema: dict[str, JSON] | None = None
    """Where set, free text is no answer: `finish` takes a value of this schema."""
    packages: tuple[str, ...] = ()
    """Well-known packages that a program can import."""
    place_note: str = ""
    """What programs must know of a place that is not CPython."""
    network: tuple[str, ...] = ()
    """Hosts that a program may reach by HTTP."""
    folders: tuple[str, ...] = ()
    """What a program finds in its working folder: `here/ (read-only)`."""
    variables: tuple[str, ...] = ()
    """What programs begin with: `orders (list, 12 items)`."""
    direct: tuple[ToolSpec, ...] = ()
    """Tools that are native calls; filled for `json` and `auto`."""
    small_model: bool = False
    native_calls: bool = True
    """Whether the provider takes native tool calls."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What the model is told of one thing that it wanted."""

    text: str
    call_id: str | None = None
    """The native call that it answers, where there was one."""
    failed: bool = False
    images: tuple[BlobRef, ...] = ()
    """Pictures that go with it."""


class ActionFormat(Protocol):
    """Stateless: the same reply reads the same, whenever."""

    name: FormatName

    def system(self, brief: Brief) -> str:
        """The system text: stable over the whole run."""
        ...

    def native_tools(self, brief: Brief) -> tuple[NativeTool, ...]:
        """The tools that the provider is told of: stable over the whole run."""
        ...

    def read(self, reply: Reply, brief: Brief) -> Action:
        """What the model wants. Never raises: what cannot be read is `Unreadable`, with the way out."""
        ...

    def observation(self, outcome: Outcome, printed: str, notes: Sequence[str] = ()) -> str:
        """How a program ended, as the model is told it: what it printed, its value, its error."""
        ...

    def answer(self, told: Sequence[Told]) -> Message:
        """The message that tells the model what happened."""
        ...
