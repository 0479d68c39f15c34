"""Frames between the host and a guest, as the host writes and reads them.

A frame is two lengths of four bytes, a JSON header and a body of raw bytes. Bytes within a value
are marked `{"$bytes": [offset, size]}` on the wire and `{"$bytes": base64}` in the record.
Whatever a guest sends is hostile until it is decoded here; what does not decode ends the session.
"""

import binascii
import struct
from typing import Annotated, Literal

import msgspec

from actum.places.marks import ProtocolBroken, from_body, to_body
from actum.places.results import MOST_TABLES, is_svg, is_table, size_of_png
from actum.records.calls import CallResult, ToolAnswer
from actum.records.outcomes import Outcome, Table
from actum.records.sessions import Answered, Interrupted, ModuleText, Program, SessionSpec, TimerDue
from actum.records.values import BYTES_MARK, JSON

LENGTHS = struct.Struct("!II")
LONGEST = 16 << 20
MARK_TEXT = f'"{BYTES_MARK}"'.encode()
MARK_SIGN = b'"$'
ESCAPE = b"\\u"


# No column of the record holds more.
Count = Annotated[int, msgspec.Meta(le=2**53)]


class FromGuest(msgspec.Struct, frozen=True, tag_field="t", forbid_unknown_fields=True):
    """Anything that a guest may send."""


class Ready(FromGuest, frozen=True, tag="ready"):
    """The session waits for its first program."""


class Called(FromGuest, frozen=True, tag="call"):
    """A call of a tool; the program goes on."""

    number: Count
    tool: str
    args: tuple[JSON, ...] = ()
    kwargs: dict[str, JSON] = {}
    line: Count | None = None
    again: bool = False


class Waits(FromGuest, frozen=True, tag="wait"):
    """Every thread and task waits. `timeout` is when the next timer is due, in nanoseconds."""

    timeout: int | None = None


class WantsModule(FromGuest, frozen=True, tag="module"):
    """A program imports a tool module."""

    name: str


class Wrote(FromGuest, frozen=True, tag="output"):
    """Some text that the program printed."""

    stream: Literal["stdout", "stderr"]
    text: str


class Drew(FromGuest, frozen=True, tag="figure"):
    """The program drew a figure. The body holds the PNG, and behind it the SVG where there is one."""

    png: Count
    svg: Count = 0
    picture: bytes = b""
    """These two are put here by the host; what a guest writes here is dropped."""
    drawing: bytes = b""


class Done(FromGuest, frozen=True, tag="done"):
    """The program has ended."""

    outcome: Outcome


GuestFrame = Ready | Called | Waits | WantsModule | Wrote | Drew | Done
_DECODER = msgspec.json.Decoder(GuestFrame)
_PLAIN = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()


def begin(spec: SessionSpec) -> bytes:
    """The first frame: what decides how the session begins."""
    body: list[bytes] = []
    given: list[JSON] = []
    for one in spec.given:
        place: JSON = {BYTES_MARK: [sum(map(len, body)), len(one.content)]}
        given.append({"name": one.name, "kind": one.kind, "content": place})
        body.append(one.content)
    return packed(
        _ENCODER.encode(
            {
                "t": "begin",
                "seed": spec.seed,
                "started": spec.started,
                "root": spec.tools_root,
                "output_bytes": spec.limits.output_bytes,
                "calls": spec.limits.calls,
                "folders": [mount.name for mount in spec.mounts],
                "imports": None if spec.imports is None else list(spec.imports),
                "given": given,
            }
        ),
        b"".join(body),
    )


def run(program: Program) -> bytes:
    """Run this program."""
    return frame(
        {
            "t": "run",
            "step": program.step,
            "now": program.now,
            "source": program.source,
            "name": program.name,
        }
    )


def deliver(delivery: Answered | TimerDue | Interrupted) -> bytes:
    """The one thing that happens next."""
    match delivery:
        case Answered():
            return answered(delivery)
        case TimerDue():
            return frame({"t": "timer", "now": delivery.now})
        case Interrupted():
            return frame({"t": "interrupt", "now": delivery.now})


def module(text: ModuleText) -> bytes:
    """The answer to an import."""
    return frame({"t": "module", "text": text.text, "problem": text.problem})


