"""Whether an argument is what a rule's condition says: `{ ends_with = "@example.com" }`."""

import fnmatch
from collections.abc import Iterator, Sized

import msgspec

from actum.records.policies import Condition


def holds(condition: Condition, value: object) -> bool:
    """Whether everything that the condition gives holds."""
    return all(_tests(condition, value))


def _tests(condition: Condition, value: object) -> Iterator[bool]:
    if condition.equals is not msgspec.UNSET:
        yield value == condition.equals
    if condition.one_of is not None:
        yield value in condition.one_of
    if condition.absent is not None:
        yield (value is None) == condition.absent
    yield from _text_tests(condition, value)
    yield from _size_tests(condition, value)


def _text_tests(condition: Condition, value: object) -> Iterator[bool]:
    text = value if isinstance(value, str) else None
    if condition.starts_with is not None:
        yield text is not None and text.startswith(condition.starts_with)
    if condition.ends_with is not None:
        yield text is not None and text.endswith(condition.ends_with)
    if condition.glob is not None:
        yield text is not None and fnmatch.fnmatchcase(text, condition.glob)


def _size_tests(condition: Condition, value: object) -> Iterator[bool]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    number = value if is_number and isinstance(value, int | float) else None
    if condition.min is not None:
        yield number is not None and number >= condition.min
    if condition.max is not None:
        yield number is not None and number <= condition.max
    if condition.max_length is not None:
        yield isinstance(value, Sized) and len(value) <= condition.max_length
