"""What a program is told of a module that it cannot import: what there is, and the way to have it.

Phase 2.
"""

import builtins
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from typing import Any

WELL_KNOWN = ("numpy", "pandas", "matplotlib", "polars", "pyarrow", "scipy", "sklearn", "requests")
WITH_DATA = ("matplotlib", "numpy", "pandas")
PROJECTS = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""Where a module has another name than what is installed for it."""


def way_to_have(error: BaseException) -> str:
    """What there is instead of a missing package, and how to have it. Empty for other errors."""
    for each in (error, error.__cause__):
        if isinstance(each, ModuleNotFoundError) and each.name:
            top = each.name.partition(".")[0]
            if _is_missing(top):
                return _told(top)
    return ""


def _is_missing(top: str) -> bool:
    return top not in sys.stdlib_module_names and top not in sys.modules and not _is_there(top)


def _is_there(top: str) -> bool:
    return PathFinder.find_spec(top) is not None


def _told(top: str) -> str:
    project = PROJECTS.get(top, top)
    there = ", ".join(name for name in WELL_KNOWN if _is_there(name))
    have = f"Installed here: {there}. " if there else "No data package is installed here. "
    extra = ", or pip install 'actum[data]'" if top in WITH_DATA else ""
    return f"{have}To add it, the user says --packages {project} or packages=['{project}']{extra}."


def allow_imports(allowed: Sequence[str], root: str) -> None:
    """Let programs import only these beside the standard library and the tools.

    Only what a program itself imports is looked at: libraries need others that nobody thinks of.
    """
    tops = {name.partition(".")[0] for name in allowed}
    free = {*tops, *sys.stdlib_module_names, root, "__main__"}
    real = builtins.__import__
    listed = ", ".join(allowed) or "nothing more"

    def import_for(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        top = name.partition(".")[0]
        if level == 0 and top not in free and _asked_by_program(globals):
            raise ImportError(
                f"this program may not import {top}; beside the standard library and {root}"
                f" it may import: {listed}"
            )
        return real(name, globals, locals, fromlist, level)

    builtins.__import__ = import_for


def _asked_by_program(variables: Any) -> bool:
    return variables is not None and variables.get("__name__") == "__main__"
