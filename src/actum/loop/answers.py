"""Whether a value may be the answer of a run, where the user said what it must be."""

from collections.abc import Callable

from actum.loop.schemas import problem_with
from actum.records.values import JSON

Check = Callable[[JSON], str | None]
WRONG_ANSWERS = 2
"""A model may mend a wrong answer once."""


class Answers:
    """What an answer must be. Without a schema everything is one, words too."""

    def __init__(self, schema: dict[str, JSON] | None, check: Check | None = None) -> None:
        self._schema = schema
        self._check = check

    @property
    def free(self) -> bool:
        """Whether words are an answer."""
        return self._schema is None

    def problem(self, value: JSON) -> str | None:
        """What is wrong with a value, told to the model; None where it is an answer."""
        if self._schema is None:
            return None
        found = self._check(value) if self._check is not None else None
        found = found or (None if self._check else problem_with(value, self._schema))
        if found is None:
            return None
        return f"this is not the answer that was asked for: {found}. Mend it, and finish again."

    def words_problem(self) -> str:
        """What a model is told that answers in words where a value was asked for."""
        return "words are no answer here: end with finish(value), with a value as was asked for"
