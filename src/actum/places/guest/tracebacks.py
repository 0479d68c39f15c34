"""What went wrong in a program, in terms of the program; and short texts of values.

Phase 2.
"""

import ast
import builtins
import linecache
import types
from collections.abc import Collection
from itertools import islice
from typing import Any

from actum.places.guest.missing_modules import way_to_have
from actum.places.guest.records import Record
from actum.places.guest.tool_calls import Denied
from actum.places.guest.values import safe_text

LONGEST_SHOWN = 2000
LONGEST_NAME = 120
LONGEST_MESSAGE = 4000
MOST_FRAMES = 20
MOST_NAMES = 12
MOST_ITEMS = 500
_BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})")}
_DULL = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


def remember_source(name: str, source: str) -> None:
    """Let tracebacks and `inspect` find the lines of a program."""
    lines = [line + "\n" for line in source.splitlines()]
    linecache.cache[name] = (len(source), None, lines, name)


def short_text(value: Any, limit: int = LONGEST_SHOWN) -> str:
    """Show the value. Whatever its own `__repr__` does, a short text comes back."""
    try:
        text = _text(value, limit)
    except BaseException as error:
        text = f"<{type(value).__name__} whose repr fails: {type(error).__name__}>"
    text = safe_text(text)
    if len(text) <= limit:
        return text
    return f"{text[:limit]}... ({len(text) - limit} more characters)"


def _text(value: Any, limit: int) -> str:
    kind = type(value)
    if kind in (str, bytes, bytearray) and len(value) > limit:
        return f"{value[:limit]!r}... ({len(value) - limit} more)"
    if kind in _BRACKETS and len(value) > MOST_ITEMS:
        left, right = _BRACKETS[kind]
        items = ", ".join(_text(item, limit) for item in islice(value, MOST_ITEMS))
        return f"{left}{items}, ... ({len(value) - MOST_ITEMS} more){right}"
    if kind in (dict, Record) and len(value) > MOST_ITEMS:
        pairs = ", ".join(
            f"{key!r}: {_text(item, limit)}" for key, item in islice(value.items(), MOST_ITEMS)
        )
        return f"{{{pairs}, ... ({len(value) - MOST_ITEMS} more)}}"
    return str(repr(value))


def message_of(error: BaseException) -> str:
    """The error's own words, even where its `__str__` fails."""
    try:
        text = str(error)
        if isinstance(error, BaseExceptionGroup):
            parts = [f"{type(each).__name__}: {each}" for each in _all_in(error)]
            text = f"{text}: {'; '.join(parts)}"
    except BaseException:
        text = "(its message could not be read)"
    return safe_text(text)[:LONGEST_MESSAGE]


def describe_error(error: BaseException, programs: Collection[str], current: str) -> dict[str, Any]:
    """The fields of a `ProgramError`; `current` is the program that ran."""
    described: dict[str, Any] = {"type": type(error).__name__, "message": message_of(error)}
    advice = way_to_have(error)
    if advice:
        described["message"] += f". {advice}"
    if isinstance(error, SyntaxError) and error.filename == current:
        described["message"] = safe_text(str(error.msg))
        described["line"] = error.lineno
        return described
    steps = _steps_in_program(error.__traceback__, programs)
    if steps:
        described["line"] = _line_in(current, steps)
        described["frames"] = [_frame(frame, line, current) for frame, line in _shortened(steps)]
        described["names"] = _names_on_line(*steps[-1])
    for each in _all_in(error):
        if isinstance(each, Denied):
            described["rule"] = safe_text(str(each.rule))
    return described


def _shortened(steps: list[tuple[types.FrameType, int]]) -> list[tuple[types.FrameType, int]]:
    """The same without what a recursion repeats, and without the middle of what is left."""
    kept: list[tuple[types.FrameType, int]] = []
    for frame, line in steps:
        before = kept[-1] if kept else None
        if before is None or before[0].f_code is not frame.f_code or before[1] != line:
            kept.append((frame, line))
    if len(kept) <= MOST_FRAMES:
        return kept
    return kept[: MOST_FRAMES // 2] + kept[-MOST_FRAMES // 2 :]


def _all_in(error: BaseException) -> list[BaseException]:
    """The error itself, or those that its group holds."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [one for each in error.exceptions for one in _all_in(each)]


def _line_in(current: str, steps: list[tuple[types.FrameType, int]]) -> int:
    """The innermost line of the program itself; a function of an earlier step is in the frames."""
    for frame, line in reversed(steps):
        if frame.f_code.co_filename == current:
            return line
    return steps[-1][1]


def _steps_in_program(
    traceback: types.TracebackType | None, programs: Collection[str]
) -> list[tuple[types.FrameType, int]]:
    steps: list[tuple[types.FrameType, int]] = []
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename in programs:
            steps.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return steps


def _frame(frame: types.FrameType, line: int, current: str) -> dict[str, Any]:
    code = frame.f_code
    elsewhere = "" if code.co_filename == current else f" of {code.co_filename}"
    return {
        "line": line,
        "function": safe_text(code.co_name) + elsewhere,
        "source": safe_text(linecache.getline(code.co_filename, line).strip()),
    }


def _names_on_line(frame: types.FrameType, line: int) -> dict[str, str]:
    """The names that the failing line uses, each with a short text of its value."""
    source = "".join(linecache.getlines(frame.f_code.co_filename))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name) or node.lineno != line or node.id in found:
            continue
        for scope in (frame.f_locals, frame.f_globals):
            if node.id in scope and not hasattr(builtins, node.id):
                value = scope[node.id]
                if not isinstance(value, _DULL):
                    found[node.id] = short_text(value, LONGEST_NAME)
                break
        if len(found) == MOST_NAMES:
            break
    return found
