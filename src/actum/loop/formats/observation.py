"""How a program ended, as the model is told it. These texts are part of the product.

Version 1. A change of a text is a change of what every model sees: give it a new number.
"""

from collections.abc import Sequence

from actum.loop.formats.capped import capped
from actum.loop.formats.shown_results import results_text
from actum.records.outcomes import Outcome, ProgramError

OBSERVATION_VERSION = 1
VALUE_LIMIT = 4 * 1024
MESSAGE_LIMIT = 2 * 1024
FRAMES_SHOWN = 4
SOURCE_LIMIT = 200
NAMES_SHOWN = 8
NAME_LIMIT = 120

LIMITS = {
    "seconds": "it ran too long",
    "cpu": "it used too much CPU time",
    "memory": "it used too much memory",
    "output": "it printed too much",
    "disk": "it wrote too much to disk",
    "threads": "it started too many threads",
    "calls": "it made too many tool calls",
}
WAYS_OUT = {
    "seconds": "do less in one program, or make many calls side by side",
    "cpu": "use a faster way or a smaller part of the data",
    "memory": "go through the data in parts; keep only what you need",
    "output": "print a count or the first rows",
    "disk": "write less, and delete what is no longer needed",
    "threads": "use a small thread pool",
    "calls": "make fewer calls: filter first, or ask for many at once",
}
VARIABLES_BACK = "Variables are as before this program; tool calls that were made stay made."


def observation_text(outcome: Outcome, printed: str, notes: Sequence[str]) -> str:
    """Output, value, tables, figures, error or end, open calls and notes: each named, each capped."""
    parts: list[str] = []
    if printed.strip():
        parts.append(f"Output:\n{capped(printed.rstrip())}")
    if outcome.shown is not None:
        parts.append(f"Value: {capped(outcome.shown, VALUE_LIMIT)}")
    parts.extend(results_text(outcome))
    parts.extend(_ends(outcome))
    if not parts:
        parts.append("The program ran and printed nothing. Print what you need to see.")
    if outcome.open_calls:
        parts.append(_open_calls(outcome.open_calls))
    if notes:
        parts.append("\n".join(f"Note: {note}" for note in notes))
    return "\n".join(parts)


def _ends(outcome: Outcome) -> list[str]:
    if outcome.status == "killed":
        return [_killed(outcome)]
    if outcome.error is not None:
        return [_failed(outcome.error)]
    if outcome.status == "interrupted":
        return ["The program was interrupted before its end. Variables set so far are kept."]
    if outcome.exit_code:
        return [f"The program ended itself with exit code {outcome.exit_code}."]
    return []


def _failed(error: ProgramError) -> str:
    place = f" in line {error.line}" if error.line is not None else ""
    lines = [f"Error{place}: {error.type}: {capped(error.message, MESSAGE_LIMIT)}"]
    for frame in error.frames[-FRAMES_SHOWN:]:
        inside = "" if frame.function in {"", "<module>"} else f" in {frame.function}"
        lines.append(f"  line {frame.line}{inside}: {capped(frame.source.strip(), SOURCE_LIMIT)}")
    named = list(error.names.items())[:NAMES_SHOWN]
    lines.extend(f"  {name} = {capped(text, NAME_LIMIT)}" for name, text in named)
    if error.rule:
        lines.append(f"Refused by the rule {error.rule}. Do it another way, or say what you need.")
    return "\n".join(lines)


def _killed(outcome: Outcome) -> str:
    if outcome.limit is None:
        code = f" (exit code {outcome.exit_code})" if outcome.exit_code is not None else ""
        return f"The program's process ended{code}. {VARIABLES_BACK}"
    why = LIMITS[outcome.limit]
    way = WAYS_OUT[outcome.limit]
    return f"The program was stopped: {why}. {VARIABLES_BACK} Next: {way}."


def _open_calls(count: int) -> str:
    calls = "1 tool call was" if count == 1 else f"{count} tool calls were"
    return f"{calls} still under way when the program ended; their results are lost."
