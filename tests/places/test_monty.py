"""Monty as a place: what it records and replays, what it refuses, and when it is chosen."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from actum import Agent, runs, scripted, tool
from actum.errors import NoWall, UserMistake
from actum.places.best import Best
from actum.places.contract import Capability, Place
from actum.places.finding import open_place
from actum.records.events import RunStart
from actum.records.sessions import Environment, Given, Mount, SessionSpec
from tests.places.talking import Answering, outcome_of, program, run_all, spec, with_place

pytest.importorskip("pydantic_monty")


def monty() -> Place:
    return open_place("monty")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACTUM_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@tool(name="crm.get", effect="read")
def get(i: int) -> dict[str, int]:
    "One customer."
    return {"id": i}


FIRST = """```python
import asyncio, random, time
people = await asyncio.gather(*[crm.get(i) for i in range(20)])
print(random.random(), time.time(), len(people))
help(crm.get)
open('out/a.txt', 'w').write('kept')
people[3]["id"]
```"""
SECOND = "```python\nimport numpy\n```"
THIRD = "```python\nfinish(sum(p['id'] for p in people))\n```"


def test_a_run_is_recorded_and_replayed_as_in_every_place() -> None:
    agent = Agent(
        model=scripted([FIRST, SECOND, THIRD]),
        tools=[get],
        place="monty",
        format="code",
        output=int,
    )
    run = agent.run_sync("count")
    assert run.output == 190
    assert len(run.calls) == 20
    start = run.events[0].body
    assert isinstance(start, RunStart)
    assert start.environment is not None
    assert (start.environment.place, start.environment.level) == ("monty", "subset")
    report = runs.replay(run.id)
    assert report.identical, report


def test_the_model_is_told_what_the_subset_lacks() -> None:
    asked: list[str] = []

    def reply(request: Any) -> str:
        asked.append(str(request.messages[0]))
        return "done"

    Agent(model=scripted([reply]), place="monty", format="code").run_sync("anything")
    assert "a subset of Python" in asked[0]
    assert "Installed beside" not in asked[0]


def test_a_wall_that_is_asked_for_is_not_replaced_by_a_subset() -> None:
    async def act(place: Place) -> None:
        with pytest.raises(NoWall, match="landlock"):
            await place.open(spec(minimum_level="landlock"))

    with_place(monty, act)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"mounts": (Mount("/tmp", "tmp"),)}, "folders"),
        ({"given": (Given(name="t", kind="table", content=b""),)}, "tables"),
        ({"imports": ("json",)}, "imports"),
    ],
)
def test_what_it_cannot_do_is_refused_and_not_left_out(options: dict[str, Any], named: str) -> None:
    async def act(place: Place) -> None:
        with pytest.raises(UserMistake, match=named):
            await place.open(spec(**options))

    with_place(monty, act)


def test_packages_are_refused() -> None:
    with pytest.raises(UserMistake, match="no packages"):
        Agent(model=scripted(["done"]), place="monty", packages=["polars"]).run_sync("anything")


def test_what_is_handed_in_is_there() -> None:
    given = (
        Given(name="rows", kind="data", content=b'[1, {"a": 2}]'),
        Given(name="raw", kind="bytes", content=b"\x00\xff"),
        Given(name="own.txt", kind="file", content=b"mine"),
    )

    async def act(place: Place) -> Any:
        source = "[rows[1]['a'], len(raw), open('own.txt').read()]"
        session = await place.open(spec(given=given))
        outcome = await session.run(program(source), Answering())
        await session.close()
        return outcome.value

    assert with_place(monty, act) == [2, 2, "mine"]


def test_a_function_never_reaches_a_tool_as_text() -> None:
    host = Answering({"crm.get": str}, {"": "# modules: crm", "crm": "def get(i): ..."})

    async def act(place: Place) -> Any:
        return await run_all(place, ["from tools import crm\ncrm.get(lambda: 1)"], host)

    [outcome] = with_place(monty, act)
    assert outcome.error.type == "TypeError"
    assert host.calls == []


def test_nothing_of_the_host_is_read() -> None:
    async def act(place: Place) -> Any:
        session = await place.open(spec())
        sources = ("open('/etc/passwd').read()", "import os\nos.environ", "import subprocess")
        found = [(await session.run(program(each), Answering())).status for each in sources]
        await session.close()
        return found

    assert with_place(monty, act) == ["failed", "failed", "failed"]


class NoneHere:
    """A place on a machine that gives no wall."""

    name = "local"
    capabilities: frozenset[Capability] = frozenset()
    closed = False

    async def environment(self) -> Environment:
        message = "no wall"
        raise NoWall(message)

    async def open(self, spec: SessionSpec) -> Any:
        raise AssertionError

    async def close(self) -> None:
        self.closed = True


def test_it_stands_in_where_no_wall_can_be_raised() -> None:
    first = NoneHere()

    async def act() -> tuple[str, Any]:
        place = Best(first, monty)
        environment = await place.environment()
        outcome, _ = await outcome_of(place, "6 * 7")
        await place.close()
        return environment.place, outcome.value

    assert asyncio.run(act()) == ("monty", 42)
    assert first.closed


def test_a_folder_of_its_own_is_removed_with_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def act(place: Place) -> Any:
        return (await outcome_of(place, "open('a', 'w').write('x')"))[0].status

    assert with_place(monty, act) == "done"
    assert list(tmp_path.glob("actum-*")) == []
    assert "pydantic_monty" in sys.modules
