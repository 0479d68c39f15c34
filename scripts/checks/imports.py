"""Importing actum works on every system, and the guest needs nothing but the standard library."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "src/actum/"
LINUX_ONLY = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}
MAY_NEED_LINUX = ("places/local/", "places/guest/")
GUEST = "places/guest/"


def imported(tree: ast.AST, *, inside_functions: bool) -> Iterator[tuple[int, str]]:
    """Line and top-level name of each import."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module
        elif inside_functions or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imported(node, inside_functions=inside_functions)


def problems_of(name: str, tree: ast.AST, guest_files: set[str]) -> Iterator[str]:
    """What is wrong with the imports of one file, each with the way out."""
    if not name.startswith(MAY_NEED_LINUX):
        for line, module in imported(tree, inside_functions=False):
            if module in LINUX_ONLY:
                yield (
                    f"{PACKAGE}{name}:{line}: {module} exists on Linux only; "
                    "import it in the function that needs it"
                )
    if name.startswith(GUEST):
        for line, module in imported(tree, inside_functions=True):
            top = module.split(".")[0]
            inside = module.startswith("actum.places.guest") or top in guest_files
            if not inside and top not in sys.stdlib_module_names:
                yield (
                    f"{PACKAGE}{name}:{line}: the guest has the standard library alone, "
                    f"not {module}; send plain data over the wire"
                )


if __name__ == "__main__":
    package = Path(PACKAGE)
    guest_names = {path.stem for path in (package / GUEST).rglob("*") if path.suffix in {".py", ""}}
    found = [
        problem
        for path in sorted(package.rglob("*.py"))
        for problem in problems_of(
            path.relative_to(package).as_posix(),
            ast.parse(path.read_text(encoding="utf-8")),
            guest_names,
        )
    ]
    print(*found, sep="\n")
    sys.exit(1 if found else 0)
