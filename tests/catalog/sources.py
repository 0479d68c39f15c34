"""Tools for the tests of the catalog."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from actum.catalog.catalog import Catalog, open_catalog
from actum.catalog.entries import Entry
from actum.records.calls import ToolAnswer
from actum.records.run_events import SourceRecord
from actum.records.tools import ToolSpec
from actum.tools.python_functions import PythonFunctions


class Echo:
    """A source of somebody else's: its tools have any names, and answer with what they were given."""

    name = "echo"

    def __init__(self, *specs: ToolSpec, kind: Any = "file") -> None:
        self._specs = specs
        self._kind = kind

    def record(self) -> SourceRecord:
        return SourceRecord(kind=self._kind, alias="echo")

    async def tools(self) -> Sequence[ToolSpec]:
        return self._specs

    def check(
        self, tool: str, args: Sequence[object], kwargs: dict[str, object]
    ) -> dict[str, object]:
        assert tool in {spec.name for spec in self._specs}
        return dict(kwargs)

    async def call(self, tool: str, arguments: dict[str, object], key: str) -> ToolAnswer:
        return ToolAnswer(value=tool)

    async def close(self) -> None: ...


def spec(name: str, description: str = "", **fields: Any) -> ToolSpec:
    """A tool that reads."""
    fields.setdefault("effect", "read")
    return ToolSpec(name=name, description=description, **fields)


def catalog_of(*specs: ToolSpec, **options: Any) -> Catalog:
    """A catalog of these tools."""
    source = Echo(*specs)
    return Catalog([Entry(found, source) for found in specs], **options)


def catalog_of_functions(*functions: Callable[..., object]) -> Catalog:
    """A catalog of Python functions."""
    return asyncio.run(open_catalog([PythonFunctions(functions)]))
