"""The chain that binds each event to the one before it."""

import hashlib
import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from actum.records.events import AnyBody, Draft, Event, Newer, decode_body, encode_body
from actum.records.run_events import FORMAT
from actum.records.values import JSON

Mask = Callable[[str], str]
RawRow = tuple[object, ...]
"""A row as the file gives it: nothing in it can be trusted."""

_ENCODE = msgspec.json.Encoder().encode
_FIELDS = msgspec.json.Decoder(dict[str, JSON])
_SMALLEST = -(2**63)
_LARGEST = 2**63 - 1


class Row(NamedTuple):
    """Every column of an event that its hash covers."""

    seq: int
    kind: str
    parent: int | None
    step: int | None
    line: int | None
    time: int
    text: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a record. `seq` is None where no single event can be named."""

    seq: int | None
    kind: str | None
    what: str


def first_link(run: str) -> str:
    """What stands before the first event: a constant of the format, bound to the run."""
    return hashlib.sha256(_ENCODE(("actum", FORMAT, run))).hexdigest()


def link(previous: str, row: Row) -> str:
    """SHA-256 of the JSON array of the hash before and every column, without spaces."""
    return hashlib.sha256(_ENCODE((previous, *row))).hexdigest()


def unmasked(text: str) -> str:
    """The mask of a store that hides nothing."""
    return text


class Chain:
    """Where a record stands: its run, its last number, its last time and its head."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.seq: int = 0
        self.time: int = 0
        self.head: str = first_link(run)

    def restart(self) -> None:
        """Stand before the first event again."""
        self.seq = 0
        self.time = 0
        self.head = first_link(self.run)

    def add(self, draft: Draft, mask: Mask = unmasked) -> Event:
        """Number a draft, give it its time and bind it. Raises ValueError where it cannot be kept."""
        body = draft.body
        kind = body.kind
        text = encode_body(body)
        masked = mask(text)
        if masked != text:
            body = readable_body(kind, masked)
        moment = time.time_ns() if draft.time is None else draft.time
        # Two events never share a time, and a clock that is set back does not turn the record round.
        moment = max(moment, self.time + 1)
        row = Row(self.seq + 1, kind, draft.parent, draft.step, draft.line, moment, masked)
        _refuse_what_no_column_holds(row)
        return self._advance(row, body, link(self.head, row))

    def follow(self, raw: RawRow) -> Row | Problem:
        """Go on by one row of the file, or say why it does not belong there."""
        match raw:
            case (
                int(seq),
                str(kind),
                int() | None as parent,
                int() | None as step,
                int() | None as line,
                int(moment),
                str(text),
                str(stored),
            ):
                row = Row(seq, kind, parent, step, line, moment, text)
            case _:
                return self._mistyped(raw)
        if seq != self.seq + 1:
            return self._misplaced(seq, kind)
        try:
            head = link(self.head, row)
        except UnicodeEncodeError:
            return Problem(seq=seq, kind=kind, what="its text is not UTF-8")
        if head != stored:
            return Problem(seq=seq, kind=kind, what=self._mismatch(text))
        self.seq, self.time, self.head = seq, moment, head
        return row

    def _advance(self, row: Row, body: AnyBody, head: str) -> Event:
        self.seq, self.time, self.head = row.seq, row.time, head
        return event_of(row, body, head)

    def _mistyped(self, raw: RawRow) -> Problem:
        seq = raw[0] if raw and isinstance(raw[0], int) else self.seq + 1
        kind = raw[1] if len(raw) > 1 and isinstance(raw[1], str) else None
        return Problem(seq=seq, kind=kind, what="a column is empty or of the wrong type")

    def _misplaced(self, seq: int, kind: str) -> Problem:
        if seq <= self.seq:
            return Problem(seq=seq, kind=kind, what="its number is out of place")
        missing = self.seq + 1
        what = f"event {missing} is missing: {seq} stands in its place"
        return Problem(seq=missing, kind=None, what=what)

    def _mismatch(self, text: str) -> str:
        if self.seq == 0:
            named = _run_named_in(text)
            if named not in (None, self.run):
                return f"the file is named {self.run} but holds the run {named}"
        return "its content and its hash do not agree"


def event_of(row: Row, body: AnyBody, head: str) -> Event:
    """The event of a row that belongs."""
    return Event(
        seq=row.seq,
        kind=row.kind,
        parent=row.parent,
        step=row.step,
        line=row.line,
        time=row.time,
        text=row.text,
        body=body,
        hash=head,
    )


def readable_body(kind: str, text: str) -> AnyBody:
    """The body of a row; as plain fields where another version of actum wrote it otherwise."""
    try:
        return decode_body(kind, text)
    except msgspec.MsgspecError:
        return _as_plain_fields(kind, text)


def _as_plain_fields(kind: str, text: str) -> Newer:
    try:
        return Newer(fields=_FIELDS.decode(text))
    except msgspec.MsgspecError:
        return Newer(fields={"kind": kind, "text": text})


def _run_named_in(text: str) -> str | None:
    try:
        named = _FIELDS.decode(text).get("run")
    except msgspec.MsgspecError:
        return None
    return named if isinstance(named, str) else None


def _refuse_what_no_column_holds(row: Row) -> None:
    for name, value in (("parent", row.parent), ("step", row.step), ("line", row.line)):
        if value is not None and not _SMALLEST <= value <= _LARGEST:
            raise ValueError(f"{name} {value} of a {row.kind} is too large for the record")
    if row.time > _LARGEST:
        raise ValueError(f"the time {row.time} of a {row.kind} is too large for the record")
