"""What a value may be when it crosses a wall, and the marks for what JSON has no word for.

A mark is an object with one key that begins with `$`. Data of that look is itself written as pairs,
so that nothing is taken for a mark that is none.
"""

import base64
import hashlib
import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import msgspec

if TYPE_CHECKING:
    JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
else:
    # msgspec cannot read a recursive alias on Python 3.11: at run time anything goes.
    JSON = Any

BLOB_MARK = "$blob"
BYTES_MARK = "$bytes"
INTEGER_MARK = "$int"
FLOAT_MARK = "$float"
PAIRS_MARK = "$pairs"
_SMALLEST = -(2**63)
_LARGEST = 2**63 - 1
_LONGEST = 2**14000
"""Python writes no integer of more than 4300 digits."""


class BlobRef(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes kept beside the record under the hash of their content."""

    sha256: str
    size: int
    type: str = "application/octet-stream"


def blob_ref(content: bytes, content_type: str = "application/octet-stream") -> BlobRef:
    """The name of these bytes."""
    return BlobRef(sha256=hashlib.sha256(content).hexdigest(), size=len(content), type=content_type)


LoadBlob = Callable[[BlobRef], object]


class _DoesNotCrossError(Exception):
    """Where in a value something stands that is not data, told from the inside out."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        self.path = ""


def mark(value: object) -> JSON:
    """The value as JSON. What is plain already comes back as it is, not copied.

    Raises TypeError that names the place of what does not cross.
    """
    try:
        return cast("JSON", value if _is_plain(value) else _mark(value))
    except _DoesNotCrossError as error:
        raise TypeError(f"value{error.path}: {error.why}") from None
    except RecursionError:
        raise TypeError("value: it contains itself, or is too deep to cross") from None


def unmark(value: object, load_blob: LoadBlob | None = None) -> object:
    """The value behind its marks. Without `load_blob` the marks of blobs stay as they are.

    Raises ValueError where a mark says nothing.
    """
    return _unmark(value, load_blob)


def _is_plain(value: object) -> bool:
    """Whether JSON can say all of it. Most values that cross are plain, so this is quick."""
    kind = type(value)
    if kind is list:
        return all(map(_is_plain, cast("list[object]", value)))
    if kind is dict:
        fields = cast("dict[object, object]", value)
        return all(map(_is_plain_key, fields)) and all(map(_is_plain, fields.values()))
    if isinstance(value, str):
        return kind is str and _is_unicode(value)
    if isinstance(value, int):
        return kind is bool or (kind is int and _SMALLEST <= value <= _LARGEST)
    return value is None or (kind is float and math.isfinite(cast("float", value)))


def _is_plain_key(key: object) -> bool:
    return type(key) is str and not key.startswith("$") and _is_unicode(key)


def _is_unicode(text: str) -> bool:
    """Half of a pair of surrogates is none: UTF-8 has no bytes for it."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mark(value: object) -> object:
    kind = type(value)
    if value is None or kind is bool:
        return value
    if isinstance(value, str):
        return _mark_text(value)
    if isinstance(value, int):
        return _mark_integer(value)
    if isinstance(value, float):
        return _mark_float(value)
    if isinstance(value, dict):
        return _mark_dict(cast("dict[object, object]", value))
    if isinstance(value, list | tuple):
        return _mark_items(cast("list[object] | tuple[object, ...]", value))
    if isinstance(value, bytes | bytearray):
        return {BYTES_MARK: base64.b64encode(value).decode()}
    raise _DoesNotCrossError(_advice(kind))


def _mark_text(value: str) -> str:
    if not _is_unicode(value):
        raise _DoesNotCrossError("this text is not Unicode; write it as bytes")
    return value if type(value) is str else str.__str__(value)


def _mark_integer(value: int) -> object:
    if _SMALLEST <= value <= _LARGEST:
        return value if type(value) is int else int(value)
    if abs(value) >= _LONGEST:
        raise _DoesNotCrossError("an integer of thousands of digits does not cross")
    return {INTEGER_MARK: int.__repr__(value)}


def _mark_float(value: float) -> object:
    if math.isfinite(value):
        return value if type(value) is float else float(value)
    return {FLOAT_MARK: float.__repr__(value)}


def _mark_items(items: list[object] | tuple[object, ...]) -> list[object]:
    return [_mark_part(item, index) for index, item in enumerate(items)]


def _mark_dict(items: dict[object, object]) -> object:
    if not all(isinstance(key, str) and not key.startswith("$") for key in items):
        return {PAIRS_MARK: [_mark_pair(key, item) for key, item in items.items()]}
    return {_mark_key(key): _mark_part(item, key) for key, item in items.items()}


def _mark_pair(key: object, item: object) -> list[object]:
    return [_mark_key(key), _mark_part(item, key)]


def _mark_key(key: object) -> object:
    try:
        return _mark(key)
    except _DoesNotCrossError as error:
        error.path = f"'s key {key!r:.40}"
        raise


def _mark_part(value: object, place: object) -> object:
    try:
        return _mark(value)
    except _DoesNotCrossError as error:
        error.path = _step(place) + error.path
        raise


def _are_same(left: Iterable[object], right: Iterable[object]) -> bool:
    return all(one is other for one, other in zip(left, right, strict=True))


def _step(key: object) -> str:
    if isinstance(key, str) and key.isidentifier():
        return f".{key}"
    return f"[{key!r:.40}]"


def _advice(kind: type) -> str:
    article = "an" if kind.__name__[:1].lower() in "aeiou" else "a"
    return f"{article} {kind.__name__} does not cross; turn it into text, numbers, lists or dicts first"


def _unmark(value: object, load: LoadBlob | None) -> object:
    if isinstance(value, list):
        items = cast("list[object]", value)
        plain = [_unmark(item, load) for item in items]
        return items if _are_same(plain, items) else plain
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, object]", value)
    if len(fields) == 1:
        ((name, content),) = fields.items()
        if name.startswith("$"):
            return _unmark_one(fields, name, content, load)
    read = {key: _unmark(item, load) for key, item in fields.items()}
    return fields if _are_same(read.values(), fields.values()) else read


def _unmark_one(
    whole: dict[str, object], name: str, content: object, load: LoadBlob | None
) -> object:
    try:
        if name == BYTES_MARK:
            return base64.b64decode(_text(content), validate=True)
        if name == INTEGER_MARK:
            return int(_text(content))
        if name == FLOAT_MARK:
            return float(_text(content))
        if name == PAIRS_MARK:
            return dict(_pair(pair, load) for pair in cast("list[object]", content))
        if name == BLOB_MARK and load is not None:
            return load(msgspec.convert(content, BlobRef))
    except (TypeError, ValueError) as error:
        raise ValueError(f"the mark {name} says nothing: {error}") from error
    return whole


def _pair(pair: object, load: LoadBlob | None) -> tuple[object, object]:
    key, item = cast("list[object]", pair)
    return _key(_unmark(key, load)), _unmark(item, load)


def _key(value: object) -> object:
    """A list cannot be a key: it was a tuple."""
    if isinstance(value, list):
        return tuple(_key(item) for item in cast("list[object]", value))
    return value


def _text(content: object) -> str:
    if not isinstance(content, str):
        raise TypeError(f"{type(content).__name__} in place of text")
    return content
