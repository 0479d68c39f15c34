"""Tools as modules: an import below the root asks the host for stubs and makes functions of them.

Phase 2.
"""

import __future__

import importlib
import importlib.machinery
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from types import FunctionType, ModuleType
from typing import Any

from actum.places.guest.frames import Wire
from actum.places.guest.parallel import make_parallel
from actum.places.guest.tool_calls import Denied, ToolCalls, ToolError

RESERVED = ("Denied", "ToolError", "describe", "parallel", "search")
MODULES_MARK = "# modules:"


def search(query: str, *args: Any, **kwargs: Any) -> Any:
    """Find tools by what they do, in a few words."""


def describe(name: str, *args: Any, **kwargs: Any) -> Any:
    """Tell all about one tool."""


class ToolModules(Loader, MetaPathFinder):
    """Finds and loads the modules below the root; no other name is its business."""

    def __init__(self, root: str, wire: Wire, calls: ToolCalls) -> None:
        self.root = root
        self._wire = wire
        self._calls = calls

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Take what is below the root."""
        if name != self.root and not name.startswith(self.root + "."):
            return None
        return importlib.machinery.ModuleSpec(name, self, origin="tools", is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Ask for the text, run it, and put calls in place of its functions."""
        name = module.__name__.removeprefix(self.root).removeprefix(".")
        text = self._text(name)
        names = _submodules(text)
        module.__path__ = []
        module.__file__ = f"<{module.__name__}>"
        code = compile(
            text,
            module.__file__,
            "exec",
            flags=__future__.annotations.compiler_flag,
            dont_inherit=True,
        )
        exec(code, module.__dict__)
        for attribute, stub in list(vars(module).items()):
            if isinstance(stub, FunctionType) and stub.__module__ == module.__name__:
                tool = f"{name}.{attribute}" if name else attribute
                setattr(module, attribute, self._function(tool, stub, module.__name__))
        if not name:
            self._furnish_root(module)
        module.__dict__["__actum_text__"] = text
        module.__dict__["__actum_modules__"] = names
        module.__getattr__ = _submodule_on_demand(module, names)
        module.__dir__ = lambda: sorted({*_public(module), *names})

    def offered(self) -> set[str]:
        """Names that the root has: functions, modules, and the reserved ones."""
        root = importlib.import_module(self.root)
        return {*_public(root), *vars(root)["__actum_modules__"]}

    def _text(self, name: str) -> str:
        self._wire.push({"t": "module", "name": name})
        self._wire.flush()
        reply = self._wire.receive()
        problem = reply.get("problem")
        if problem:
            # Without a name: `from root import wrong` would drop an error that names what it looks for.
            raise ModuleNotFoundError(problem)
        return reply.get("text", "")

    def _function(self, tool: str, stub: FunctionType, module: str) -> FunctionType:
        calls = self._calls

        def call(*args: Any, **kwargs: Any) -> Any:
            return calls.call(tool, args, kwargs)

        def again(*args: Any, **kwargs: Any) -> Any:
            """Do it, also where a failed program has done the same before."""
            return calls.call(tool, args, kwargs, again=True)

        for function in (call, again):
            function.__module__ = module
            function.__dict__["__wrapped__"] = stub
        call.__name__ = stub.__name__
        call.__qualname__ = stub.__qualname__
        call.__doc__ = stub.__doc__
        call.__dict__["__actum_tool__"] = tool
        again.__qualname__ = f"{stub.__qualname__}.again"
        call.__dict__["again"] = again
        return call

    def _furnish_root(self, module: ModuleType) -> None:
        module.__dict__.update(
            ToolError=ToolError, Denied=Denied, parallel=make_parallel(self._calls)
        )
        for stub in (search, describe):
            function = self._function(stub.__name__, stub, module.__name__)
            setattr(module, stub.__name__, function)


def _submodules(text: str) -> list[str]:
    names: list[str] = []
    for line in text.splitlines():
        if line.startswith(MODULES_MARK):
            names += [name.strip() for name in line.removeprefix(MODULES_MARK).split(",")]
    return [name for name in names if name]


def _public(module: ModuleType) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_")]


def _submodule_on_demand(module: ModuleType, names: Iterable[str]) -> Callable[[str], Any]:
    def get(name: str) -> Any:
        full_name = f"{module.__name__}.{name}"
        if name in names:
            return importlib.import_module(full_name)
        if name.startswith("__"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        known = ", ".join(sorted({*_public(module), *names})[:50])
        raise AttributeError(f"module {module.__name__!r} has no {name!r}; it has: {known}")

    return get


def install_tool_modules(modules: ToolModules) -> None:
    """Serve the root from now on."""
    sys.meta_path.insert(0, modules)
