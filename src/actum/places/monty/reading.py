"""What can be known of a program before it runs: which calls may be awaited, which names it wants."""

import ast
import builtins
from collections.abc import Iterator

Span = tuple[int, int]
Function = ast.FunctionDef | ast.Lambda


class Reading:
    """One program, read."""

    def __init__(self, source: str) -> None:
        self._starts = [0]
        for line in source.encode().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self.awaited: set[Span] = set()
        self.bound: set[str] = set()
        self.mentioned: set[str] = set()
        self._imports: list[str] = []
        self.wanted: set[str] = set()
        """Names that it reads and does not bind itself."""
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            # Monty says what is wrong with it.
            return
        in_loop = any(isinstance(node, ast.Await) for node in _outside_functions(tree))
        self._find_calls(tree, in_loop=in_loop)
        self._find_names(tree)

    def line(self, offset: int) -> int:
        """The line of a byte."""
        return sum(start <= offset for start in self._starts)

    def imported_below(self, path: str) -> list[str]:
        """The names that imports name below a module, without those below them."""
        below = [
            name.removeprefix(f"{path}.") for name in self._imports if name.startswith(f"{path}.")
        ]
        return [name.partition(".")[0] for name in below]

    def _find_calls(self, node: ast.AST, *, in_loop: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call) and in_loop:
                self.awaited.add(self._span(child))
            inside = in_loop
            if isinstance(child, ast.AsyncFunctionDef):
                inside = True
            elif isinstance(child, Function):
                inside = False
            self._find_calls(child, in_loop=inside)

    def _span(self, node: ast.Call) -> Span:
        end_line, end_column = node.end_lineno or 1, node.end_col_offset or 0
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[end_line - 1] + end_column,
        )

    def _find_names(self, tree: ast.Module) -> None:
        read: set[str] = set()
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    read.add(name)
                case ast.Name(id=name) | ast.arg(arg=name):
                    self.bound.add(name)
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    self.bound.add(node.name)
                case ast.ExceptHandler(name=str(name)):
                    self.bound.add(name)
                case ast.Attribute(attr=name):
                    self.mentioned.add(name)
                case ast.Import() | ast.ImportFrom():
                    self._find_imports(node)
                case _:
                    continue
        self.mentioned |= read
        self.wanted = {name for name in read - self.bound if not hasattr(builtins, name)}

    def _find_imports(self, node: ast.Import | ast.ImportFrom) -> None:
        parts = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module:
            parts.append(node.module)
            self._imports += [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            self._imports += parts
        self.mentioned.update(part for name in parts for part in name.split("."))
        self.bound.update((each.asname or each.name).split(".")[0] for each in node.names)


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (*_FUNCTIONS,)):
            yield from _outside_functions(child)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
