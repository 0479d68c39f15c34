"""Types as a person would write them."""

import collections.abc
import enum
import types
import typing

LITERALS_SHOWN = 8
_COLLECTED: set[object] = {
    collections.abc.Iterator,
    collections.abc.Iterable,
    collections.abc.Generator,
    collections.abc.AsyncIterator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncGenerator,
}


def type_text(hint: object) -> str:
    """A hint as a person would write it: `list[Order]`, not `typing.List[__main__.Order]`."""
    if hint is None or hint is type(None):
        return "None"
    if hint is typing.Any:
        return "Any"
    arguments = typing.get_args(hint)
    if arguments:
        return _generic_text(typing.get_origin(hint), arguments)
    if hint in _COLLECTED:
        return "list"
    if isinstance(hint, typing.NewType):
        return type_text(hint.__supertype__)
    name = hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")
    # What could not stand in a signature is told as anything: a type variable, a nameless class.
    return name if name.replace(".", "_").isidentifier() else "Any"


def _generic_text(origin: object, arguments: tuple[object, ...]) -> str:
    if origin is typing.Annotated:
        return type_text(arguments[0])
    if origin is typing.Union or origin is types.UnionType:
        return " | ".join(type_text(argument) for argument in arguments)
    if origin is typing.Literal:
        return _literal_text(arguments)
    if origin in _COLLECTED:
        # A stream is collected before it crosses.
        return f"list[{type_text(arguments[0])}]"
    inner = ", ".join("..." if a is Ellipsis else type_text(a) for a in arguments)
    return f"{getattr(origin, '__name__', str(origin))}[{inner}]"


def _literal_text(values: tuple[object, ...]) -> str:
    if len(values) > LITERALS_SHOWN:
        # All of them stand in the schema; a row in a list has no room for so many.
        kinds = {type(value) for value in values}
        return kinds.pop().__name__ if len(kinds) == 1 else "Any"
    return f"Literal[{', '.join(map(_value_text, values))}]"


def _value_text(value: object) -> str:
    return str(value) if isinstance(value, enum.Enum) else repr(value)
