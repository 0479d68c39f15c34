"""Python functions as tools: of the user's process, or of a file that the user named."""

import asyncio
import hashlib
import importlib.util
import inspect
import sys
import traceback
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType

import msgspec

from actum.errors import BadTool, NoSuchFile
from actum.records.calls import ToolAnswer, ToolFailure
from actum.records.events import SourceRecord
from actum.records.tools import ToolSpec
from actum.records.values import mark
from actum.tools.declaration import Declaration, declaration_of, tool_name
from actum.tools.docstrings import parameter_texts, summary
from actum.tools.signature import Signature

Function = Callable[..., object]


class _Tool:
    """One function, with what is known of it."""

    def __init__(self, function: Function, source: str) -> None:
        self.function = function
        declaration = declaration_of(function) or Declaration()
        self.name = tool_name(function, declaration)
        self.signature = Signature(self.name, function)
        self.spec = self._describe(declaration, source)

    def _describe(self, declaration: Declaration, source: str) -> ToolSpec:
        texts = parameter_texts(self.function.__doc__)
        parameters = tuple(
            msgspec.structs.replace(p, description=p.description or texts.get(p.name, ""))
            for p in self.signature.parameters
        )
        return ToolSpec(
            name=self.name,
            effect=declaration.effect or "write",
            declared=declaration.effect is not None,
            idempotent=declaration.idempotent,
            callable_from=declaration.callable_from,
            source=source,
            description=summary(self.function.__doc__),
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
        functions: Iterable[Function],
        *,
        name: str = "in process",
        record: SourceRecord | None = None,
    ) -> None:
        self.name = name
        self._record = record or SourceRecord(kind="process", alias=name)
        self._tools: dict[str, _Tool] = {}
        for function in functions:
            found = _Tool(function, name)
            if found.name in self._tools:
                raise BadTool(
                    f"two tools are called {found.name}",
                    hints=('give one of them another name: @tool(name="...")',),
                )
            self._tools[found.name] = found

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
        try:
            async with asyncio.timeout(found.spec.timeout):
                value = await _call(found.function, args, kwargs)
            return ToolAnswer(value=mark(msgspec.to_builtins(value, builtin_types=(bytes,))))
        except TimeoutError:
            if found.spec.timeout is None:
                return _failure(tool, sys.exc_info()[1])
            return ToolFailure(
                message=f"{tool} took longer than its {found.spec.timeout:g} s",
                status="timeout",
                retryable=True,
            )
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            return _failure(tool, error)

    async def close(self) -> None:
        """Functions hold nothing."""


async def _call(function: Function, args: list[object], kwargs: dict[str, object]) -> object:
    if inspect.iscoroutinefunction(function):
        return await function(*args, **kwargs)
    # Off the loop: a slow function must not keep other calls waiting.
    value = await asyncio.to_thread(function, *args, **kwargs)
    return await value if inspect.isawaitable(value) else value


def _failure(tool: str, error: BaseException | None) -> ToolFailure:
    """What the tool raised, in one line, with its own last line of code."""
    told = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    return ToolFailure(message=f"{tool} failed: {told}", status="failed")


def load_file(path: Path) -> PythonFunctions:
    """The `@tool` functions of a Python file that the user named."""
    if not path.is_file():
        raise NoSuchFile(
            f"there is no file {path}",
            hints=("--tools takes a Python file with @tool functions",),
        )
    module = _import_file(path)
    functions = [
        value
        for value in vars(module).values()
        if callable(value) and declaration_of(value) is not None
    ]
    if not functions:
        raise BadTool(
            f"{path} has no tools",
            hints=('mark its functions: from actum import tool, then @tool(effect="read")',),
        )
    record = SourceRecord(
        kind="file",
        alias=path.name,
        path=str(path.resolve()),
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )
    return PythonFunctions(functions, name=path.name, record=record)


def _import_file(path: Path) -> ModuleType:
    # A name of its own: two tools files may share theirs.
    name = f"actum_tools_{path.stem}_{uuid.uuid4().hex[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadTool(f"{path} is no Python file", hints=("its name must end in .py",))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadTool(
            f"{path} cannot be loaded: {type(error).__name__}: {error}",
            where=_last_line(error, path),
            hints=(f"run it alone to see: python {path}",),
        ) from error
    finally:
        sys.path.remove(folder)
    return module


def _last_line(error: Exception, path: Path) -> str:
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    return f"{path}, line {lines[-1]}" if lines else str(path)
