"""Data as values of types, checked strictly."""

import enum
import types
import typing
from collections.abc import Callable
from typing import Any, Literal, cast

import msgspec

from actum.tools import pydantic_types
from actum.tools.hint_ways import ITERABLES, MAPPINGS, SEQUENCES, is_path, way_of
from actum.tools.mistakes import UNNAMED_KEY, DoesNotFit, from_msgspec
from actum.tools.object_types import Field, fields_of, is_object_type, make_object
from actum.tools.results import as_data
from actum.tools.type_texts import type_text

CHOICES_TOLD = 30
_COLLECT: dict[object, Callable[[list[object]], object]] = {set: set, frozenset: frozenset}


def convert(value: object, hint: object) -> object:
    """The data as a value of this type. Raises `DoesNotFit`, which names the place in the data."""
    way = way_of(hint)
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
            raise _with_choices(mistake, value, hint) from None


def _with_choices(mistake: DoesNotFit, value: object, hint: object) -> DoesNotFit:
    """Of a few values that are meant, all are told: the signature may have no room for them."""
    choices: tuple[object, ...] = ()
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
    elif isinstance(hint, type) and issubclass(hint, enum.Enum):
        choices = tuple(member.value for member in hint)
    if not choices or mistake.path:
        return mistake
    named = ", ".join(f"{choice!r}" for choice in choices[:CHOICES_TOLD])
    more = ", ..." if len(choices) > CHOICES_TOLD else ""
    return DoesNotFit(f"expected one of {named}{more}, got {value!r:.60}")


def _from_data(kind: Any, value: object) -> object:
    """A value of a type that msgspec does not know."""
    if kind is object:
        return value
    if kind in ITERABLES:
        return convert(value, list[Any])
    if pydantic_types.takes(kind):
        return pydantic_types.convert(value, kind)
    if is_path(kind):
        return kind(_text(value))
    raise ValueError(f"{type_text(kind)} cannot be made from data")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(f"expected str, got {type(value).__name__}")


def _convert_parts(value: object, hint: object) -> object:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin is typing.Annotated:
        return convert(value, arguments[0])
    if origin in {typing.Union, types.UnionType}:
        return _convert_union(value, hint, arguments)
    if origin is Literal:
        return _convert_literal(value, arguments)
    if origin in SEQUENCES:
        items = [_at(i, item, arguments[0]) for i, item in enumerate(_items(value, hint))]
        return _COLLECT[origin](items) if origin in _COLLECT else items
    if origin is tuple:
        return _convert_tuple(value, hint, arguments)
    if origin in MAPPINGS:
        pairs = _mapping(value, hint).items()
        return {_at(k, k, arguments[0]): _at(k, item, arguments[1]) for k, item in pairs}
    if is_object_type(hint):
        return _convert_object(value, hint)
    raise DoesNotFit(f"{type_text(hint)} cannot be made from data")


def _convert_literal(value: object, choices: tuple[object, ...]) -> object:
    """Members of an enum among the choices: in data they are their values."""
    for choice in choices:
        plain = as_data(choice)
        if plain == value and type(plain) is type(value):
            return choice
    told = ", ".join(repr(as_data(choice)) for choice in choices)
    raise DoesNotFit(f"expected one of {told}, got {value!r:.60}")


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
