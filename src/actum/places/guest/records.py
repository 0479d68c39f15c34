"""What tools give back: dictionaries whose keys are attributes as well.

Phase 2.
"""

import difflib
from typing import Any

LONGEST_TEXT = 2000
LONGEST_FIELD = 200


class Record(dict[Any, Any]):
    """A dictionary; `order.status` and `order["status"]` are the same.

    A key that is also a method of dictionaries, such as `items`, is read by `order["items"]`.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            pass
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(self._no_such(name)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(self._no_such(name)) from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(key for key in self if isinstance(key, str))})

    def __repr__(self) -> str:
        whole = super().__repr__()
        if len(whole) <= LONGEST_TEXT:
            return whole
        shown = ", ".join(f"{key!r}: {_cut(repr(value))}" for key, value in self.items())
        return "{" + _cut(shown, LONGEST_TEXT) + "}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Record, (dict(self),))

    def copy(self) -> "Record":
        """Make a shallow copy, which is a record too."""
        return Record(self)

    @property
    def data(self) -> Any:
        """The plain dictionary, down to the last level. A key named `data` comes first."""
        if "data" in self:
            return self["data"]
        return plain(self)

    def _no_such(self, name: str) -> str:
        keys = [key for key in self if isinstance(key, str)]
        near = difflib.get_close_matches(name, keys, 1)
        if near:
            return f"this record has no {name!r}; did you mean {near[0]!r}?"
        return f"this record has no {name!r}; it has: {', '.join(keys[:20])}"


def plain(value: Any) -> Any:
    """The value with plain dictionaries in place of records."""
    if isinstance(value, Record):
        return {key: plain(item) for key, item in value.items()}
    if type(value) is list:
        return [plain(item) for item in value]
    return value


def _cut(text: str, limit: int = LONGEST_FIELD) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}... ({len(text) - limit} more characters)"
