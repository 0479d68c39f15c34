"""What an answer must be, as a Python type: its schema, a check, and the value of that type."""

import typing

import msgspec

from actum.errors import BadTool
from actum.records.values import JSON, unmark


class OutputType:
    """A type that an answer must have. `str` means: words, or any value, as the model has it."""

    def __init__(self, hint: object = str) -> None:
        self._hint: typing.Any = hint
        self.schema: dict[str, JSON] | None = None if hint is str else _schema(hint)

    def problem(self, value: JSON) -> str | None:
        """What is wrong with a value; None where it is of the type."""
        if self.schema is None:
            return None
        try:
            self.convert(value)
        except (ValueError, TypeError) as error:
            return str(error)
        return None

    def convert(self, value: JSON) -> object:
        """The value as the type itself."""
        data = unmark(value)
        if self.schema is None:
            return data
        if _is_pydantic(self._hint):
            return self._hint.model_validate(data)
        return msgspec.convert(data, self._hint)


def _schema(hint: typing.Any) -> dict[str, JSON]:
    if _is_pydantic(hint):
        return hint.model_json_schema()
    try:
        return msgspec.json.schema(hint)
    except TypeError as error:
        raise BadTool(
            f"output= cannot be {hint!r}: {error}",
            hints=("use plain types, dataclasses, TypedDict, msgspec structs or pydantic models",),
        ) from error


def _is_pydantic(hint: object) -> bool:
    return hasattr(hint, "model_validate") and hasattr(hint, "model_json_schema")
