"""What every source of tools promises, whichever it is."""

import asyncio
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

import actum.catalog
import actum.tools
from actum.catalog.entries import Renamed
from actum.catalog.own_tools import OwnTools
from actum.errors import BadArguments
from actum.records.calls import ToolAnswer, ToolFailure
from actum.records.run_events import SourceRecord
from actum.tools.contract import Source
from actum.tools.declaration import tool
from actum.tools.python_functions import PythonFunctions


def implementations() -> set[type]:
    """Every class that keeps the contract."""
    found: set[type] = set()
    for package in (actum.tools, actum.catalog):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for member in vars(importlib.import_module(module.name)).values():
                keeps = isinstance(member, type) and all(
                    hasattr(member, name) for name in ("record", "tools", "check", "call", "close")
                )
                if keeps and member is not Source:
                    found.add(member)
    return found


@tool(effect="read")
def describe_it(name: str, full: bool = False) -> str:
    """Tell about one thing."""
    if name == "broken":
        raise RuntimeError("broken")
    return name * (2 if full else 1)


def _own() -> Source:
    async def rows(words: str, limit: int) -> list[dict[str, Any]]:
        return [{"name": words}][:limit]

    def tell(name: str, full: bool) -> str | None:
        return None if name == "broken" else name

    return OwnTools(rows, tell, str, str)


def _functions() -> Source:
    return PythonFunctions([describe_it])


# A new way to have tools: put it here with a tool that takes `name`, a text, and fails for `broken`.
SAMPLES: dict[type, tuple[Callable[[], Source], str]] = {
    PythonFunctions: (_functions, "describe_it"),
    OwnTools: (_own, "describe"),
    Renamed: (lambda: Renamed(_functions(), {"other": "describe_it"}), "other"),
}


@pytest.fixture(params=sorted(implementations(), key=str), ids=str)
def sample(request: pytest.FixtureRequest) -> tuple[Source, str]:
    make, name = SAMPLES[request.param]
    return make(), name


def test_every_implementation_has_a_sample() -> None:
    assert implementations() == set(SAMPLES)


def test_its_tools_are_data_with_names_of_their_own(sample: tuple[Source, str]) -> None:
    specs = asyncio.run(sample[0].tools())
    assert len({spec.name for spec in specs}) == len(specs) > 0
    for spec in specs:
        assert spec.input_schema["type"] == "object"
        assert msgspec.json.decode(msgspec.json.encode(spec), type=type(spec)) == spec


def test_its_record_is_data(sample: tuple[Source, str]) -> None:
    record = sample[0].record()
    assert msgspec.json.decode(msgspec.json.encode(record), type=SourceRecord) == record
    assert sample[0].name


def test_arguments_by_place_and_by_name_are_the_same(sample: tuple[Source, str]) -> None:
    source, name = sample
    assert source.check(name, ("a",), {}) == source.check(name, (), {"name": "a"})


def test_every_mistake_in_the_arguments_is_named_at_once(sample: tuple[Source, str]) -> None:
    source, name = sample
    with pytest.raises(BadArguments, match=r"(?s)(?=.*full)(?=.*colour)(?=.*name)"):
        source.check(name, (), {"full": "yes", "colour": 1})


def test_a_call_answers_or_fails_and_never_raises(sample: tuple[Source, str]) -> None:
    source, name = sample

    async def scene() -> None:
        good = await source.call(name, source.check(name, ("a",), {}), "key")
        assert good == ToolAnswer(value="a")
        bad = await source.call(name, source.check(name, ("broken",), {}), "key")
        assert isinstance(bad, ToolFailure)
        assert "broken" in bad.message
        await source.close()
        await source.close()

    asyncio.run(scene())
