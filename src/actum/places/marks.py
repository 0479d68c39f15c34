"""Bytes within values: marked by their place in a frame's body, and by themselves in the record."""

import base64

from actum.records.values import BYTES_MARK, FLOAT_MARK, INTEGER_MARK, JSON, PAIRS_MARK

# What a guest may mark. A name of bytes in the record is for the host alone to give.
GUEST_MARKS = frozenset({BYTES_MARK, INTEGER_MARK, FLOAT_MARK, PAIRS_MARK})


class ProtocolBroken(Exception):
    """The guest sent what no guest sends. The message names it; the session ends."""


def to_body(value: JSON, body: list[bytes]) -> JSON:
    """Move marked bytes into the body, and say where they stand."""
    if isinstance(value, list):
        return [to_body(item, body) for item in value]
    if not isinstance(value, dict):
        return value
    text = value.get(BYTES_MARK)
    if len(value) == 1 and isinstance(text, str):
        content = base64.b64decode(text)
        offset = sum(len(part) for part in body)
        body.append(content)
        return {BYTES_MARK: [offset, len(content)]}
    return {key: to_body(item, body) for key, item in value.items()}


def from_body(value: JSON, body: memoryview) -> JSON:
    """Put bytes of the body where the header marks them."""
    if isinstance(value, (list, tuple)):
        return [from_body(item, body) for item in value]
    if not isinstance(value, dict):
        return value
    marks = [key for key in value if key.startswith("$")]
    if marks and (len(value) > 1 or marks[0] not in GUEST_MARKS):
        raise ProtocolBroken(f"it marked a value as {marks[0]}, which no guest does")
    if BYTES_MARK in value:
        return {BYTES_MARK: base64.b64encode(slice_of(body, value)).decode()}
    return {key: from_body(item, body) for key, item in value.items()}


def slice_of(body: memoryview, mark: dict[str, JSON]) -> memoryview:
    """The bytes that a mark names."""
    match mark:
        case {"$bytes": [int(offset), int(size)]} if len(mark) == 1:
            if 0 <= offset <= len(body) and 0 <= size <= len(body) - offset:
                return body[offset : offset + size]
        case _:
            pass
    raise ProtocolBroken("it marked bytes that are not there")
