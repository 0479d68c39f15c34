"""Type hints as JSON schemas."""

import types
import typing
from typing import Any, Literal, cast

import msgspec

from actum.records.values import JSON
from actum.tools import pydantic_types
from actum.tools.hint_ways import ITERABLES, MAPPINGS, SEQUENCES, is_path, way_of
from actum.tools.object_types import fields_of, is_object_type
from actum.tools.results import as_data
from actum.tools.type_texts import type_text

Definitions = dict[str, JSON]


def schema_of(hint: object) -> dict[str, JSON]:
    """The JSON schema of a type. Raises TypeError where it cannot be data."""
    definitions: Definitions = {}
    schema = schema_into(hint, definitions)
    return {**schema, "$defs": definitions} if definitions else schema


def schema_into(hint: object, definitions: Definitions) -> dict[str, JSON]:
    """The JSON schema of a type; what it refers to is put beside it."""
    way = way_of(hint)
    if way == "pydantic":
        return _hoisted(pydantic_types.schema(hint), definitions)
    if way == "parts":
        return _schema_of_parts(hint, definitions)
    try:
        (schema,), found = msgspec.json.schema_components(
            [hint], schema_hook=_custom_schema, ref_template="#/$defs/{name}"
        )
    except TypeError as error:
        raise TypeError(str(error).splitlines()[-1]) from None
    definitions.update({name: _hoisted(inner, definitions) for name, inner in found.items()})
    return _hoisted(schema, definitions)


def _custom_schema(kind: Any) -> dict[str, Any]:
    if kind is object:
        # An empty schema would be taken for none.
        return {"description": "anything"}
    if kind in ITERABLES:
        return {"type": "array"}
    if pydantic_types.takes(kind):
        return pydantic_types.schema(kind)
    if is_path(kind):
        return {"type": "string", "format": "path"}
    raise NotImplementedError(type_text(kind))


def _schema_of_parts(hint: object, definitions: Definitions) -> dict[str, JSON]:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin is typing.Annotated:
        return schema_into(arguments[0], definitions)
    if origin in {typing.Union, types.UnionType}:
        return {"anyOf": [schema_into(member, definitions) for member in arguments]}
    if origin is Literal:
        return {"enum": [as_data(choice) for choice in arguments]}
    if origin in SEQUENCES:
        return {"type": "array", "items": schema_into(arguments[0], definitions)}
    if origin is tuple:
        return _schema_of_tuple(arguments, definitions)
    if origin in MAPPINGS:
        return {"type": "object", "additionalProperties": schema_into(arguments[1], definitions)}
    if is_object_type(hint):
        return _schema_of_object(hint, definitions)
    raise TypeError(f"{type_text(hint)} is no data")


def _schema_of_tuple(arguments: tuple[Any, ...], definitions: Definitions) -> dict[str, JSON]:
    if arguments[-1] is Ellipsis:
        return {"type": "array", "items": schema_into(arguments[0], definitions)}
    items: list[JSON] = [schema_into(argument, definitions) for argument in arguments]
    return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}


def _schema_of_object(hint: object, definitions: Definitions) -> dict[str, JSON]:
    name = type_text(hint)
    if name not in definitions:
        definitions[name] = {}  # It may hold itself.
        fields = fields_of(hint)
        definitions[name] = {
            "title": name,
            "type": "object",
            "properties": {f.name: schema_into(f.hint, definitions) for f in fields},
            "required": [field.name for field in fields if field.required],
        }
    return {"$ref": f"#/$defs/{name}"}


def _hoisted(schema: dict[str, JSON], definitions: Definitions) -> dict[str, JSON]:
    """The schema without definitions of its own: those belong to the top."""

    def walk(part: JSON) -> JSON:
        if isinstance(part, list):
            return [walk(item) for item in part]
        if not isinstance(part, dict):
            return part
        inner = part.get("$defs")
        if isinstance(inner, dict):
            definitions.update({name: walk(item) for name, item in inner.items()})
        return {name: walk(item) for name, item in part.items() if item is not inner or not inner}

    return cast("dict[str, JSON]", walk(schema))
