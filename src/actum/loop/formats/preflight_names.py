"""Which names of a program are tools, and stay so."""

import ast
from collections.abc import Collection, Iterator

import msgspec

NAMED = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.ExceptHandler,
    ast.MatchStar,
    ast.MatchAs,
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class ToolNamesSeen(msgspec.Struct, frozen=True):
    """The names of a program that mean modules or functions of the tools."""

    names: dict[str, str]
    """Name in the program to full name below the root; `""` is the root."""

    def full_name(self, value: ast.expr) -> str | None:
        """The full name of what is called; None where that is not certain."""
        parts: list[str] = []
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if not isinstance(value, ast.Name) or value.id not in self.names:
            return None
        start = self.names[value.id]
        return ".".join([*([start] if start else []), *reversed(parts)])


def names_seen(tree: ast.Module, root: str, injected: Collection[str]) -> ToolNamesSeen:
    """The tools' names, without those that anything else in the program binds too."""
    imported: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        for name, full_name in _imported(node, root):
            imported.setdefault(name, set()).add(full_name)
    for name in injected:
        imported.setdefault(name, set()).add("" if name == root else name)
    bound = set(_bound(tree, root))
    if "*" in bound:
        return ToolNamesSeen({})
    certain = {
        name: next(iter(full_names))
        for name, full_names in imported.items()
        if len(full_names) == 1 and name not in bound
    }
    changed = _changed_modules(tree, certain)
    return ToolNamesSeen(
        {name: full_name for name, full_name in certain.items() if name not in changed}
    )


def guarded(tree: ast.Module) -> set[int]:
    """What a program has taken care of itself: inside `try` with a handler, or `suppress`."""
    inside: set[int] = set()
    for node in ast.walk(tree):
        bodies: list[ast.stmt] = []
        if isinstance(node, ast.Try | ast.TryStar) and node.handlers:
            bodies = node.body
        elif isinstance(node, ast.With | ast.AsyncWith):
            bodies = node.body if not _is_plain(node) else []
        elif isinstance(node, ast.If) and _asks(node.test):
            bodies = node.body
        for statement in bodies:
            inside.update(id(child) for child in ast.walk(statement))
    if inside:
        # A function may be called from inside what is guarded.
        functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
        inside.update(id(child) for one in functions for child in ast.walk(one))
    return inside


def _is_plain(node: ast.With | ast.AsyncWith) -> bool:
    """Whether the block cannot swallow an error: files and the like."""
    for item in node.items:
        call = item.context_expr
        function = call.func if isinstance(call, ast.Call) else None
        if not isinstance(function, ast.Name) or function.id != "open":
            return False
    return True


def _asks(test: ast.expr) -> bool:
    """Whether a condition looks a name up first."""
    words = {"hasattr", "getattr", "dir", "vars", "globals", "locals"}
    return any(isinstance(node, ast.Name) and node.id in words for node in ast.walk(test))


def _imported(node: ast.AST, root: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.ImportFrom) and not node.level:
        module = node.module or ""
        if module != root and not module.startswith(f"{root}."):
            return
        below = module.removeprefix(root).removeprefix(".")
        for alias in node.names:
            full_name = f"{below}.{alias.name}" if below else alias.name
            yield alias.asname or alias.name, full_name
    elif isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name == root and alias.asname is None:
                yield root, ""
            elif alias.name == root or alias.name.startswith(f"{root}."):
                below = alias.name.removeprefix(root).removeprefix(".")
                yield (alias.asname, below) if alias.asname else (root, "")


def _bound(tree: ast.Module, root: str) -> Iterator[str]:
    """Every name that something other than an import of tools binds or deletes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _bound_by_import(node, root)
        elif _runs_text(node):
            yield "*"
        else:
            yield from _bound_by(node)


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.MatchMapping):
        yield node.rest or ""
    elif isinstance(node, NAMED):
        yield node.name or ""


def _bound_by_import(node: ast.Import | ast.ImportFrom, root: str) -> Iterator[str]:
    if any(True for _ in _imported(node, root)):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield "*"
        return
    for alias in node.names:
        yield (alias.asname or alias.name).split(".")[0]


def _runs_text(node: ast.AST) -> bool:
    """`exec` and `globals()` can bind anything."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id in {"exec", "eval", "globals", "locals", "vars", "setattr", "delattr"}


def _changed_modules(tree: ast.Module, names: dict[str, str]) -> set[str]:
    """Names below which an attribute is set: `crm.get = fake`."""
    changed: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
            continue
        value: ast.expr = node
        while isinstance(value, ast.Attribute):
            value = value.value
        if isinstance(value, ast.Name) and value.id in names:
            changed.add(value.id)
    return changed
