"""Type hints as JSON schemas, and data as values of them. In and out of every tool, and of answers.

msgspec does the work where it can. What it refuses, such as a union of two dataclasses, is taken
apart here one level at a time. Pydantic's types go to pydantic, where the user has it.
"""

import collections.abc
import pathlib
import types
import typing
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, cast

import msgspec

from actum.records.values import JSON
from actum.tools import pydantic_types
from actum.tools.mistakes import UNNAMED_KEY, DoesNotFit, from_msgspec
from actum.tools.object_types import Field, fields_of, is_object_type, make_object
from actum.tools.results import as_data
from actum.tools.type_texts import type_text

Way = Literal["msgspec", "pydantic", "parts"]
Definitions = dict[str, JSON]
__all__ = ["as_data", "convert", "schema_into", "schema_of"]

_ITERABLES = {
    collections.abc.Iterable,
    collections.abc.Iterator,
    collections.abc.Generator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncIterator,
    collections.abc.AsyncGenerator,
}
_SEQUENCES = {
    list,
    set,
    frozenset,
    collections.abc.Sequence,
    collections.abc.Collection,
    *_ITERABLES,
}
_COLLECT: dict[object, Callable[[list[object]], object]] = {set: set, frozenset: frozenset}
_MAPPINGS = {dict, collections.abc.Mapping, collections.abc.MutableMapping}


def schema_of(hint: object) -> dict[str, JSON]:
    """The JSON schema of a type. Raises TypeError where it cannot be data."""
    definitions: Definitions = {}
    schema = schema_into(hint, definitions)
    return {**schema, "$defs": definitions} if definitions else schema


def schema_into(hint: object, definitions: Definitions) -> dict[str, JSON]:
    """The JSON schema of a type; what it refers to is put beside it."""
    way = _way(hint)
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


def convert(value: object, hint: object) -> object:
    """The data as a value of this type. Raises `DoesNotFit`, which names the place in the data."""
    way = _way(hint)
    if way == "pydantic":
        return pydantic_types.convert(value, hint)
    if way == "parts":
        return _convert_parts(value, hint)
    kind = cast("Any", hint)
    try:
        return msgspec.convert(value, kind, strict=True, dec_hook=_from_data)
    except msgspec.ValidationError as error:
        try:
            # In JSON every key is text, also where numbers are meant.
            return msgspec.convert(value, kind, strict=True, str_keys=True, dec_hook=_from_data)
        except msgspec.ValidationError:
            mistake = from_msgspec(error)
            if UNNAMED_KEY in mistake.path:
                # msgspec does not say under which key; this does, one level at a time.
                return _convert_parts(value, hint)
            raise mistake from None


def _way(hint: object) -> Way:
    try:
        return _known_way(cast("collections.abc.Hashable", hint))
    except TypeError as error:
        if "unhashable" in str(error):
            return _find_way(hint)
        raise


def _find_way(hint: object) -> Way:
    if pydantic_types.takes(hint):
        return "pydantic"
    if typing.get_origin(hint) in _ITERABLES:
        return "parts"
    try:
        msgspec.json.Decoder(cast("Any", hint), dec_hook=_from_data)
    except TypeError:
        return "parts"
    return "msgspec"


_known_way = lru_cache(maxsize=4096)(_find_way)


def _from_data(kind: Any, value: object) -> object:
    """A value of a type that msgspec does not know."""
    if kind is object:
        return value
    if kind in _ITERABLES:
        return convert(value, list[Any])
    if pydantic_types.takes(kind):
        return pydantic_types.convert(value, kind)
    if _is_path(kind):
        return kind(_text(value))
    raise ValueError(f"{type_text(kind)} cannot be made from data")


def _custom_schema(kind: Any) -> dict[str, Any]:
    if kind is object:
        # An empty schema would be taken for none.
        return {"description": "anything"}
    if kind in _ITERABLES:
        return {"type": "array"}
    if pydantic_types.takes(kind):
        return pydantic_types.schema(kind)
    if _is_path(kind):
        return {"type": "string", "format": "path"}
    raise NotImplementedError(type_text(kind))