def answered(delivery: Answered) -> bytes:
    """A call is back; bytes in its value go into the body."""
    header = {
        "t": "answered",
        "call": delivery.call,
        "result": delivery.result,
        "now": delivery.now,
    }
    encoded = _ENCODER.encode(header)
    if MARK_TEXT not in encoded or not isinstance(delivery.result, ToolAnswer):
        return packed(encoded, b"")
    body: list[bytes] = []
    # A call's result may hold any struct that the records know; on the wire it is plain data.
    value = to_body(_PLAIN.decode(_ENCODER.encode(delivery.result.value)), body)
    result: CallResult = ToolAnswer(value=value)
    return packed(_ENCODER.encode({**header, "result": result}), b"".join(body))


def frame(header: dict[str, JSON]) -> bytes:
    """A frame without a body."""
    return packed(_ENCODER.encode(header), b"")


def packed(header: bytes, body: bytes) -> bytes:
    """A frame from its parts."""
    return LENGTHS.pack(len(header), len(body)) + header + body


class Reader:
    """Collects bytes and gives back frames. Holds no more than one frame may be long."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def __bool__(self) -> bool:
        return bool(self._kept)

    def feed(self, received: bytes | memoryview) -> None:
        """Take bytes as they came."""
        self._kept += received

    def next(self) -> GuestFrame | None:
        """The next whole frame; None where there is none yet. Raises `ProtocolBroken`."""
        kept = self._kept
        if len(kept) < LENGTHS.size:
            return None
        header_size, body_size = LENGTHS.unpack_from(kept)
        if header_size > LONGEST or body_size > LONGEST:
            raise ProtocolBroken(f"it announced a frame of {header_size + body_size:,} bytes")
        end = LENGTHS.size + header_size + body_size
        if len(kept) < end:
            return None
        whole = bytes(kept[LENGTHS.size : end])
        del kept[:end]
        return decoded(whole[:header_size], memoryview(whole)[header_size:])


def decoded(header: bytes, body: memoryview) -> GuestFrame:
    """A frame as what it says it is."""
    try:
        read = _DECODER.decode(header)
        shows = isinstance(read, Drew) or (isinstance(read, Done) and read.outcome.tables)
        if body or shows or MARK_SIGN in header or ESCAPE in header:
            read = with_bytes(read, body)
    except (
        msgspec.DecodeError,
        RecursionError,
        binascii.Error,
        ValueError,
        OverflowError,
    ) as wrong:
        raise ProtocolBroken(f"it sent a frame that cannot be read: {str(wrong)[:200]}") from None
    return read


def with_bytes(read: GuestFrame, body: memoryview) -> GuestFrame:
    """The same frame with its bytes in place."""
    match read:
        case Called():
            args = tuple(from_body(argument, body) for argument in read.args)
            kwargs = {name: from_body(value, body) for name, value in read.kwargs.items()}
            return msgspec.structs.replace(read, args=args, kwargs=kwargs)
        case Drew():
            return drawn(read, body)
        case Done():
            value = from_body(read.outcome.value, body)
            tables = tables_with_bytes(read.outcome.tables, body)
            outcome = msgspec.structs.replace(read.outcome, value=value, tables=tables)
            return msgspec.structs.replace(read, outcome=outcome)
        case _ if body:
            raise ProtocolBroken("it sent bytes with a frame that has none")
        case _:
            return read


def drawn(read: Drew, body: memoryview) -> Drew:
    """The same with its pictures, where they are some."""
    picture, drawing = bytes(body[: read.png]), bytes(body[read.png :])
    if read.png < 1 or (len(picture), len(drawing)) != (read.png, read.svg):
        raise ProtocolBroken("it drew a figure of another size than it says")
    if size_of_png(picture) is None or (drawing and not is_svg(drawing)):
        raise ProtocolBroken("it drew a figure that is no picture")
    return msgspec.structs.replace(read, picture=picture, drawing=drawing)


def tables_with_bytes(tables: tuple[Table, ...], body: memoryview) -> tuple[Table, ...]:
    """The same with bytes in their cells, where they are tables."""
    if len(tables) > MOST_TABLES or not all(map(is_table, tables)):
        raise ProtocolBroken("it showed a table that is none")
    return tuple(
        msgspec.structs.replace(
            table,
            rows=tuple(tuple(from_body(cell, body) for cell in row) for row in table.rows),
        )
        for table in tables
    )
