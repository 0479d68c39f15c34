"""What an answer must be, as a Python type: its schema, a check, and the value of that type."""

from actum.errors import BadTool
from actum.records.values import JSON, unmark
from actum.tools.hints import convert, schema_of


class OutputType:
    """A type that an answer must have. `str` means: words, or any value, as the model has it."""

    def __init__(self, hint: object = str) -> None:
        self._hint = hint
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
        return convert(data, self._hint)


def _schema(hint: object) -> dict[str, JSON]:
    try:
        return schema_of(hint)
    except TypeError as error:
        raise BadTool(
            f"output= cannot be {hint!r}: {error}",
            hints=("use plain types, dataclasses, TypedDict, msgspec structs or pydantic models",),
        ) from error
