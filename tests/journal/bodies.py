"""Bodies of every kind, made from their own types."""

import types
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from actum.records.events import BODIES, AnyBody
from actum.records.values import JSON

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | INTEGERS | FLOATS | TEXT,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(TEXT, parts, max_size=3),
    max_leaves=5,
)


def of_type(kind: Any) -> st.SearchStrategy[Any]:
    """Values that a field of this type can hold."""
    if kind is Any:
        return VALUES
    plain = {
        str: TEXT,
        int: INTEGERS,
        float: FLOATS,
        bool: st.booleans(),
        type(None): st.none(),
        msgspec.UnsetType: st.just(msgspec.UNSET),
    }
    if kind in plain:
        return plain[kind]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return of_struct(kind)
    return of_shape(get_origin(kind), get_args(kind), kind)


def of_shape(origin: Any, arguments: tuple[Any, ...], kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type that is put together from others."""
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(of_type, arguments))
    if origin is tuple:
        return st.lists(of_type(arguments[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(TEXT, of_type(arguments[1]), max_size=2)
    if hasattr(kind, "__metadata__"):
        return st.integers(0, 1000)
    raise AssertionError(f"the test knows no values of {kind}")


def of_struct(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Structs of this type; some fields left at what they are by default."""
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for field in msgspec.structs.fields(kind):
        (required if field.required else optional)[field.name] = of_type(field.type)
    return st.fixed_dictionaries(required, optional=optional).map(lambda given: kind(**given))


ANY_BODY: st.SearchStrategy[AnyBody] = st.one_of(*map(of_struct, BODIES.values()))
