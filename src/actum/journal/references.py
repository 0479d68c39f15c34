"""Which blobs an event names.

Two forms, and no other: a `BlobRef` in a field that is made for one, and the mark `{"$blob": ...}` in
data that crossed a wall, where data of that look is escaped (`records/values.py`). What a model wrote
itself is not searched: a model could name bytes that never were.
"""

from collections.abc import Iterable, Iterator
from typing import cast

import msgspec

from actum.journal.chain import Row, readable_body
from actum.records.events import ActionStart, ModelRequest, ModelResponse
from actum.records.values import BLOB_MARK, BlobRef

_UNMARKED = (ActionStart.kind, ModelRequest.kind, ModelResponse.kind)


def blobs_named(row: Row) -> list[BlobRef]:
    """Every blob that this event names."""
    if '"sha256"' not in row.text:
        return []
    body = readable_body(row.kind, row.text)
    return list(_walk(body, marks=row.kind not in _UNMARKED))


def _walk(value: object, *, marks: bool) -> Iterator[BlobRef]:
    if isinstance(value, BlobRef):
        yield value
        return
    reference = _marked(value) if marks else None
    if reference is not None:
        yield reference
    for part in _parts(value):
        yield from _walk(part, marks=marks)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, msgspec.Struct):
        return [getattr(value, name) for name in value.__struct_fields__]
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    if isinstance(value, list | tuple):
        return cast("list[object]", value)
    return ()


def _marked(value: object) -> BlobRef | None:
    if not isinstance(value, dict) or value.keys() != {BLOB_MARK}:
        return None
    try:
        return msgspec.convert(value[BLOB_MARK], BlobRef)
    except msgspec.ValidationError:
        return None
