"""Values on their way through the wall: what crosses, in which words, and what does not.

Phase 2.
"""

import datetime
import decimal
import enum
import json
import math
import pathlib
import uuid
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

from actum.places.guest.records import Record

BYTES_MARK = "$bytes"
INTEGER_MARK = "$int"
FLOAT_MARK = "$float"
PAIRS_MARK = "$pairs"
SMALLEST = -(2**63)
LARGEST = 2**63 - 1
DEEPEST = 100

_text_of_header = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
).encode


UNLIMITED = 1 << 60
ITEM = 8
"""What an item counts for, beside its text."""


class DoesNotCross(TypeError):
    """A value that is not data."""


class _NotData(Exception):
    """Where in a value it stops being data; the path grows on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[str] = []


class Body:
    """The raw bytes of one frame, and how much the values beside them may still hold."""

    def __init__(self, room: int = UNLIMITED) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self._room = room

    def add(self, content: bytes) -> dict[str, Any]:
        """Put bytes into the body; what stands for them in the header."""
        place = [self.size, len(content)]
        self.parts.append(content)
        self.size += len(content)
        return {BYTES_MARK: place}

    def take(self, size: int) -> None:
        """Count what a value holds."""
        self._room -= size
        if self._room < 0:
            raise _NotData("is too large")


def header_text(header: dict[str, Any]) -> bytes:
    """A header as bytes. Every value in it has been through `encode` or is plain text."""
    return _text_of_header(header).encode()


def safe_text(text: str) -> str:
    """The text with what UTF-8 has no word for written out."""
    return text.encode("utf-8", "backslashreplace").decode()


def encode(value: Any, body: Body, where: str) -> Any:
    """The value in words of JSON and our marks. Raises `DoesNotCross`, naming `where`."""
    try:
        return _encode(value, body, 0)
    except _NotData as stop:
        place = where + "".join(reversed(stop.path))
        raise DoesNotCross(f"{place} {stop.problem}") from None


def _encode(value: Any, body: Body, depth: int) -> Any:
    kind = type(value)
    if kind is str:
        return _encode_text(value, body)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if SMALLEST <= value <= LARGEST else {INTEGER_MARK: str(value)}
    if kind is float:
        return value if math.isfinite(value) else {FLOAT_MARK: str(value)}
    if depth > DEEPEST:
        raise _NotData("is nested too deep, or holds itself")
    if isinstance(value, dict):
        return _encode_mapping(value, body, depth + 1)
    if isinstance(value, list | tuple):
        return _encode_items(value, body, depth + 1)
    return _encode_other(value, body, depth + 1)


def _encode_text(value: str, body: Body) -> str:
    body.take(len(value))
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise _NotData(
            f"holds half of a character (a lone surrogate at {error.start}); "
            "repair it with text.encode('utf-8', 'replace').decode()"
        ) from None
    return value


def _encode_items(value: Any, body: Body, depth: int) -> list[Any]:
    body.take(ITEM * len(value))
    encoded: list[Any] = []
    try:
        for item in value:
            encoded.append(_encode(item, body, depth))  # noqa: PERF401 (its length tells where)
    except _NotData as stop:
        stop.path.append(f"[{len(encoded)}]")
        raise
    return encoded


def _encode_mapping(value: dict[Any, Any], body: Body, depth: int) -> Any:
    body.take(ITEM * len(value))
    encoded: dict[str, Any] = {}
    key: Any = None
    try:
        for key, item in value.items():
            if type(key) is not str or key[:1] == "$":
                return {PAIRS_MARK: _encode_pairs(value, body, depth)}
            encoded[_encode_text(key, body)] = _encode(item, body, depth)
    except _NotData as stop:
        stop.path.append(f"[{key!r}]")
        raise
    return encoded


def _encode_pairs(value: dict[Any, Any], body: Body, depth: int) -> list[Any]:
    pairs: list[Any] = []
    for key, item in value.items():
        pairs.append([_encode(key, body, depth), _encode(item, body, depth)])
    return pairs


def _encode_other(value: Any, body: Body, depth: int) -> Any:
    plain = _plain(value, body)
    if isinstance(plain, bytes):
        body.take(len(plain))
        return body.add(plain)
    if plain is not value:
        return _encode(plain, body, depth)
    if hasattr(type(value), "__await__"):
        raise _NotData("has not been awaited; write: await ...")
    name = type(value).__name__
    raise _NotData(f"is {_article(name)} {name}: only plain data crosses to a tool")


def _plain(value: Any, body: Body) -> Any:
    """The same as plain data, one step; the value itself where there is none."""
    for kinds, convert in _CONVERSIONS:
        if isinstance(value, kinds):
            return convert(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    library = type(value).__module__.partition(".")[0]
    if library in ("numpy", "pandas", "polars"):
        body.take(ITEM * int(getattr(value, "size", 0) or 0))
    if library == "numpy":
        return _from_numpy(value)
    if library in ("pandas", "polars"):
        return _from_tables(value)
    return value


def _sorted_where_possible(value: Any) -> list[Any]:
    try:
        return sorted(value)
    except TypeError:
        return list(value)


def _iso_text(value: Any) -> str | None:
    # pandas.NaT is a datetime of no time, and crosses as none.
    return value.isoformat() if type(value).__name__ != "NaTType" else None


_CONVERSIONS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (enum.Enum, lambda value: value.value),
    ((bytes, bytearray, memoryview), bytes),
    ((datetime.date, datetime.time), _iso_text),
    ((decimal.Decimal, uuid.UUID, pathlib.PurePath), str),
    ((set, frozenset), _sorted_where_possible),
    # Subclasses; the exact types have been seen to before.
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
)


def _from_numpy(value: Any) -> Any:
    if not hasattr(value, "tolist"):
        return value
    if value.dtype.kind == "M":
        # As numbers they would lose what they are.
        return value.astype(str).tolist()
    return value.tolist()


def _from_tables(value: Any) -> Any:
    kind = type(value).__name__
    if kind == "DataFrame":
        if hasattr(value, "to_dicts"):
            return value.to_dicts()
        return value.to_dict(orient="records")
    if kind in ("Series", "Index"):
        return value.to_list()
    if kind == "NAType":
        return None
    return value


def _article(name: str) -> str:
    return "an" if name[:1].lower() in "aeiou" else "a"


def read_header(header: bytearray, body: bytearray) -> dict[str, Any]:
    """The header with values in place of the marks. Dictionaries come out as records."""

    def from_marks(found: dict[str, Any]) -> Any:
        if len(found) == 1:
            ((mark, content),) = found.items()
            if mark == BYTES_MARK:
                return bytes(body[content[0] : content[0] + content[1]])
            if mark == PAIRS_MARK:
                return Record((tuple(k) if isinstance(k, list) else k, v) for k, v in content)
            if mark == INTEGER_MARK:
                return int(content)
            if mark == FLOAT_MARK:
                return float(content)
        return Record(found)

    return json.loads(header, object_hook=from_marks)
