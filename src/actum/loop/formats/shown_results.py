"""Figures and tables of a program, as the model is told of them."""

import math
from collections.abc import Iterator

from actum.loop.formats.capped import capped
from actum.records.outcomes import Figure, Outcome, Table
from actum.records.values import JSON, BlobRef

IMAGES_SHOWN = 4
"""So many of a program's figures go to the model as pictures: each costs hundreds of tokens."""
LARGEST_IMAGE = 3 << 20
TABLES_SHOWN = 5
TABLE_LIMIT = 4 * 1024
CELL_LIMIT = 80
DIGITS = 12


def results_text(outcome: Outcome) -> list[str]:
    """Each table and each figure, by number."""
    tables = [_table(number, table) for number, table in enumerate(outcome.tables, 1)]
    if len(tables) > TABLES_SHOWN:
        tables[TABLES_SHOWN:] = [f"({len(tables) - TABLES_SHOWN} more tables are not shown)"]
    return [*tables, *_figures(outcome)]


def images_of(outcome: Outcome) -> tuple[BlobRef, ...]:
    """The pictures that go to the model."""
    fitting = [each.png for each in outcome.figures if each.png.size <= LARGEST_IMAGE]
    return tuple(fitting[:IMAGES_SHOWN])


def _figures(outcome: Outcome) -> Iterator[str]:
    shown = set(images_of(outcome))
    for number, figure in enumerate(outcome.figures, 1):
        seen = "" if figure.png in shown else ", kept, not shown to the model"
        yield f"Figure {number} ({_kinds(figure)}, {figure.width}x{figure.height}{seen})"


def _kinds(figure: Figure) -> str:
    return "png" if figure.svg is None else "png and svg"


def _table(number: int, table: Table) -> str:
    rows = f"{table.row_count:,} row{'' if table.row_count == 1 else 's'}"
    columns = f"{table.column_count:,} column{'' if table.column_count == 1 else 's'}"
    lines = [f"Table {number}: {rows}, {columns}{_part(table)}"]
    if table.columns:
        lines.append(" | ".join(_named(each.name, each.type) for each in table.columns))
    lines.extend(" | ".join(_cell(cell) for cell in row) for row in table.rows)
    return capped("\n".join(lines), TABLE_LIMIT)


def _part(table: Table) -> str:
    parts: list[str] = []
    if table.row_count > len(table.rows):
        parts.append(f"the first {len(table.rows)} rows")
    columns = len(table.columns) - table.index
    if table.column_count > columns:
        parts.append(f"the first {columns} columns")
    return f"; {' and '.join(parts)}:" if parts else ":"


def _named(name: str, kind: str) -> str:
    return f"{_one_line(name)} ({kind})" if name else f"({kind})"


def _cell(value: JSON) -> str:
    match value:
        case None:
            return ""
        case bool() | int():
            return str(value)
        case float():
            return f"{value:.{DIGITS}g}" if math.isfinite(value) else str(value)
        case {"$float": str(text)} | {"$int": str(text)}:
            return text
        case str():
            return _one_line(value)
        case _:
            return _one_line(str(value))


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= CELL_LIMIT else f"{text[:CELL_LIMIT]}..."
