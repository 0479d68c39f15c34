"""Python functions as tools: of the user's process, or of a file that the user named."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import msgspec

from actum.errors import BadTool, NoSuchFile
from actum.records.calls import ToolAnswer, ToolFailure
from actum.records.run_events import SourceRecord
from actum.records.tools import ToolSpec
from actum.tools.declaration import Declaration, declaration_of
from actum.tools.docstrings import parameter_texts, summary
from actum.tools.files import import_file
from actum.tools.members import functions_of, marked_methods
from actum.tools.naming import check_name, python_name
from actum.tools.running import Sleep, run_tool
from actum.tools.signature import Signature

Function = Callable[..., object]


class _Tool:
    """One function, with what is known of it."""

    def __init__(self, function: Function, source: str, alias: str, key: str) -> None:
        if not callable(function):
            raise BadTool(
                f"{function!r} cannot be called, so it cannot be a tool",
                hints=('an object with methods is a set of tools: toolset("alias", object)',),
            )
        self.function = function
        declaration = declaration_of(function) or Declaration()
        written = declaration.name or key or _plain_name(function)
        written = f"{alias}.{written}" if alias else written
        check_name(written)
        self.name = python_name(written)
        self.signature = Signature(self.name, function)
        self.spec = self._describe(declaration, source, "" if written == self.name else written)

    def _describe(self, declaration: Declaration, source: str, original: str) -> ToolSpec:
        docstring = getattr(self.function, "__doc__", None)
        texts = parameter_texts(docstring)
        parameters = tuple(
            msgspec.structs.replace(p, description=p.description or texts.get(p.name, ""))
            for p in self.signature.parameters
        )
        return ToolSpec(
            name=self.name,
            original=original,
            effect=declaration.effect or "write",
            declared=declaration.effect is not None,
            idempotent=declaration.idempotent,
            callable_from=declaration.callable_from,
            source=source,
            description=summary(docstring),
            parameters=parameters,
            returns=self.signature.returns_text(),
            input_schema=self.signature.input_schema(),
            output_schema=self.signature.output_schema(),
            secrets=declaration.secrets,
            cost=declaration.cost,
            timeout=declaration.timeout,
            retries=declaration.retries,
            cache=declaration.cache,
        )


class PythonFunctions:
    """A source of tools that are functions of this process."""

    def __init__(
        self,
        functions: Iterable[Function] = (),
        *,
        name: str = "in process",
        alias: str = "",
        named: dict[str, Function] | None = None,
        record: SourceRecord | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        """Take functions, and others by name. With an alias they stand in a module so called."""
        self.name = name
        self._record = record or SourceRecord(kind="process", alias=alias or name)
        self._sleep = sleep
        self._tools: dict[str, _Tool] = {}
        for function in functions:
            self._add(_Tool(function, name, alias, ""))
        for key, function in (named or {}).items():
            self._add(_Tool(function, name, alias, key))

    def record(self) -> SourceRecord:
        """Where the functions came from."""
        return self._record

    async def tools(self) -> Sequence[ToolSpec]:
        """What each function is."""
        return [found.spec for found in self._tools.values()]

    def check(
        self, tool: str, args: Sequence[object], kwargs: dict[str, object]
    ) -> dict[str, object]:
        """The arguments by name, each of its type."""
        return self._tools[tool].signature.check(args, kwargs)

    async def call(
        self, tool: str, arguments: dict[str, object], key: str
    ) -> ToolAnswer | ToolFailure:
        """Call the function; what it raises is an answer too."""
        found = self._tools[tool]
        args, kwargs = found.signature.spread(arguments)
        return await run_tool(found.spec, found.function, args, kwargs, self._sleep)

    async def close(self) -> None:
        """Functions hold nothing."""

    @property
    def count(self) -> int:
        """How many tools it has."""
        return len(self._tools)

    def each(self) -> Iterable[_Tool]:
        """Its tools."""
        return self._tools.values()

    def join(self, other: "PythonFunctions") -> None:
        """Take over the tools of another."""
        for found in other.each():
            self._add(found)

    def _add(self, found: _Tool) -> None:
        if found.name in self._tools:
            raise BadTool(
                f"two tools are called {found.name}",
                hints=('give one of them another name: @tool(name="...")',),
            )
        self._tools[found.name] = found


def toolset(alias: str, module_or_object: object) -> PythonFunctions:
    """All the tools of a module or of an object, in a module called `alias`.

    The functions that are marked with `@tool`; where none is, all that are public. The object keeps
    its state from call to call.
    """
    check_name(alias)
    if isinstance(module_or_object, type):
        name = module_or_object.__name__
        raise BadTool(
            f"{name} is a class: its methods need an object of it",
            hints=(f'make one: toolset("{alias}", {name}(...))',),
        )
    functions = functions_of(module_or_object)
    if not functions:
        raise BadTool(
            f"{_title(module_or_object)} has no functions that could be tools",
            hints=('mark some: @tool(effect="read")',),
        )
    return PythonFunctions(named=functions, name=alias, alias=alias)


def load_file(path: Path) -> PythonFunctions:
    """The tools of a Python file that the user named: functions, objects, and toolsets in it."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise NoSuchFile(
            f"{path} cannot be read" if path.exists() else f"there is no file {path}",
            why=error.strerror or "",
            hints=("--tools takes a Python file with @tool functions",),
        ) from error
    record = SourceRecord(
        kind="file",
        alias=path.name,
        path=str(path.resolve()),
        sha256=hashlib.sha256(text).hexdigest(),
    )
    source = PythonFunctions(name=path.name, record=record)
    for found in _sources_in(import_file(path), path.name):
        source.join(found)
    if not source.count:
        raise BadTool(
            f"{path} has no tools",
            hints=('mark its functions: from actum import tool, then @tool(effect="read")',),
        )
    return source


def _sources_in(module: ModuleType, source: str) -> Iterator[PythonFunctions]:
    """The marked functions of a module, the objects with marked methods, the toolsets."""
    functions: list[Function] = []
    for name, value in vars(module).items():
        if isinstance(value, PythonFunctions):
            yield value
        elif callable(value) and declaration_of(value) is not None:
            if not any(value is known for known in functions):
                functions.append(value)
        elif type(value).__module__ == module.__name__ and not name.startswith("_"):
            yield PythonFunctions(named=marked_methods(value), name=source, alias=name)
    yield PythonFunctions(functions, name=source)


def _title(thing: object) -> str:
    return thing.__name__ if isinstance(thing, ModuleType) else f"a {type(thing).__name__}"


def _plain_name(function: Function) -> str:
    name = getattr(function, "__name__", None) or getattr(
        getattr(function, "func", None), "__name__", None
    )
    if name == "<lambda>":
        raise BadTool(
            "a lambda has no name that a program could call",
            hints=('give it one: tool(name="total", effect="read")(lambda ...)',),
        )
    return name or type(function).__name__
