"""A run as a notebook shows it. Everything that a program or a model wrote is escaped."""

import base64
import html
from collections.abc import Callable, Sequence

from actum.errors import ActumError
from actum.lifecycle.shown_results import ShownFigure, ShownTable, figures_of, tables_of
from actum.records.call_events import PendingRow
from actum.records.events import Event
from actum.records.messages import Usage
from actum.records.outcomes import Table
from actum.records.values import JSON, BlobRef

LoadBlob = Callable[[BlobRef], bytes]
MOST_FIGURES = 20
MOST_TABLES = 10
LONGEST_ANSWER = 20_000
LONGEST_CELL = 200
CELL = "text-align: left; padding: 2px 8px"


def run_html(
    head: str,
    answer: str,
    *,
    events: Sequence[Event],
    pending: Sequence[PendingRow],
    usage: Usage,
    load: LoadBlob,
) -> str:
    """One block: what it is, its answer, tables, figures, what waits, what it has used."""
    figures = figures_of(events)
    tables = tables_of(events)
    parts = [
        f"<div><b>{_escaped(head)}</b></div>",
        f"<pre style='white-space: pre-wrap'>{_escaped(answer, LONGEST_ANSWER)}</pre>",
        *(_table(shown) for shown in tables[:MOST_TABLES]),
        *_more(len(tables) - MOST_TABLES, "tables"),
        *(_figure(shown, load) for shown in figures[:MOST_FIGURES]),
        *_more(len(figures) - MOST_FIGURES, "figures"),
        _pending(pending),
        f"<div style='color: gray'>{_escaped(_used(usage))}</div>",
    ]
    return f"<div class='actum-run'>{''.join(parts)}</div>"


def _figure(shown: ShownFigure, load: LoadBlob) -> str:
    figure = shown.figure
    try:
        picture = base64.b64encode(load(figure.png)).decode("ascii")
    except ActumError as error:
        return f"<div>{_escaped(f'{shown.name}: {error.message}')}</div>"
    size = f"width='{figure.width}' height='{figure.height}'"
    return (
        f"<img alt='{shown.name}' {size} style='max-width: 100%; height: auto' "
        f"src='data:image/png;base64,{picture}'>"
    )


def _table(shown: ShownTable) -> str:
    table = shown.table
    head = "".join(f"<th style='{CELL}'>{_escaped(each.name)}</th>" for each in table.columns)
    rows = "".join(f"<tr>{_cells(row, table.index)}</tr>" for row in table.rows)
    caption = f"<caption style='{CELL}; caption-side: bottom'>{_extent(table)}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cells(row: Sequence[JSON], index: int) -> str:
    kinds = ["th" if number < index else "td" for number in range(len(row))]
    return "".join(
        f"<{kind} style='{CELL}'>{_escaped(_cell(value), LONGEST_CELL)}</{kind}>"
        for kind, value in zip(kinds, row, strict=True)
    )


def _cell(value: JSON) -> str:
    match value:
        case None:
            return ""
        case {"$float": str(text)} | {"$int": str(text)}:
            return text
        case _:
            return str(value)


def _extent(table: Table) -> str:
    shown = "" if table.row_count == len(table.rows) else f"; the first {len(table.rows)} are shown"
    return f"{table.row_count:,} rows, {table.column_count:,} columns{shown}"


def _pending(rows: Sequence[PendingRow]) -> str:
    if not rows:
        return ""
    head = "".join(
        f"<th style='{CELL}'>{name}</th>" for name in ("#", "tool", "arguments", "effect")
    )
    lines = [
        (str(number), row.tool, _arguments(row), row.effect) for number, row in enumerate(rows, 1)
    ]
    body = "".join(f"<tr>{_cells(line, 0)}</tr>" for line in lines)
    how = "decide: run.approve(all=True), run.approve(select=[1]) or deny=[1]; then run.resume()"
    return f"<div>waits for a decision</div><table><tr>{head}</tr>{body}</table><div>{how}</div>"


def _arguments(row: PendingRow) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in row.arguments.items())


def _used(usage: Usage) -> str:
    usd = "price not known" if usage.usd is None else f"${usage.usd:.3f}"
    return (
        f"{usage.calls} calls · {usage.requests} requests · {usage.tokens:,} tokens · {usd}"
        f" · {usage.seconds:.1f} s"
    )


def _more(count: int, things: str) -> list[str]:
    return [f"<div>... {count} more {things}</div>"] if count > 0 else []


def _escaped(text: str, limit: int = 1000) -> str:
    if len(text) > limit:
        text = f"{text[:limit]}... ({len(text) - limit:,} more characters)"
    return html.escape(text)
