"""One program at a time, with the variables that stay between them.

Phase 2.
"""

import ast
import asyncio
import builtins
import symtable
import sys
from types import CodeType, ModuleType
from typing import Any, NoReturn

from actum.places.guest.pools import settle
from actum.places.guest.results import Results
from actum.places.guest.scheduler import SCHEDULER
from actum.places.guest.tool_calls import ToolCalls
from actum.places.guest.tool_modules import ToolModules
from actum.places.guest.tracebacks import describe_error, remember_source, short_text
from actum.places.guest.values import Body, encode

AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
LARGEST_ANSWER = 4_000_000
OURS = {"display", "_"}
"""Builtins that only we have: a tool of this name comes first."""
CO_COROUTINE = 128
"""As in `inspect`, which costs more to import than all else here."""


class Finished(SystemExit):
    """`finish` was called. No `except Exception` stops it, and asyncio lets it through."""


class Programs:
    """The variables, and how a program runs on them."""

    def __init__(self, calls: ToolCalls, modules: ToolModules, results: Results) -> None:
        self._calls = calls
        self._modules = modules
        self._results = results
        self._name = ""
        self._finished: tuple[dict[str, Any], Body] | None = None
        self.main = ModuleType("__main__")
        self.variables = self.main.__dict__
        self.variables.update(__builtins__=builtins, finish=self.finish)

    def finish(self, value: Any = None) -> NoReturn:
        """End the program and the run with this value as the answer."""
        if self._finished is None:
            content = Body(LARGEST_ANSWER)
            encoded = encode(value, content, "finish: the value")
            outcome = {"status": "finished", "value": encoded, "shown": short_text(value)}
            self._finished = (outcome, content)
        if SCHEDULER.own_baton() is SCHEDULER.main:
            raise Finished(0)
        # The thread ends here, and the main thread when it waits next.
        SCHEDULER.interrupt_main(Finished(0))
        raise SystemExit

    def run(self, source: str, name: str) -> tuple[dict[str, Any], Body]:
        """Run a program to its end: the fields of its `Outcome`."""
        self._begin(source, name)
        try:
            tree = ast.parse(source, name)
            last_name = _last_name(tree)
            body, last = _split(tree, name)
            self._supply_tools(source, name)
            outcome, content = self._results.last(self._execute(body, last), last_name)
            outcome["status"] = "done"
        except BaseException as error:
            outcome, content = self._ended_by(error)
        SCHEDULER.forget_interrupt()
        try:
            settle()
        except BaseException as error:
            outcome, content = self._ended_by(error)
        if self._finished is not None:
            outcome, content = self._finished
        try:
            self._results.end_program(outcome)
        except BaseException as error:
            # What went wrong before counts for more.
            if outcome["status"] == "done":
                outcome, content = self._not_drawn(error)
        outcome["open_calls"] = len(SCHEDULER.open)
        outcome["replayable"] = not SCHEDULER.foreign
        return outcome, content

    def _begin(self, source: str, name: str) -> None:
        self._name = name
        self._finished = None
        self._results.begin_program()
        remember_source(name, source)

    def _execute(self, body: CodeType, last: CodeType | None) -> Any:
        """Run it, in an event loop where it awaits outside of any function."""
        codes = [code for code in (body, last) if code is not None]
        if not any(code.co_flags & CO_COROUTINE for code in codes):
            exec(body, self.variables)
            return None if last is None else eval(last, self.variables)

        async def execute() -> Any:
            value = None
            for code in codes:
                value = eval(code, self.variables)
                if code.co_flags & CO_COROUTINE:
                    value = await value
            return value if last is not None else None

        return asyncio.run(execute())

    def _ended_by(self, error: BaseException) -> tuple[dict[str, Any], Body]:
        outcome: dict[str, Any]
        if isinstance(error, KeyboardInterrupt):
            outcome = {"status": "interrupted"}
        elif isinstance(error, SystemExit):
            return self._exit_outcome(error), Body()
        else:
            outcome = {"status": "failed"}
        outcome["error"] = describe_error(error, self._calls.program_names, self._name)
        return outcome, Body()

    def _not_drawn(self, error: BaseException) -> tuple[dict[str, Any], Body]:
        outcome, content = self._ended_by(error)
        if "error" in outcome:
            said = outcome["error"]["message"]
            outcome["error"]["message"] = f"a figure could not be drawn: {said}"
        return outcome, content

    def _exit_outcome(self, error: SystemExit) -> dict[str, Any]:
        code = error.code
        if code is None or code == 0:
            return {"status": "done", "exit_code": 0}
        exit_code = (int(code) & 255 or 1) if isinstance(code, int) else 1
        described = describe_error(error, self._calls.program_names, self._name)
        return {"status": "failed", "exit_code": exit_code, "error": described}

    def _supply_tools(self, source: str, name: str) -> None:
        """Put tools that the program uses without an import where it looks for them."""
        missing = _free_names(symtable.symtable(source, name, "exec")) - set(self.variables)
        missing = {each for each in missing if each in OURS or not hasattr(builtins, each)}
        if not missing:
            return
        try:
            offered = self._modules.offered()
        except ImportError:
            return
        root = sys.modules[self._modules.root]
        for each in sorted(missing):
            if each == self._modules.root:
                self.variables[each] = root
            elif each in offered:
                self.variables[each] = getattr(root, each)


def _last_name(tree: ast.Module) -> str:
    """The variable that the last expression is; empty where it is more than that."""
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Name):
        return last.value.id
    return ""


def _split(tree: ast.Module, name: str) -> tuple[CodeType, CodeType | None]:
    """The program, and its last expression apart, whose value goes back."""
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        expression = tree.body.pop()
        assert isinstance(expression, ast.Expr)
        last = compile(ast.Expression(expression.value), name, "eval", AWAIT, dont_inherit=True)
    return compile(tree, name, "exec", AWAIT, dont_inherit=True), last


def _free_names(table: symtable.SymbolTable) -> set[str]:
    """Names that the program reads as globals and never binds."""
    read: set[str] = set()
    bound: set[str] = set()
    tables = [table]
    while tables:
        one = tables.pop()
        tables += one.get_children()
        at_top = one.get_type() == "module"
        for symbol in one.get_symbols():
            if not at_top and not symbol.is_global():
                continue
            if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
                bound.add(symbol.get_name())
            elif symbol.is_referenced():
                read.add(symbol.get_name())
    return read - bound
