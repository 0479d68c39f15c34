"""Calls written as Python where only calls of tools can be made: `[crm.get(i=1)]`."""

import ast
from typing import cast

import msgspec

from actum.loop.formats.reading.calls import Asked
from actum.loop.formats.reading.programs import parsed, tidy
from actum.records.tools import ToolSpec
from actum.records.values import JSON

PLACES_TRIED = 6
# A longer text is a program that shows, not calls.
LONGEST = 20_000


def pythonic_at_end(text: str, tools: dict[str, ToolSpec]) -> list[Asked]:
    """The calls that a text ends with, whatever words stand in front."""
    if len(text) > LONGEST:
        return []
    lines = text.strip().split("\n")
    starts = [index for index, line in enumerate(lines) if "(" in line][:PLACES_TRIED]
    for index in starts:
        calls = pythonic_calls("\n".join(lines[index:]), tools)
        if calls:
            return calls
    return []


def pythonic_calls(text: str, tools: dict[str, ToolSpec]) -> list[Asked]:
    """The calls, where the whole text is calls of known tools with plain values."""
    tree = parsed(tidy(text))
    if tree is None:
        return []
    found: list[Asked] = []
    for statement in tree.body:
        value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        inside = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
        calls = [_call(item, tools) for item in inside]
        known = [call for call in calls if call is not None]
        if len(known) != len(calls):
            return []
        found += known
    return found


def _call(value: ast.expr | None, tools: dict[str, ToolSpec]) -> Asked | None:
    if isinstance(value, ast.Call) and _is_print(value):
        value = value.args[0]
    if not isinstance(value, ast.Call):
        return None
    spec = tools.get(_dotted(value.func))
    if spec is None:
        return None
    written = _written(value, spec)
    if written is None:
        return None
    try:
        arguments = {name: ast.literal_eval(item) for name, item in written.items()}
        decoded = msgspec.json.decode(msgspec.json.encode(arguments))
    except (ValueError, TypeError, RecursionError, MemoryError, msgspec.MsgspecError):
        return None
    return Asked(spec.name, cast("dict[str, JSON]", decoded))


def _written(call: ast.Call, spec: ToolSpec) -> dict[str, ast.expr] | None:
    """The arguments by name; None where they do not go by name."""
    parameters = [parameter.name for parameter in spec.parameters]
    only = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if isinstance(only, ast.Dict):
        # `crm.get({"i": 1})`: JSON between the brackets.
        keys = [key.value if isinstance(key, ast.Constant) else None for key in only.keys]
        if keys and all(isinstance(key, str) and key in parameters for key in keys):
            return dict(zip(map(str, keys), only.values, strict=True))
    names = parameters[: len(call.args)]
    given = {key.arg: key.value for key in call.keywords if key.arg is not None}
    if len(names) < len(call.args) or len(given) < len(call.keywords):
        return None
    return {**dict(zip(names, call.args, strict=True)), **given}


def _dotted(value: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(value, ast.Attribute):
        parts.append(value.attr)
        value = value.value
    return ".".join([value.id, *reversed(parts)]) if isinstance(value, ast.Name) else ""


def _is_print(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id == "print"
    return named and len(call.args) == 1 and not call.keywords
