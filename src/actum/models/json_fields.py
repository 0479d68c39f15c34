"""Fields of JSON that somebody else wrote: the expected kind, or an empty one."""

from collections.abc import Mapping

import msgspec

from actum.records.values import JSON


def decoded(data: bytes | str) -> JSON:
    """The value that is written there. Raises `ValueError` where it is not JSON."""
    return msgspec.json.decode(data)


def text_in(fields: Mapping[str, JSON], name: str) -> str:
    """A text, else an empty one."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def object_in(fields: Mapping[str, JSON], name: str) -> dict[str, JSON]:
    """An object, else an empty one."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def objects_in(fields: Mapping[str, JSON], name: str) -> list[dict[str, JSON]]:
    """The objects of a list."""
    value = fields.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def count_in(fields: Mapping[str, JSON], name: str) -> int:
    """A count, else zero."""
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return max(int(value), 0)
