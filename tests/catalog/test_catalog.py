"""One tree of names: what is found, what is shown, and how long it is."""

import ast
import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from actum.catalog.catalog import Catalog, open_catalog
from actum.catalog.editor_stubs import stub_files
from actum.catalog.shapes import ShapesSeen, shape_of
from actum.errors import BadTool
from actum.records.calls import ToolAnswer, ToolRefusal
from actum.records.tools import Parameter, ToolSpec
from actum.tools.declaration import tool
from actum.tools.python_functions import PythonFunctions, toolset
from tests.catalog.sources import Echo, catalog_of, catalog_of_functions, spec


def test_names_that_no_program_can_write_are_made_ones_the_same_each_time() -> None:
    names = [f"gh.{n}" for n in ("create-issue", "create issue", "create_issue", "class", "2fa")]
    names += ["gh.ünï", "gh.--", "search"]
    forth = [found.name for found in catalog_of(*map(spec, names)).specs]
    back = [found.name for found in catalog_of(*map(spec, reversed(names))).specs]
    assert forth == back
    made = {"create_issue", "create_issue_2", "create_issue_3", "class_", "_2fa", "ünï", "tool"}
    assert set(forth) == {"search_", *(f"gh.{name}" for name in made)}
    for name in forth:
        ast.parse(name)


def test_a_renamed_tool_is_called_by_the_name_its_source_knows() -> None:
    catalog = catalog_of(spec("gh.create-issue"))
    entry = catalog.find("gh.create_issue")
    assert entry is not None
    arguments = entry.source.check("gh.create_issue", (), {"a": 1})
    answer = asyncio.run(entry.source.call("gh.create_issue", arguments, "key"))
    assert answer == ToolAnswer(value="gh.create-issue")


class Judge(Echo):
    """It says of every call that it destroys, and lets none leave."""

    def spec_for(self, tool: str, arguments: dict[str, object]) -> ToolSpec:
        return spec(tool, effect="destructive")

    def refusal(self, tool: str, arguments: dict[str, object]) -> ToolRefusal | None:
        return ToolRefusal(message=f"{tool} never leaves")


def test_what_a_source_judges_of_a_call_holds_under_another_name_too() -> None:
    entry = asyncio.run(open_catalog([Judge(spec("gh.drop-it"))])).find("gh.drop_it")
    assert entry is not None
    assert entry.spec_for({}) == spec("gh.drop_it", effect="destructive", original="gh.drop-it")
    assert entry.refusal({}) == ToolRefusal(message="gh.drop-it never leaves")


def test_both_names_of_a_tool_are_found() -> None:
    catalog = catalog_of(spec("gh.create-issue", "x"), spec("gh.other", "y"))
    assert catalog.search("create-issue")[0].name == "gh.create_issue"
    assert catalog.search("create_issue")[0].name == "gh.create_issue"
    assert "create-issue" in (catalog.describe("gh.create-issue", full=True) or "")


def test_one_name_cannot_be_two_tools_nor_a_tool_and_a_module() -> None:
    one, other = Echo(spec("a.b")), Echo(spec("a.b"))
    with pytest.raises(BadTool, match=r"two sources have a tool a\.b"):
        asyncio.run(open_catalog([one, other]))
    with pytest.raises(BadTool, match="a tool and a module"):
        catalog_of(spec("a"), spec("a.b"))
    theirs = asyncio.run(open_catalog([Echo(spec("a"), spec("a.b"), kind="server")]))
    assert [found.name for found in theirs.specs] == ["a.b", "a_"]


def test_an_alias_sets_two_sources_apart() -> None:
    class Shop:
        def get(self) -> int:
            return 1

    catalog = asyncio.run(open_catalog([toolset("one", Shop()), toolset("two", Shop())]))
    assert [found.name for found in catalog.specs] == ["one.get", "two.get"]


def many(count: int, modules: int = 60) -> Catalog:
    return catalog_of(
        *(spec(f"service{n * modules // count}.operation_{n}", "Lists.") for n in range(count))
    )


def test_the_manifest_is_as_long_for_twenty_thousand_tools_as_for_some() -> None:
    few, lots = many(250).manifest("tools"), many(20_000).manifest("tools")
    assert few.count("\n") == lots.count("\n") == 50
    assert abs(len(few) - len(lots)) < 110
    assert "10 more" in lots
    assert "tools.search(" in lots


def test_a_manifest_of_functions_says_less_of_each_the_more_there_are() -> None:
    some = catalog_of(*(spec(f"f{n}", "Does something. And more.") for n in range(5))).manifest(
        "tools"
    )
    assert "f0()  # Does something." in some
    lots = catalog_of(*(spec(f"f{n:05}", "Does something " * 20) for n in range(5000)))
    assert len(lots.manifest("tools")) < 2600
    assert "4,950 more" in lots.manifest("tools")


def test_no_tools_are_said_to_be_none() -> None:
    assert catalog_of().manifest("tools") == "There are no tools in this run."
    assert catalog_of().search("anything") == []


def test_near_names_are_told_for_one_that_is_not_there() -> None:
    catalog = many(20_000)
    assert "service7.operation_2400" in catalog.near("service7.operation_240")
    assert "service7.operation_2400" in catalog.missing("operation_2400")
    assert "near: service7" in catalog.module("servce7").problem
    assert "modules: service0" in catalog.missing("xyz")


