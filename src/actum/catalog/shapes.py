"""The shape of data in a line: of what a schema promises, and of what a tool really answered."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from actum.records.values import BYTES_MARK, FLOAT_MARK, INTEGER_MARK, JSON, PAIRS_MARK

LONGEST = 300
_MOST_FIELDS = 20
_DEEPEST = 4
_MARKS = {BYTES_MARK: "bytes", INTEGER_MARK: "int", FLOAT_MARK: "float", PAIRS_MARK: "dict"}


def shape_of(value: JSON, depth: int = 0) -> str:
    """`list[{id: int, amount: float | None}]`: names and types, never what the data says."""
    if isinstance(value, dict):
        return _shape_of_object(value, depth)
    if isinstance(value, list):
        shapes = dict.fromkeys(shape_of(item, depth + 1) for item in value[:_MOST_FIELDS])
        if not shapes:
            return "list"
        return f"list[{' | '.join(shapes) if len(shapes) <= 3 else '...'}]"
    return "None" if value is None else type(value).__name__


def _shape_of_object(value: dict[str, JSON], depth: int) -> str:
    if len(value) == 1 and next(iter(value)) in _MARKS:
        return _MARKS[next(iter(value))]
    if depth >= _DEEPEST or not all(key.isidentifier() for key in value):
        return "dict"
    fields = [f"{name}: {shape_of(item, depth + 1)}" for name, item in value.items()]
    if len(fields) > _MOST_FIELDS:
        fields = [*fields[:_MOST_FIELDS], "..."]
    return "{" + ", ".join(fields) + "}"


class ShapesSeen:
    """What tools without a result type have answered before, by tool and source."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._shapes = _read(path)

    def remember(self, tool: str, source: str, value: JSON) -> None:
        """Keep the shape of an answer. `source` is the hash of where the tool is from."""
        shape = shape_of(value)
        if shape == "None" or self._shapes.get(_key(tool, source)) == shape[:LONGEST]:
            return
        self._shapes[_key(tool, source)] = shape[:LONGEST]
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._path.with_name(f"{self._path.name}.new")
            fresh.write_text(json.dumps(self._shapes, indent=1), encoding="utf-8")
            fresh.replace(self._path)

    def shape(self, tool: str, source: str) -> str:
        """The shape seen last; empty where none was."""
        return self._shapes.get(_key(tool, source), "")


def _key(tool: str, source: str) -> str:
    return f"{tool} {source}"


def _read(path: Path | None) -> dict[str, str]:
    """What was kept. A file that cannot be read costs only what it remembered."""
    if path is None:
        return {}
    try:
        kept: object = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(kept, Mapping):
        return {}
    return {str(name): str(shape) for name, shape in cast("Mapping[object, object]", kept).items()}


def named_shapes(schema: Mapping[str, JSON] | None) -> dict[str, str]:
    """The fields of each named type in a schema: `Event` is `{title: str, duration: int}`."""
    definitions = (schema or {}).get("$defs")
    if not isinstance(definitions, dict):
        return {}
    return {name: text for name, inner in definitions.items() if (text := _fields_text(inner))}


_NAMES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "array": "list",
    "object": "dict",
}


def _fields_text(schema: JSON) -> str:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(properties, dict) or not properties:
        return ""
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    fields = [
        f"{name}{'' if name in needed else '?'}: {type_of_schema(inner)}"
        for name, inner in properties.items()
    ]
    return "{" + ", ".join(fields[:_MOST_FIELDS]) + "}"


def type_of_schema(schema: JSON) -> str:
    """A JSON schema as a type in Python's words."""
    if not isinstance(schema, dict):
        return "Any"
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return reference.rsplit("/", 1)[-1]
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        return " | ".join(dict.fromkeys(type_of_schema(choice) for choice in choices))
    values = schema.get("enum")
    if isinstance(values, list):
        return f"Literal[{', '.join(map(repr, values[:8]))}]"
    kind = schema.get("type")
    if kind == "array" and schema.get("items"):
        return f"list[{type_of_schema(schema['items'])}]"
    return _NAMES.get(kind, "Any") if isinstance(kind, str) else "Any"
