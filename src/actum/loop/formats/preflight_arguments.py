"""The arguments of one call against the parameters of its tool."""

import ast
import difflib

from actum.records.tools import Parameter, ToolSpec


def argument_problem(call: ast.Call, spec: ToolSpec, written: str) -> str | None:
    """What is certainly wrong with the arguments, and how the function is called."""
    if not spec.parameters and spec.input_schema.get("properties"):
        # The source told its parameters as a schema only: the gate checks them.
        return None
    problem = _problem(call, spec.parameters)
    if problem is None:
        return None
    return f"{written}: {problem}. It is {spec.signature}"


def _problem(call: ast.Call, parameters: tuple[Parameter, ...]) -> str | None:
    kinds = {parameter.kind for parameter in parameters}
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    spread = any(keyword.arg is None for keyword in call.keywords)
    by_place = [p for p in parameters if p.kind in {"positional", "either"}]
    by_name = [p for p in parameters if p.kind in {"either", "keyword"}]
    if not starred and "more" not in kinds and len(call.args) > len(by_place):
        return f"{len(call.args)} positional arguments, and it takes {len(by_place)}"
    taken = {p.name for p in by_place[: len(call.args)]} if not starred else set[str]()
    given = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
    for name in given:
        if "more_keywords" not in kinds and name not in {p.name for p in by_name}:
            return f"no argument {name!r}{_near(name, [p.name for p in by_name])}"
        if name in taken and any(p.name == name for p in by_name):
            return f"argument {name!r} is given twice"
    if starred or spread:
        return None
    required = [p.name for p in (*by_place, *by_name) if p.default is None]
    missing = [n for n in dict.fromkeys(required) if n not in taken and n not in given]
    if missing:
        return f"missing {', '.join(repr(name) for name in missing)}"
    return None


def _near(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f" (near: {near[0]})" if near else ""
