"""What a place is told about a session, and what crosses its wall while a program runs."""

from typing import Literal

import msgspec

from actum.records.calls import ToolAnswer, ToolFailure, ToolRefusal
from actum.records.outcomes import Limit
from actum.records.values import JSON

Level = Literal["full", "landlock", "subset", "remote"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one program may use. Enforced from outside."""

    seconds: float = 60.0
    memory_mb: int = 1024
    disk_mb: int = 64
    output_bytes: int = 1_000_000
    calls: int = 1000
    input_file_mb: int = 8
    """A file that a program opens is kept in the record up to this size."""
    input_run_mb: int = 64
    """And all of them together up to this."""


class Mount(msgspec.Struct, frozen=True, omit_defaults=True):
    """A folder that programs may read. It stands in their working folder, under its name."""

    path: str
    name: str = ""
    """The last part of the path, where nothing else is said."""


GivenKind = Literal["data", "bytes", "table", "array", "file"]


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a session begins with: a variable, or a file in its working folder."""

    name: str
    kind: GivenKind
    content: bytes
    """Of data, JSON with our marks; of arrays and tables, their description and then their bytes."""


class SessionSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that decides how a session begins. Equal specs begin equal."""

    seed: str
    started: int
    """Nanoseconds since 1970: where the session's clock begins."""
    tools_root: str = "tools"
    limits: Limits = Limits()
    minimum_level: Level | None = None
    preload: tuple[str, ...] = ()
    mounts: tuple[Mount, ...] = ()
    """Each with its name. Where they lie on the host is not seen from inside."""
    given: tuple[Given, ...] = ()
    imports: tuple[str, ...] | None = None
    """What programs may import beside the standard library. A convenience, and no wall."""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """The source text of one action."""

    source: str
    step: int
    now: int
    name: str = "<program>"
    seconds: float | None = None
    """The time it may take; None where it is re-executed and is known to end."""


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """The program is quiescent: every thread and task waits. `timeout` is the next timer's, in ns."""

    timeout: int | None = None
    left: float | None = None
    """Seconds that the program may still take; None where nothing limits it."""


class Answered(msgspec.Struct, frozen=True, kw_only=True, tag="answered"):
    """A call is back."""

    call: str
    result: ToolAnswer | ToolFailure | ToolRefusal
    now: int


class TimerDue(msgspec.Struct, frozen=True, kw_only=True, tag="timer"):
    """The next timer is due."""

    now: int


class Interrupted(msgspec.Struct, frozen=True, kw_only=True, tag="interrupt"):
    """Somebody wants the program to stop: KeyboardInterrupt in its main thread."""

    now: int


class Stop(msgspec.Struct, frozen=True, kw_only=True, tag="stop"):
    """The program ends here and now: a limit is reached, or a budget that cannot be caught."""

    limit: Limit | None = None
    message: str = ""


Delivery = Answered | TimerDue | Interrupted | Stop


class OutputChunk(msgspec.Struct, frozen=True):
    """Some text that the program wrote."""

    stream: Literal["stdout", "stderr"]
    text: str


class ModuleText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to an import below the tools root: its text, or why there is none."""

    text: str = ""
    problem: str = ""


class Environment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a session runs in. Equal `id` means: a record made in one replays in the other."""

    id: str
    place: str
    level: Level
    python: str
    layers: dict[str, str] = {}
    details: dict[str, JSON] = {}
