"""Pydantic's types, where the user has pydantic. It is never imported before the user has done so."""

import json
import sys
import typing
from functools import lru_cache
from typing import Any, cast

from actum.records.values import JSON
from actum.tools.mistakes import DoesNotFit

_OWN_MODULES = ("pydantic", "annotated_types")


def takes(hint: object) -> bool:
    """Whether pydantic has to read this type."""
    if "pydantic" not in sys.modules:
        return False
    return _is_pydantic(hint) and _adapter_or_none(hint) is not None


def is_field(value: object) -> bool:
    """Whether this is what `Field(...)` gives."""
    return type(value).__module__ == "pydantic.fields" and type(value).__name__ == "FieldInfo"


def schema(hint: object) -> dict[str, JSON]:
    """The JSON schema, as pydantic gives it."""
    return cast("dict[str, JSON]", _adapter(hint).json_schema(ref_template="#/$defs/{model}"))


def convert(value: object, hint: object) -> object:
    """The value, checked as strictly as everything else: text is no number."""
    adapter = _adapter(hint)
    error_type: type[Exception] = sys.modules["pydantic"].ValidationError
    try:
        # Read as JSON, since only there a strict check takes a list for a tuple, and text for a date.
        text = json.dumps(value)
    except (TypeError, ValueError):
        text = None  # It holds bytes, for which JSON has no word.
    try:
        if text is None:
            return adapter.validate_python(value)
        return adapter.validate_json(text, strict=True)
    except error_type as error:
        raise _mistake(error) from None


def plain_data(value: object) -> dict[str, object] | None:
    """The fields of a model; None where this is no model."""
    dump = getattr(value, "model_dump", None)
    if dump is None or not hasattr(type(value), "__pydantic_serializer__"):
        return None
    return cast("dict[str, object]", dump(mode="python", by_alias=True))


def _is_pydantic(hint: object) -> bool:
    if isinstance(hint, type) and not typing.get_args(hint):
        return (
            hint.__module__.startswith("pydantic")
            or hasattr(hint, "__pydantic_core_schema__")
            or hasattr(hint, "__pydantic_validator__")
            or hasattr(hint, "__get_pydantic_core_schema__")
        )
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Annotated and any(map(_is_mark, arguments[1:])):
        return True
    return any(map(_is_pydantic, arguments))


def _is_mark(extra: object) -> bool:
    return type(extra).__module__.startswith(_OWN_MODULES)


def _adapter(hint: object) -> Any:
    adapter = _adapter_or_none(hint)
    if adapter is None:
        raise TypeError(f"pydantic cannot read {hint}")
    return adapter


def _adapter_or_none(hint: object) -> Any:
    try:
        return _known_adapter(cast("Any", hint))
    except TypeError:
        return _make_adapter(hint)


def _make_adapter(hint: object) -> Any:
    pydantic = sys.modules["pydantic"]
    try:
        return pydantic.TypeAdapter(hint)
    except pydantic.PydanticUserError:
        return None


_known_adapter = lru_cache(maxsize=1024)(_make_adapter)


def _mistake(error: Any) -> DoesNotFit:
    found: list[DoesNotFit] = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        said: str = problem["msg"]
        mistake = DoesNotFit(said[:1].lower() + said[1:])
        for place in reversed(problem["loc"]):
            mistake = mistake.inside(place)
        found.append(mistake)
    first, *others = found
    rest = "".join(f"; {other.path.removeprefix('.')}: {other.why}" for other in others)
    return DoesNotFit(first.why + rest, first.path)
