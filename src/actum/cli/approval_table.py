"""The table of calls that wait: for people, for scripts, and the choices that it leaves."""

from collections.abc import Sequence

from actum.records.call_events import PendingRow
from actum.records.values import JSON


def choices(rows: Sequence[PendingRow]) -> str:
    """The choices that these rows leave."""
    if any(row.kind == "unknown" for row in rows):
        return "--retry N | --happened N=JSON | --fail N"
    if all(row.effect == "destructive" for row in rows):
        return "--select N | --deny"
    return "--all | --select 1,3 | --deny | --rest"


def row_document(run: str, number: int, row: PendingRow) -> dict[str, JSON]:
    """One waiting row, as scripts read it. `id` is what `--select` takes."""
    return {
        "run": run,
        "id": number,
        "kind": row.kind,
        "step": int(row.call.split(".", 1)[0]),
        "line": row.line,
        "tool": row.tool,
        "arguments": row.arguments,
        "effect": row.effect,
        "rule": row.rule,
        "why": row.why,
    }


def table_text(rows: Sequence[PendingRow]) -> str:
    """The rows as a table for people."""
    steps = sorted({row.call.split(".", 1)[0] for row in rows})
    unknown = [row for row in rows if row.kind == "unknown"]
    count = len(rows)
    things = "1 thing that changes" if count == 1 else f"{count} things that change"
    head = f"? step {', '.join(steps)} wants to do {things} something"
    if unknown:
        head = f"? step {', '.join(steps)}: it is not known whether this happened"
    cells = [("#", "tool", "arguments", "effect", "rule")]
    cells += [
        (str(n), row.tool, _arguments(row), row.effect, row.rule or row.why)
        for n, row in enumerate(rows, 1)
    ]
    widths = [min(60, max(len(line[i]) for line in cells)) for i in range(4)]
    lines = [
        "  ".join(
            [
                *(cell[:width].ljust(width) for cell, width in zip(line, widths, strict=False)),
                line[4],
            ]
        )
        for line in cells
    ]
    return "\n".join([head, *(f"  {line}".rstrip() for line in lines)])


def _arguments(row: PendingRow) -> str:
    return " ".join(f"{name}={_short(value)}" for name, value in row.arguments.items())


def _short(value: JSON) -> str:
    text = value if isinstance(value, str) and " " not in value else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
