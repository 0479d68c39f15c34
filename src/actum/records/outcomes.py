"""What comes back from one program."""

from typing import Literal

import msgspec

from actum.records.values import JSON, BlobRef

OutcomeStatus = Literal["done", "finished", "failed", "interrupted", "killed"]
Limit = Literal["seconds", "cpu", "memory", "output", "disk", "threads", "calls"]


class Frame(msgspec.Struct, frozen=True):
    """One frame of the program's own traceback."""

    line: int
    function: str
    source: str


class ProgramError(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong in a program, in terms of the program."""

    type: str
    message: str
    line: int | None = None
    frames: tuple[Frame, ...] = ()
    names: dict[str, str] = {}
    """The names on the failing line, each with a short text of its value."""
    rule: str = ""
    """Set where an uncaught refusal ended the program."""


class Figure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A picture that a program drew."""

    png: BlobRef
    width: int
    height: int
    svg: BlobRef | None = None
    """The same without pixels, where it is small enough to be kept."""


class Column(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One column of a table."""

    name: str
    type: str = ""
    """As the library says it: `float64`."""


class Table(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first rows of a table, and how large all of it is."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[JSON, ...], ...]
    row_count: int
    column_count: int
    """Of the whole table, without its index."""
    index: int = 0
    """So many columns in front are the index."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a program ended. A program that was killed has had no effect on the variables."""

    status: OutcomeStatus
    value: JSON = None
    """Of the last expression, or what `finish` was given, where it is data."""
    shown: str | None = None
    """A short text of the value, as the model sees it."""
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    error: ProgramError | None = None
    limit: Limit | None = None
    """The limit that killed it, where one did."""
    exit_code: int | None = None
    """Of `sys.exit`, `os._exit` or the signal (128 + n) that ended the process."""
    open_calls: int = 0
    """Calls that were still under way when it ended."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    replayable: bool = True
    """False where threads outside the scheduler ran: replayable from results only."""
