"""What a place must do, and what it may ask of us while a program runs."""

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from actum.records.calls import ToolCall
from actum.records.outcomes import Outcome
from actum.records.sessions import (
    Delivery,
    Environment,
    ModuleText,
    OutputChunk,
    Program,
    SessionSpec,
    Waiting,
)
from actum.records.values import BlobRef

Capability = Literal["cpython", "mounts", "packages", "records", "threads"]
"""What a place can do beyond what every place can.

`cpython`: all of the language and its library, native code and system calls included. `mounts`:
folders of the host, read-only. `packages`: what is installed, and sets of packages. `records`:
results of tools have attributes. `threads`.
"""


class Host(Protocol):
    """The only way out of a program. One host serves one session at a time.

    What it raises ends the session and comes out of `Session.run` as it is.
    """

    @property
    def thought(self) -> float:
        """Seconds that people have taken so far: they do not count against the program."""
        ...

    def submit(self, call: ToolCall) -> None:
        """Take a call; the program goes on at once."""
        ...

    async def next(self, waiting: Waiting) -> Delivery:
        """Choose and record the one thing that happens next. Asked only when the program is quiescent.

        Waits no longer than `waiting.left`, people's time apart, and answers `Stop` then.
        """
        ...

    async def module(self, name: str) -> ModuleText:
        """The text of a tool module at its import. `""` is the root itself."""
        ...

    def output(self, chunk: OutputChunk) -> None:
        """Take what the program wrote."""
        ...

    def keep(self, content: bytes, content_type: str) -> BlobRef:
        """Take bytes that the program made, and give them the name under which they are recorded."""
        ...


class LeftFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that programs left under `out/`."""

    name: str
    """Its path below `out/`."""
    sha256: str = ""
    size: int = 0
    content: bytes | None = None
    """None where it is as it was at the last look, or there is a problem."""
    problem: str = ""
    """Why its content does not come: it is a link, or too large."""


class Session(Protocol):
    """A live sandbox with its variables, belonging to one run."""

    async def run(self, program: Program, host: Host) -> Outcome:
        """Run one program to its end.

        After an outcome of `killed`, or `Stop`, the session is closed and its variables are gone.
        Raises `SandboxLost` where the machine behind it is gone, never for what the program did.
        """
        ...

    async def left(self) -> Sequence[LeftFile]:
        """The files under `out/` as they are now, sorted by name. Empty after a kill."""
        ...

    def kill(self) -> None:
        """End the running program where it stands; its outcome is `killed`. For a grace time that ran out."""
        ...

    async def close(self) -> None:
        """End it, with everything in it. May be called twice."""
        ...


class Place(Protocol):
    """A kind of sandbox, as the user types its name."""

    name: str

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it can do beyond what every place can."""
        ...

    async def environment(self) -> Environment:
        """What sessions of this place run in. Raises `NoWall` where it cannot hold a program here."""
        ...

    async def open(self, spec: SessionSpec) -> Session:
        """A fresh session. Equal specs in an equal environment begin bit by bit equal."""
        ...

    async def close(self) -> None:
        """End every session and whatever stands behind them."""
        ...
