"""What is certainly wrong in a model's program, found before it has done anything.

Silent where it is not certain: names that may have changed, calls inside `try`, `*` and `**`.
"""

import ast
import difflib
import warnings
from collections.abc import Callable, Collection, Sequence

from actum.loop.formats.preflight_arguments import argument_problem
from actum.loop.formats.preflight_names import ToolNamesSeen, guarded, names_seen
from actum.records.tools import ToolSpec

FindTool = Callable[[str], ToolSpec | None]
ListModule = Callable[[str], Sequence[str] | None]
"""The names in a module, short; `""` is the root. None where there is no such module."""

RESERVED = frozenset({"Denied", "ToolError", "describe", "parallel", "search"})
NAMES_SHOWN = 12
PROBLEMS_SHOWN = 5
SOURCE_LIMIT = 200
NOTHING_RAN = "Nothing was run. Send the whole program again."


def check_program(
    source: str,
    specs: FindTool,
    modules: ListModule,
    root: str,
    injected: Collection[str] = (),
) -> str | None:
    """What the model is told of the program, or None where it may run.

    `injected` are names below the root that the program certainly has without an import.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            compile(source, "<program>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        return _syntax_text(error, source)
    except (ValueError, RecursionError, MemoryError) as error:
        return f"The program cannot be compiled: {error}. {NOTHING_RAN}"
    seen = names_seen(tree, root, injected)
    skipped = guarded(tree)
    checker = _Checker(specs, modules, root, seen)
    problems: list[str] = []
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        problem = checker.problem(node)
        if problem is not None:
            problems.append(f"line {getattr(node, 'lineno', 0)}: {problem}")
    if not problems:
        return None
    shown = "\n".join(dict.fromkeys(sorted(problems, key=_line)[:PROBLEMS_SHOWN]))
    return f"The program was checked before its start:\n{shown}\n{NOTHING_RAN}"


class _Checker:
    """One program against the tools."""

    def __init__(
        self, specs: FindTool, modules: ListModule, root: str, seen: ToolNamesSeen
    ) -> None:
        self._specs = specs
        self._modules = modules
        self._root = root
        self._seen = seen

    def problem(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.ImportFrom) and not node.level:
            return self._import_from(node)
        if isinstance(node, ast.Import):
            return next(filter(None, map(self._import, (alias.name for alias in node.names))), None)
        if isinstance(node, ast.Call):
            return self._call(node)
        return None

    def _import_from(self, node: ast.ImportFrom) -> str | None:
        module = self._below(node.module or "")
        if module is None:
            return None
        if self._modules(module) is None:
            return self._no_module(module)
        for alias in node.names:
            if alias.name != "*" and not self._exists(module, alias.name):
                return self._no_name(module, alias.name)
        return None

    def _import(self, name: str) -> str | None:
        module = self._below(name)
        if module is None or self._modules(module) is not None:
            return None
        return self._no_module(module)

    def _call(self, node: ast.Call) -> str | None:
        name = self._seen.full_name(node.func)
        if name is None:
            return None
        spec = self._specs(name)
        if spec is not None:
            return argument_problem(node, spec, self._written(name))
        module, _, last = name.rpartition(".")
        if last == "again" and (spec := self._specs(module)) is not None:
            return argument_problem(node, spec, self._written(module))
        if self._modules(module) is None or last.startswith("_") or self._exists(module, last):
            return None
        return self._no_name(module, last)

    def _below(self, name: str) -> str | None:
        """The name below the root; None where it is another's."""
        if name == self._root:
            return ""
        prefix = f"{self._root}."
        return name.removeprefix(prefix) if name.startswith(prefix) else None

    def _exists(self, module: str, name: str) -> bool:
        if not module and name in RESERVED:
            return True
        full_name = f"{module}.{name}" if module else name
        if self._specs(full_name) is not None or self._modules(full_name) is not None:
            return True
        return name in (self._modules(module) or ())

    def _no_module(self, module: str) -> str:
        have = [name for name in self._modules("") or () if self._modules(name) is not None]
        return f"there are no tools {module!r}. {_near(module, have)}"

    def _no_name(self, module: str, name: str) -> str:
        have = list(self._modules(module) or ())
        return f"{self._written(module)} has no {name!r}. {_near(name, have)}"

    def _written(self, name: str) -> str:
        """The name as a program writes it."""
        return name or self._root


def _near(name: str, have: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, have, n=3, cutoff=0.5)
    if near:
        return f"Near: {', '.join(near)}."
    shown = ", ".join(have[:NAMES_SHOWN])
    more = f", and {len(have) - NAMES_SHOWN} more" if len(have) > NAMES_SHOWN else ""
    return f"It has: {shown}{more}." if shown else "It has nothing."


def _line(problem: str) -> int:
    return int(problem.removeprefix("line ").split(":", 1)[0])


def _syntax_text(error: SyntaxError, source: str) -> str:
    lines = source.split("\n")
    number = error.lineno or 1
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    shown = line.strip()[:SOURCE_LIMIT]
    text = f"The program does not compile: line {number}: {error.msg}\n  {shown}\n"
    if shown.startswith(("!", "%")):
        text += "Shell commands and magics do not work here; write Python.\n"
    elif shown.startswith("```"):
        text += "Send the program without a fence inside it.\n"
    return text + NOTHING_RAN