def test_a_module_of_many_functions_is_source_that_python_reads() -> None:
    parameters = (Parameter(name="a", annotation="int"), Parameter(name="b", default="'\"'"))
    specs = [
        spec(f"big.f{n}", 'Says """this""" and \\ that"', parameters=parameters) for n in range(500)
    ]
    text = catalog_of(*specs, spec("big.inner.g")).module("big").text
    module = ast.parse(text)
    assert sum(isinstance(node, ast.FunctionDef) for node in module.body) == 500
    assert "# modules: inner" in text


def test_a_signature_that_is_no_python_does_not_cost_its_module() -> None:
    broken = (Parameter(name="a", annotation="list[", default="<object>"),)
    text = catalog_of(spec("m.good"), spec("m.bad", "Bad.", parameters=broken)).module("m").text
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert names == ["bad", "good"]
    assert "Called as: m.bad(a: list[ = <object>)" in text


def test_text_from_sources_is_cleaned_and_capped_wherever_it_is_shown() -> None:
    bad = "Lists\x1b[31m things\u202e\u200b " + "and more " * 2000
    catalog = catalog_of(spec("a.b", bad), spec("f", bad))
    texts = [
        catalog.manifest("tools"),
        catalog.module("a").text,
        catalog.describe("a.b", full=True) or "",
        catalog.search("lists")[0].summary,
        catalog.describe("a") or "",
    ]
    for text in texts:
        assert not set(text) & {"\x1b", "\u202e", "\u200b"}
        assert len(text) < 2300
    assert "cut at 2000 characters" in texts[2]


@dataclass
class Event:
    title: str
    minutes: int = 15


@tool(effect="write")
def plan(day: str, events: list[Event]) -> list[Event]:
    """Plan a day. It replaces what was there.

    Args:
        day: as 2026-01-02. In local time.
    """
    return events


def test_a_description_has_levels() -> None:
    catalog = catalog_of_functions(plan)
    short = catalog.describe("plan") or ""
    full = catalog.describe("tools.plan", full=True) or ""
    assert short.startswith("def plan(day: str, events: list[Event]) -> list[Event]:")
    assert "Plan a day." in short
    assert "It replaces" not in short
    assert "It replaces" in full
    assert "In local time" in full
    for text in (short, full):
        assert "Event: {title: str, minutes?: int}" in text
        assert "Effect: write." in text
    assert catalog.describe("nothing") is None


def test_the_shape_of_real_answers_is_kept_and_shown(tmp_path: Path) -> None:
    def untyped() -> Any:
        return None

    def typed() -> list[str]:
        return []

    path = tmp_path / "shapes.json"
    source = PythonFunctions([untyped, typed])

    def opened() -> Catalog:
        return asyncio.run(open_catalog([source], shapes=ShapesSeen(path)))

    catalog = opened()
    assert "as seen" not in (catalog.describe("untyped") or "")
    catalog.remember("untyped", [{"id": 1, "note": None}, {"id": 2, "note": "the text itself"}])
    catalog.remember("typed", {"a": 1})
    for again in (catalog, opened()):
        assert "list[{id: int, note: None} | {id: int, note: str}]" in (
            again.describe("untyped") or ""
        )
        assert "as seen" in again.module("").text
        assert "as seen" not in (again.describe("typed") or "")
    assert "the text itself" not in path.read_text()
    path.write_text("{broken")
    assert "as seen" not in (opened().describe("untyped") or "")


def test_shapes_are_short_whatever_the_data() -> None:
    deep: Any = "x"
    for _ in range(50):
        deep = {"inner": [deep]}
    assert len(shape_of(deep)) < 200
    assert shape_of({f"k{n}": n for n in range(100)}).endswith("...}")
    assert shape_of({"$bytes": "YQ=="}) == "bytes"
    assert shape_of({"not a name": 1}) == "dict"


def test_the_catalogs_own_tools_are_found_but_not_counted() -> None:
    catalog = many(3)
    own = catalog.find("search")
    assert own is not None
    assert own.own
    assert own.spec.effect == "read"
    assert len(catalog.specs) == 3
    assert "search" not in catalog.module("").text
    rows = asyncio.run(own.source.call("search", own.source.check("search", ("lists",), {}), "key"))
    assert isinstance(rows, ToolAnswer)
    assert json.dumps(rows.value).count("operation_") == 6


def test_editor_stubs_are_python_and_name_every_type() -> None:
    def when(at: Path, kind: Event | None = None) -> Event | None:
        """When."""

    catalog = asyncio.run(
        open_catalog(
            [PythonFunctions([plan]), toolset("cal", _Module(when)), Echo(spec("deep.er.f"))]
        )
    )
    files = stub_files(catalog, "my_sdk")
    assert set(files) == {
        "my_sdk/__init__.pyi", "my_sdk/cal.pyi", "my_sdk/deep/__init__.pyi", "my_sdk/deep/er.pyi",
    }  # fmt: skip
    for text in files.values():
        ast.parse(text)
    assert "class Event(" in files["my_sdk/cal.pyi"]
    assert "from pathlib import Path" in files["my_sdk/cal.pyi"]
    assert "from . import cal as cal" in files["my_sdk/__init__.pyi"]


class _Module:
    def __init__(self, function: Any) -> None:
        self._function = function

    def when(self, at: Path, kind: Event | None = None) -> Event | None:
        """When."""
        return self._function(at, kind)
