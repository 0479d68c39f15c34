"""A last value as the model reads it: whole where it is short, else its size and how to see a part.

Phase 2.
"""

from itertools import islice
from typing import Any

from actum.places.guest.tracebacks import LONGEST_SHOWN, short_text

BEGINNING = 500
SAMPLES = (100, 5, 3, 2, 2, 2, 2, 2)
"""So many items are looked at, level by level, to say how large the whole is."""
UNITS = ("bytes", "kB", "MB", "GB")
SMALL_ARRAY = 100
"""Elements of an array that is shown as it is."""


def shown_text(value: Any, name: str) -> str:
    """The value's own text, or what it is. `name` is how the next program reaches it."""
    try:
        described = _described(value, name)
        if described is not None:
            return f"{described}\nIt begins: {_beginning(value)}"
    except Exception:
        # A class of the program's own that only looks like a list.
        pass
    return short_text(value)


def _described(value: Any, name: str) -> str | None:
    """Kind, count, size and a way to a part; None for what is short enough."""
    if _is_array(value):
        return _array(value, name) if value.size > SMALL_ARRAY else None
    if isinstance(value, str):
        return _long_text(value, name) if len(value) > LONGEST_SHOWN else None
    if isinstance(value, (bytes, bytearray)):
        long = len(value) * 2 > LONGEST_SHOWN
        return (
            f"{_size(len(value))} as {_kind(value)}; look at a part: {name}[:100]" if long else None
        )
    if not isinstance(value, (list, tuple, dict, set, frozenset)):
        return None
    size = _text_size(value)
    if size <= LONGEST_SHOWN:
        return None
    return f"{_counted(value)}, about {_size(size)} as text; look at a part: {_part(value, name)}"


def _array(value: Any, name: str) -> str:
    shape = " x ".join(f"{n:,}" for n in value.shape)
    size = _size(int(value.nbytes))
    return f"array of {shape}, {value.dtype}, {size}; look at a part: {name}[:5]"


def _long_text(value: str, name: str) -> str:
    lines = value.count("\n") + 1
    inside = f", {lines:,} lines" if lines > 1 else ""
    return f"text of {len(value):,} characters{inside}; look at a part: {name}[:1000]"


def _counted(value: Any) -> str:
    """`list of 12,034 dicts`."""
    kinds = {_kind(item) for item in islice(value, SAMPLES[0])}
    inside = f"{kinds.pop()}s" if len(kinds) == 1 and not isinstance(value, dict) else "entries"
    if len(value) == 1:
        inside = "entry"
    return f"{_kind(value)} of {len(value):,} {inside}"


def _part(value: Any, name: str) -> str:
    if isinstance(value, dict):
        return f"list({name}.items())[:5]"
    if isinstance(value, (set, frozenset)):
        return f"list({name})[:5]"
    return f"{name}[:5]" if len(value) > 1 else f"{name}[0]"


def _text_size(value: Any, depth: int = 0) -> int:
    """How long the whole would be as text, from its first items and theirs."""
    if isinstance(value, (str, bytes, bytearray)):
        return len(value) + 2
    if not isinstance(value, (list, tuple, dict, set, frozenset)):
        return len(short_text(value))
    if not value or depth == len(SAMPLES):
        return 2
    first = list(islice(value, SAMPLES[depth]))
    lengths = sum(_text_size(item, depth + 1) + 2 for item in first)
    if isinstance(value, dict):
        lengths += sum(_text_size(value[key], depth + 1) + 2 for key in first)
    return 2 + lengths * len(value) // len(first)


def _beginning(value: Any) -> str:
    if isinstance(value, (str, bytes, bytearray)):
        return short_text(value[:BEGINNING])
    if isinstance(value, dict):
        return short_text(dict(islice(value.items(), 5)), BEGINNING)
    if isinstance(value, (set, frozenset)):
        return short_text(list(islice(value, 5)), BEGINNING)
    if _is_array(value):
        return short_text(value.reshape(-1)[:5].tolist(), BEGINNING)
    return short_text(list(value[:5]), BEGINNING)


def _is_array(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def _kind(value: Any) -> str:
    return "record" if type(value).__name__ == "Record" else type(value).__name__


def _size(count: int) -> str:
    """`3.1 MB`."""
    size = float(count)
    unit = 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size /= 1000
        unit += 1
    return f"{count:,} bytes" if unit == 0 else f"{size:.1f} {UNITS[unit]}"