def _is_path(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, pathlib.PurePath)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(f"expected str, got {type(value).__name__}")


def _schema_of_parts(hint: object, definitions: Definitions) -> dict[str, JSON]:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin is typing.Annotated:
        return schema_into(arguments[0], definitions)
    if origin in {typing.Union, types.UnionType}:
        return {"anyOf": [schema_into(member, definitions) for member in arguments]}
    if origin in _SEQUENCES:
        return {"type": "array", "items": schema_into(arguments[0], definitions)}
    if origin is tuple:
        return _schema_of_tuple(arguments, definitions)
    if origin in _MAPPINGS:
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


def _convert_parts(value: object, hint: object) -> object:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin is typing.Annotated:
        return convert(value, arguments[0])
    if origin in {typing.Union, types.UnionType}:
        return _convert_union(value, hint, arguments)
    if origin in _SEQUENCES:
        items = [_at(i, item, arguments[0]) for i, item in enumerate(_items(value, hint))]
        return _COLLECT[origin](items) if origin in _COLLECT else items
    if origin is tuple:
        return _convert_tuple(value, hint, arguments)
    if origin in _MAPPINGS:
        pairs = _mapping(value, hint).items()
        return {_at(k, k, arguments[0]): _at(k, item, arguments[1]) for k, item in pairs}
    if is_object_type(hint):
        return _convert_object(value, hint)
    raise DoesNotFit(f"{type_text(hint)} cannot be made from data")


def _convert_union(value: object, hint: object, members: tuple[object, ...]) -> object:
    """The first member that fits, as written; of objects first one that has a field for each key."""
    mistakes: list[DoesNotFit] = []
    for member in sorted(members, key=lambda member: _leaves_something(value, member)):
        try:
            return convert(value, member)
        except DoesNotFit as mistake:
            mistakes.append(mistake)
    deepest = max(mistakes, key=lambda mistake: len(mistake.path))
    if deepest.path:
        raise deepest
    raise DoesNotFit(f"expected {type_text(hint)}, got {type(value).__name__}")


def _leaves_something(value: object, member: object) -> bool:
    if not isinstance(value, dict) or not is_object_type(member):
        return False
    return not set(cast("dict[object, object]", value)) <= {f.name for f in fields_of(member)}


def _convert_tuple(value: object, hint: object, arguments: tuple[Any, ...]) -> object:
    items = _items(value, hint)
    if arguments[-1] is Ellipsis:
        arguments = (arguments[0],) * len(items)
    if len(items) != len(arguments):
        raise DoesNotFit(f"expected {len(arguments)} items, got {len(items)}")
    return tuple(_at(i, item, arguments[i]) for i, item in enumerate(items))


def _convert_object(value: object, hint: object) -> object:
    given = _mapping(value, hint)
    fields: list[Field] = fields_of(hint)
    missing = [field.name for field in fields if field.required and field.name not in given]
    if missing:
        raise DoesNotFit(f"missing {', '.join(missing)}")
    values = {
        field.attribute: _at(field.name, given[field.name], field.hint)
        for field in fields
        if field.name in given
    }
    return make_object(hint, values)


def _at(place: object, value: object, hint: object) -> object:
    try:
        return convert(value, hint)
    except DoesNotFit as mistake:
        raise mistake.inside(place) from None


def _items(value: object, hint: object) -> list[object]:
    if isinstance(value, list | tuple | set | frozenset):
        return list(cast("list[object]", value))
    raise DoesNotFit(f"expected {type_text(hint)}, got {type(value).__name__}")


def _mapping(value: object, hint: object) -> dict[object, object]:
    if isinstance(value, dict):
        return cast("dict[object, object]", value)
    raise DoesNotFit(f"expected {type_text(hint)}, got {type(value).__name__}")
