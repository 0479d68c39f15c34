"""What a tool returns, as data that can cross: marked JSON."""

import collections.abc
import dataclasses
import datetime
import enum
from collections.abc import Callable
from typing import Any, cast

import msgspec

from actum.records.values import JSON, mark
from actum.tools import pydantic_types


def as_data(value: object) -> JSON:
    """The value as marked data. Raises TypeError that names the place of what is no data."""
    try:
        plain = msgspec.to_builtins(
            value, builtin_types=(bytes, bytearray, memoryview), enc_hook=_lower
        )
        return mark(plain)
    except RecursionError:
        raise TypeError("value: it contains itself, or is too deep to cross") from None


def _lower(value: object) -> object:
    """The value of a type that msgspec does not know, one step nearer to data."""
    model = pydantic_types.plain_data(value)
    if model is not None:
        return model
    library = type(value).__module__.partition(".")[0]
    from_library = _LIBRARIES.get(library)
    if from_library is not None:
        return from_library(value)
    for kinds, lower in _KINDS:
        if isinstance(value, kinds):
            return lower(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    picture = getattr(value, "_repr_png_", None)
    if callable(picture) and isinstance(image := picture(), bytes):
        return image
    raise TypeError(_refusal(value))


def _refusal(value: object) -> str:
    kind = type(value).__name__
    article = "an" if kind[:1].lower() in "aeiou" else "a"
    return f"{article} {kind} is no data: return text, numbers, lists, dicts or a dataclass"


_KINDS: tuple[tuple[Any, Callable[[Any], object]], ...] = (
    (enum.Enum, lambda value: value.value),
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    ((datetime.date, datetime.time), lambda value: value.isoformat()),
    (collections.abc.Mapping, dict),
    ((collections.abc.Set, collections.abc.Sequence, collections.abc.ValuesView), list),
)


def _numpy(value: object) -> object:
    plain: Callable[[], object] | None = getattr(value, "tolist", None)
    if plain is None:
        raise TypeError(_refusal(value))
    return plain()


def _table(value: object) -> object:
    kind = type(value).__name__
    given = cast("Any", value)
    if kind == "DataFrame":
        return given.to_dicts() if hasattr(value, "to_dicts") else given.to_dict(orient="records")
    if kind in {"Series", "Index"} or kind.endswith("Index"):
        return given.to_list()
    if kind in {"NAType", "NaTType"}:
        return None
    if hasattr(value, "isoformat"):
        return given.isoformat()
    raise TypeError(_refusal(value))


def _text(value: object) -> object:
    return str(value)


_LIBRARIES: dict[str, Callable[[object], object]] = {
    "numpy": _numpy,
    "pandas": _table,
    "polars": _table,
    "pathlib": _text,
    "fractions": _text,
    "pydantic": _text,
    "pydantic_core": _text,
}
