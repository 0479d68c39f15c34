"""Types with named fields: dataclasses, TypedDict, named tuples, msgspec structs, attrs."""

import dataclasses
import typing
from collections.abc import Callable
from typing import Any, cast

import msgspec


class Field(msgspec.Struct, frozen=True):
    """One field: its name in data, its name in Python, its type."""

    name: str
    attribute: str
    hint: Any
    required: bool


def is_object_type(hint: object) -> bool:
    """Whether values of this type have named fields."""
    if not isinstance(hint, type):
        return False
    kind = cast("type[Any]", hint)
    return (
        dataclasses.is_dataclass(kind)
        or issubclass(kind, msgspec.Struct)
        or typing.is_typeddict(kind)
    )


def fields_of(hint: object) -> list[Field]:
    """The fields, in order."""
    kind = cast("Any", hint)
    hints = typing.get_type_hints(kind, include_extras=True)
    if typing.is_typeddict(kind):
        required: frozenset[str] = kind.__required_keys__
        return [
            Field(name, name, _without_requirement(inner), name in required)
            for name, inner in hints.items()
        ]
    if issubclass(kind, msgspec.Struct):
        return [
            Field(f.encode_name, f.name, hints[f.name], f.required)
            for f in msgspec.structs.fields(kind)
        ]
    return [
        Field(f.name, f.name, hints[f.name], _has_no_default(f))
        for f in dataclasses.fields(kind)
        if f.init
    ]


def make_object(hint: object, values: dict[str, object]) -> object:
    """An object of the type. What its own checks refuse raises their error."""
    make = cast("Callable[..., object]", hint)
    return make(**values)


def _has_no_default(field: "dataclasses.Field[Any]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _without_requirement(hint: object) -> object:
    if typing.get_origin(hint) in {typing.Required, typing.NotRequired}:
        return typing.get_args(hint)[0]
    return hint
