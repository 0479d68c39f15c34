"""Python files of users, loaded from their source text alone."""

import sys
import traceback
import uuid
from collections.abc import Sequence
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from actum.errors import BadTool


def import_file(path: Path) -> ModuleType:
    """Run a Python file as a module of its own. The modules beside it can be imported by it."""
    # A name of its own: two tools files may share theirs.
    name = f"actum_tools_{path.stem}_{uuid.uuid4().hex[:8]}"
    loader = _FromSource(name, str(path))
    module = ModuleType(name)
    module.__file__ = str(path)
    module.__loader__ = loader
    sys.modules[name] = module
    _serve_neighbours(path.resolve().parent)
    try:
        loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise BadTool(
            f"{path} cannot be loaded: {type(error).__name__}: {error}",
            where=_last_line(error, path),
            hints=(f"run it alone to see: python {path}",),
        ) from error
    return module


class _FromSource(SourceFileLoader):
    """Reads a module from its text. A compiled file that lies beside it is never run or written."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Neighbours:
    """Finds the modules of one folder by their text, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Look in the folder."""
        return self._find(name, str(self._folder)) if path is None else None

    def _find(self, name: str, place: str) -> ModuleSpec | None:
        found = FileFinder(place, (_FromSource, [".py"])).find_spec(name)
        return found if found is not None and found.loader is not None else None


class _InnerNeighbours(_Neighbours):
    """Finds the modules of the packages in that folder."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Look where the package is, if it is ours."""
        for place in path or ():
            if Path(place).is_relative_to(self._folder):
                return self._find(name, place)
        return None


_SERVED: set[Path] = set()


def _serve_neighbours(folder: Path) -> None:
    if folder in _SERVED:
        return
    _SERVED.add(folder)
    # After all that is installed: a file beside the tools does not stand in for a library of ours.
    sys.meta_path.append(_Neighbours(folder))
    # Before the finder of Python itself, which would run what was compiled from these packages.
    sys.meta_path.insert(0, _InnerNeighbours(folder))


def _last_line(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f"{path}, line {error.lineno}"
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return f"{path}, line {lines[-1]}" if lines else str(path)
