"""Each promise of tests/promises.py has a test, and each marked test keeps a promise that is there."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PROMISES = Path("tests/promises.py")


def written(path: Path) -> set[str]:
    """The ids in the table of promises, read without importing it."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "PROMISES":
            table = ast.literal_eval(node.value or ast.Dict([], []))
            return set(table)
    return set()


def kept(folder: Path) -> Iterator[tuple[str, str]]:
    """Each `@promise("id")` on a test, with the place where it stands."""
    for path in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            for mark in node.decorator_list:
                if (
                    isinstance(mark, ast.Call)
                    and ast.unparse(mark.func).split(".")[-1] == "promise"
                ):
                    yield str(ast.literal_eval(mark.args[0])), f"{path}:{node.lineno} {node.name}"


if __name__ == "__main__":
    promised = written(PROMISES)
    tests = list(kept(Path("tests")))
    found = [
        f"{PROMISES}: nothing tests '{name}'; "
        f'mark the test that keeps it with @promise("{name}"), or take the promise back'
        for name in sorted(promised - {name for name, _ in tests})
    ]
    found += [
        f"{place}: there is no promise '{name}'; write it down in {PROMISES}"
        for name, place in tests
        if name not in promised
    ]
    print(*found, sep="\n")
    sys.exit(1 if found else 0)
