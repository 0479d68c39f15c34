"""Tables of pandas and polars: their first rows as data, and how large all of them are.

Phase 2. Nothing here imports them.
"""

from typing import Any

from actum.places.guest.tracebacks import short_text
from actum.places.guest.values import Body, encode

MOST_ROWS = 20
MOST_COLUMNS = 30
LONGEST_CELL = 200
LONGEST_NAME = 80


def is_table(value: Any) -> bool:
    """Whether it has rows and columns that can be shown apart."""
    return any(
        kind.__name__ in ("DataFrame", "Series")
        and kind.__module__.partition(".")[0] in ("pandas", "polars")
        for kind in type(value).__mro__
    )


def table_of(value: Any) -> dict[str, Any]:
    """The fields of a `Table`."""
    columns, count = _columns_of(value)
    index = _index_of(value)
    shown = [*index, *columns]
    return {
        "columns": [{"name": _text(name, LONGEST_NAME), "type": kind} for name, kind, _ in shown],
        "rows": [[_cell(cells[n]) for _, _, cells in shown] for n in range(_rows_shown(value))],
        "row_count": len(value),
        "column_count": count,
        "index": len(index),
    }


Column = tuple[Any, str, list[Any]]


def _columns_of(value: Any) -> tuple[list[Column], int]:
    """Name, type and first cells of the first columns; and how many there are."""
    head = value.head(MOST_ROWS)
    if not hasattr(value, "columns"):
        name = value.name if value.name is not None else "value"
        return [(name, str(value.dtype), head.to_list())], 1
    names = list(value.columns)
    first = range(min(len(names), MOST_COLUMNS))
    if hasattr(value, "to_dicts"):
        return [(names[n], str(value.dtypes[n]), head[names[n]].to_list()) for n in first], len(
            names
        )
    kinds = list(value.dtypes)
    columns = [(names[n], str(kinds[n]), head.iloc[:, n].to_list()) for n in first]
    return columns, len(names)


def _index_of(value: Any) -> list[Column]:
    """The index as columns; none where it only counts the rows."""
    index = getattr(value, "index", None)
    if index is None or not hasattr(index, "nlevels"):
        return []
    if type(index).__name__ == "RangeIndex" and index.name is None and _counts(index):
        return []
    head = index[:MOST_ROWS]
    levels = [head.get_level_values(n) for n in range(index.nlevels)]
    return [
        (level.name if level.name is not None else "", str(level.dtype), level.to_list())
        for level in levels
    ]


def _counts(index: Any) -> bool:
    return index.start == 0 and index.step == 1


def _rows_shown(value: Any) -> int:
    return min(len(value), MOST_ROWS)


def _cell(value: Any) -> Any:
    if value is None or type(value).__name__ in ("NaTType", "NAType"):
        return None
    if hasattr(value, "item") and type(value).__module__ == "numpy":
        value = value.item()
    if type(value) in (bool, int, float):
        return encode(value, Body(), "a cell")
    if isinstance(value, (list, dict, set, bytes)):
        return short_text(value, LONGEST_CELL)
    return _text(value, LONGEST_CELL)


def _text(value: Any, limit: int) -> str:
    if isinstance(value, tuple):
        return _text(" / ".join(map(str, value)), limit)
    try:
        text = str(value)
    except Exception:
        return short_text(value, limit)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text) - limit} more)"
