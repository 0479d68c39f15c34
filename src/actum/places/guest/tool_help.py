"""`help`, as programs use it: short for tools, and Python's own for everything else.

Phase 2.
"""

import ast
import sys
from types import ModuleType
from typing import Any

MARGIN = "    "


def show_help(thing: Any = None, *, full: bool = False) -> None:
    """Print what this is and how it is called. `full=True` prints all that a tool says."""
    if isinstance(thing, ModuleType) and "__actum_text__" in vars(thing):
        text = _module_help(thing, full=full)
    elif hasattr(thing, "__actum_tool__"):
        text = _function_help(sys.modules[thing.__module__], thing, full=full)
    elif thing is None:
        text = "help(thing) tells about a module, a function, a class or a value"
    else:
        text = _python_help(thing)
    sys.stdout.write(text.rstrip() + "\n")


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Give the first line of a stub."""
    returned = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"def {node.name}({ast.unparse(node.args)}){returned}"


def _stubs(module: ModuleType) -> list[ast.FunctionDef]:
    tree = ast.parse(vars(module)["__actum_text__"])
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _module_help(module: ModuleType, *, full: bool) -> str:
    lines = [module.__name__]
    if module.__doc__:
        lines.append(MARGIN + module.__doc__.strip().replace("\n", "\n" + MARGIN))
    for node in _stubs(module):
        lines += ["", *_described(node, full=full)]
    names = vars(module)["__actum_modules__"]
    if names:
        lines += ["", "modules: " + ", ".join(names)]
    return "\n".join(lines)


def _function_help(module: ModuleType, function: Any, *, full: bool) -> str:
    for node in _stubs(module):
        if node.name == function.__name__:
            return "\n".join(_described(node, full=full))
    return f"{function.__name__}\n{MARGIN}{function.__doc__ or ''}"


def _described(node: ast.FunctionDef, *, full: bool) -> list[str]:
    told = (ast.get_docstring(node) or "").strip()
    if not full:
        told = told.partition("\n\n")[0].replace("\n", " ").partition(". ")[0]
    lines = [MARGIN + line if line else "" for line in told.splitlines()]
    return [signature_of(node), *lines]


def _python_help(thing: Any) -> str:
    import pydoc

    return pydoc.render_doc(thing, renderer=pydoc.plaintext)
