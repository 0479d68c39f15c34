"""What a program gives back beside its text: its last value, tables and figures.

Phase 2.
"""

import builtins
import sys
from typing import Any

from actum.places.guest.figures import FIGURES, figure_behind
from actum.places.guest.shown import shown_text
from actum.places.guest.tables import is_table, table_of
from actum.places.guest.values import Body, encode

LARGEST_VALUE = 1_000_000
"""Characters, about. A larger last value goes back as a short text only."""
MOST_TABLES = 20


class Results:
    """Collects what one program shows."""

    def __init__(self) -> None:
        self._tables: list[dict[str, Any]] = []
        self._last_figure: Any = None

    def begin_program(self) -> None:
        """Nothing is shown yet."""
        self._tables = []
        self._last_figure = None
        FIGURES.begin_program()

    def display(self, *values: Any) -> None:
        """Show tables and figures apart, everything else as text."""
        for value in values:
            if self._add_table(value):
                continue
            if (figure := figure_behind(value)) is not None:
                FIGURES.draw(figure)
            else:
                print(repr(value))

    def last(self, value: Any, name: str) -> tuple[dict[str, Any], Body]:
        """What the last expression gives back; as in a notebook, `_` is its value from now on."""
        if value is None:
            return {}, Body()
        builtins._ = value
        shown: dict[str, Any] = {}
        if not self._add_table(value):
            self._last_figure = figure_behind(value)
            if self._last_figure is not None:
                return {}, Body()
            shown["shown"] = shown_text(value, name or "_")
        content = Body(LARGEST_VALUE)
        try:
            shown["value"] = encode(value, content, "the value")
        except Exception:
            # It is no data: its text is all that goes back.
            content = Body()
        return shown, content

    def end_program(self, outcome: dict[str, Any]) -> None:
        """Figures that were left open go too; tables stand in the outcome."""
        FIGURES.show_all(self._last_figure)
        if self._tables:
            outcome["tables"] = self._tables

    def _add_table(self, value: Any) -> bool:
        """Whether it is a table that can be shown as one."""
        if not is_table(value):
            return False
        if len(self._tables) == MOST_TABLES:
            print(f"[only the first {MOST_TABLES} tables are kept]", file=sys.stderr)
            return True
        try:
            self._tables.append(table_of(value))
        except Exception:
            # One of a kind that we do not know: it comes as text.
            return False
        return True
