"""The figures and tables of a run, in the order in which its programs showed them."""

from collections.abc import Iterator, Sequence

import msgspec

from actum.records.events import ActionEnd, Event
from actum.records.outcomes import Figure, Outcome, Table
from actum.records.values import JSON, BlobRef


class ShownFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure by its number in the run."""

    name: str
    """`figure-1`."""
    step: int
    figure: Figure


class ShownTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table by its number in the run."""

    name: str
    """`table-1`."""
    step: int
    table: Table


def figures_of(events: Sequence[Event]) -> list[ShownFigure]:
    """Every figure that programs drew."""
    found = [(step, figure) for step, outcome in _outcomes(events) for figure in outcome.figures]
    return [
        ShownFigure(name=f"figure-{number}", step=step, figure=figure)
        for number, (step, figure) in enumerate(found, 1)
    ]


def tables_of(events: Sequence[Event]) -> list[ShownTable]:
    """Every table that programs showed."""
    found = [(step, table) for step, outcome in _outcomes(events) for table in outcome.tables]
    return [
        ShownTable(name=f"table-{number}", step=step, table=table)
        for number, (step, table) in enumerate(found, 1)
    ]


def picture_files(events: Sequence[Event]) -> dict[str, BlobRef]:
    """The files that figures are, by name: `figure-1.png`, `figure-1.svg`."""
    files: dict[str, BlobRef] = {}
    for shown in figures_of(events):
        files[f"{shown.name}.png"] = shown.figure.png
        if shown.figure.svg is not None:
            files[f"{shown.name}.svg"] = shown.figure.svg
    return files


def figures_in(events: Sequence[Event]) -> list[dict[str, JSON]]:
    """The figures as scripts read them."""
    return [
        {
            "step": shown.step,
            "width": shown.figure.width,
            "height": shown.figure.height,
            "png": _kept(shown.figure.png),
            "svg": None if shown.figure.svg is None else _kept(shown.figure.svg),
        }
        for shown in figures_of(events)
    ]


def tables_in(events: Sequence[Event]) -> list[dict[str, JSON]]:
    """The tables as scripts read them: the first rows, and how many there are."""
    return [{"step": shown.step, **_table(shown.table)} for shown in tables_of(events)]


def named(documents: Sequence[dict[str, JSON]], kind: str) -> list[JSON]:
    """The same with their names in the run: `figure-1`."""
    return [{"name": f"{kind}-{number}", **each} for number, each in enumerate(documents, 1)]


def _table(table: Table) -> dict[str, JSON]:
    return {
        "columns": [{"name": each.name, "type": each.type} for each in table.columns],
        "rows": [list(row) for row in table.rows],
        "row_count": table.row_count,
        "column_count": table.column_count,
        "index": table.index,
    }


def _kept(blob: BlobRef) -> JSON:
    return {"size": blob.size, "sha256": blob.sha256}


def _outcomes(events: Sequence[Event]) -> Iterator[tuple[int, Outcome]]:
    for event in events:
        if isinstance(event.body, ActionEnd) and event.body.outcome is not None:
            yield event.step or 0, event.body.outcome
