"""What every source of tools promises, whichever it is."""

import asyncio
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

import actum.catalog
import actum.tools
from actum.catalog.entries import Renamed, RenamedJudge
from actum.catalog.own_tools import OwnTools
from actum.errors import BadArguments
from actum.records.calls import ToolAnswer, ToolFailure
from actum.records.run_events import SourceRecord
from actum.tools.contract import Source
from actum.tools.declaration import tool
from actum.tools.http_request import HttpRequests
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


def _requests() -> HttpRequests:
    return HttpRequests([], {})


@dataclass(frozen=True)
class Sample:
    """A source with one of its tools: arguments that are answered, that are wrong, that must fail."""

    make: Callable[[], Source]
    tool: str
    fails: dict[str, object]
    answered: tuple[object, ...] | None = None
    """By place. None where nothing can be answered without a network."""
    wrong: tuple[tuple[str, object], ...] = (("full", "yes"), ("colour", 1))
    missing: str = "name"


# A new way to have tools: put it here, by the name of its class.
SAMPLES = {
    "PythonFunctions": Sample(_functions, "describe_it", {"name": "broken"}, ("a",)),
    "OwnTools": Sample(_own, "describe", {"name": "broken"}, ("a",)),
    "Renamed": Sample(
        lambda: Renamed(_functions(), {"other": "describe_it"}), "other", {"name": "broken"}, ("a",)
    ),
    "HttpRequests": Sample(
        _requests,
        "http.request",
        {"method": "GET", "url": "http://127.0.0.1:1/"},
        wrong=(("body", 5), ("colour", 1)),
        missing="url",
    ),
    "RenamedJudge": Sample(
        lambda: RenamedJudge(_requests(), _requests(), {"other": "http.request"}),
        "other",
        {"method": "GET", "url": "http://127.0.0.1:1/"},
        wrong=(("body", 5), ("colour", 1)),
        missing="url",
    ),
}


@pytest.fixture(params=sorted(kind.__name__ for kind in implementations()))
def sample(request: pytest.FixtureRequest) -> Sample:
    return SAMPLES[request.param]


def test_every_implementation_has_a_sample() -> None:
    assert {kind.__name__ for kind in implementations()} <= SAMPLES.keys()


def test_its_tools_are_data_with_names_of_their_own(sample: Sample) -> None:
    specs = asyncio.run(sample.make().tools())
    assert len({spec.name for spec in specs}) == len(specs) > 0
    for spec in specs:
        assert spec.input_schema["type"] == "object"
        assert msgspec.json.decode(msgspec.json.encode(spec), type=type(spec)) == spec


def test_its_record_is_data(sample: Sample) -> None:
    source = sample.make()
    record = source.record()
    assert msgspec.json.decode(msgspec.json.encode(record), type=SourceRecord) == record
    assert source.name


def test_arguments_by_place_and_by_name_are_the_same(sample: Sample) -> None:
    source = sample.make()
    by_name = source.check(sample.tool, (), sample.fails)
    assert source.check(sample.tool, tuple(sample.fails.values()), {}) == by_name
    assert source.check(sample.tool, (), by_name) == by_name


def test_every_mistake_in_the_arguments_is_named_at_once(sample: Sample) -> None:
    with pytest.raises(BadArguments) as told:
        sample.make().check(sample.tool, (), dict(sample.wrong))
    for name in (sample.missing, *(name for name, _ in sample.wrong)):
        assert name in told.value.message


def test_a_call_answers_or_fails_and_never_raises(sample: Sample) -> None:
    async def scene() -> None:
        source = sample.make()
        if sample.answered is not None:
            arguments = source.check(sample.tool, sample.answered, {})
            assert await source.call(sample.tool, arguments, "key") == ToolAnswer(value="a")
        arguments = source.check(sample.tool, (), sample.fails)
        assert isinstance(await source.call(sample.tool, arguments, "key"), ToolFailure)
        await source.close()
        await source.close()

    asyncio.run(scene())
