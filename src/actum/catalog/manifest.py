"""What the prompt says of the tools: as long for twenty thousand as for two hundred."""

from collections.abc import Sequence

from actum.catalog.text import clean, first_line
from actum.records.tools import ToolSpec

ROWS = 50
CHARACTERS = 2400
_LONGEST_SUMMARY = 80
_LONGEST_ROW = 160


def manifest_text(
    root: str, functions: Sequence[ToolSpec], modules: Sequence[tuple[str, int]]
) -> str:
    """The modules with their counts, the functions of the root, and how to find the rest."""
    counted = [(name, f"{root}.{name}  # {_count(number)}") for name, number in modules]
    rows = ""
    for row in (_whole_row, _signature_row, _name_row):
        named = [(spec.name, clean(row(spec), _LONGEST_ROW)) for spec in functions]
        shown = [text for _, text in sorted([*counted, *named])[:ROWS]]
        rows = "\n".join(shown)
        if len(rows) <= CHARACTERS:
            break
    left = len(counted) + len(functions) - ROWS
    if left > 0:
        rows += f'\n... and {left:,} more: {root}.search("what to do") finds them'
    return rows


def _whole_row(spec: ToolSpec) -> str:
    summary = clean(first_line(spec.description), _LONGEST_SUMMARY)
    return f"{spec.signature}  # {summary}" if summary else spec.signature


def _signature_row(spec: ToolSpec) -> str:
    return spec.signature


def _name_row(spec: ToolSpec) -> str:
    return f"{spec.name}(...)"


def _count(number: int) -> str:
    return f"{number:,} function{'s' if number != 1 else ''}"
