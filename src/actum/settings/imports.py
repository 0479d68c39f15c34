"""Which files of a folder a Python file takes in when it is loaded, as far as its text says."""

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path


def with_imports(file: Path) -> tuple[Path, ...]:
    """The file, and every module beside it that it imports, directly or through others."""
    root = file.parent
    found: dict[Path, None] = {}
    waiting = [file]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found[path] = None
        if path.suffix == ".py":
            for name in _imported(path, root):
                waiting.extend(_files_of(name, root))
    return tuple(sorted(found))


def _imported(path: Path, root: Path) -> Iterator[str]:
    """Names that the file imports, as they are sought from the root; also what may be modules."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        # It cannot be loaded either; its own hash still counts.
        return
    package = path.parent.relative_to(root).parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *(node.module or "").split("."))).strip(".")
            yield from (f"{module}.{alias.name}".strip(".") for alias in node.names)


def _files_of(name: str, root: Path) -> Iterator[Path]:
    """What importing `a.b.c` could load below the root: `a`, `a.b` and `a.b.c`."""
    for stem in itertools.accumulate(name.split("."), lambda folder, part: f"{folder}/{part}"):
        if "*" in stem:
            continue
        path = root / stem
        candidates = [path.with_suffix(".py"), path.with_suffix(".pyc"), path / "__init__.py"]
        candidates.extend(path.parent.glob(f"{path.name}.*so"))
        candidates.extend(path.parent.glob(f"{path.name}.*pyd"))
        yield from (candidate for candidate in candidates if candidate.is_file())
