"""What goes wrong in a program or an answer comes back to the model, which mends it and goes on."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from actum import Agent, Run, runs, scripted, tool
from actum.journal.verify import verify
from actum.models.contract import ModelRequest
from actum.models.scripted import ScriptedReply
from actum.places.local.place import Local
from actum.places.local.session import LocalSession
from actum.records.actions import FormatName
from actum.records.call_events import PendingRow
from actum.records.messages import NativeCall, Reply, Text
from actum.records.sessions import Environment, SessionSpec
from tests.flows.runs import bare_place
from tests.promises import promise

FAILS = """\
orders = [shop.get(i) for i in (1, 2)]
shop.note("began")
total = sum(order.price for order in orders)
finish(total)"""
# It uses what the first one left behind, and asks for the same write again.
MENDED = """\
shop.note("began")
finish(sum(order.amount for order in orders))"""
TOLD = """\
Error in line 3: AttributeError: this record has no 'price'; it has: id, amount
  line 3: total = sum(order.price for order in orders)
  line 3 in <genexpr>: total = sum(order.price for order in orders)
  order = {'id': 1, 'amount': 10}
  orders = [{'id': 1, 'amount': 10}, {'id': 2, 'amount': 20}]
Note: done: shop.note at line 2; the same call in the next program is not done again"""


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    """One place for all these runs: each begins a session of its own."""
    shared = bare_place()
    yield shared
    asyncio.run(shared.close())


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Listening:
    """A script that keeps what it was told before each of its replies."""

    def __init__(self, replies: Sequence[str | Reply]) -> None:
        self.told: list[str] = []
        self.replies: list[ScriptedReply] = [self._listening(reply) for reply in replies]

    def _listening(self, reply: str | Reply) -> Callable[[ModelRequest], str | Reply]:
        def say(request: ModelRequest) -> str | Reply:
            parts = request.messages[-1].parts
            self.told.append("".join(getattr(part, "text", "") for part in parts))
            return reply

        return say


def by_fence(program: str) -> Reply:
    return Reply(parts=(Text(f"I will try.\n```python\n{program}\n```"),))


def by_call(program: str) -> Reply:
    call = NativeCall(id="call_1", name="python", arguments=json.dumps({"code": program}))
    return Reply(parts=(call,), stop="calls")


def by_object(program: str) -> Reply:
    return Reply(parts=(Text(json.dumps({"thought": "I will try.", "code": program})),))


def yes(rows: Sequence[PendingRow]) -> bool:
    return True


def check_record(run: Run) -> None:
    assert verify(runs.find(run.id)).intact
    report = runs.replay(run.id)
    assert (report.identical, report.remarks) == (True, ()), report


@promise("record:mended-once")
@pytest.mark.parametrize("said", [by_fence, by_call, by_object])
@pytest.mark.parametrize("action_format", ["code", "auto"])
def test_a_program_that_raised_is_mended_with_its_variables_and_its_write_stays_one(
    said: Callable[[str], Reply], action_format: FormatName, place: Local
) -> None:
    did: list[str] = []

    @tool(name="shop.get", effect="read")
    def get(i: int) -> dict[str, int]:
        did.append(f"get {i}")
        return {"id": i, "amount": 10 * i}

    @tool(name="shop.note", effect="write")
    def note(text: str) -> str:
        did.append(f"note {text}")
        return "noted"

    script = Listening([said(FAILS), said(MENDED)])
    model = scripted(script.replies)
    agent = Agent(model, [get, note], format=action_format, place=place, approve=yes)
    run = agent.run_sync("What do orders 1 and 2 come to?")
    assert (run.status, run.output, run.steps) == ("done", 30, 2), run.error
    assert script.told[1] == TOLD
    assert did == ["get 1", "get 2", "note began"]
    check_record(run)


WRONG, RIGHT = {"late": "many", "names": ["ada"]}, {"late": 1, "names": ["ada"]}


def finishing(value: object, action_format: FormatName) -> Reply:
    if action_format == "json":
        call = NativeCall(id="call_1", name="finish", arguments=json.dumps({"value": value}))
        return Reply(parts=(call,), stop="calls")
    return by_fence(f"finish({value!r})")


@pytest.mark.parametrize("action_format", ["code", "json", "auto"])
def test_a_wrong_answer_of_a_pydantic_type_is_mended_once(
    action_format: FormatName, place: Local
) -> None:
    pytest.importorskip("pydantic", reason="pydantic is not installed: actum does not need it")
    from pydantic import BaseModel

    class Late(BaseModel):
        late: int
        names: list[str]

    script = Listening([finishing(value, action_format) for value in (WRONG, RIGHT)])
    agent = Agent(scripted(script.replies), format=action_format, place=place, output=Late)
    run = agent.run_sync("Which orders are late?")
    assert run.output == Late(late=1, names=["ada"]), run.error
    assert run.steps == 2
    assert "late" in script.told[1]
    assert "Mend it, and finish again." in script.told[1]
    check_record(run)

    again = Listening([finishing(WRONG, action_format)] * 2)
    failed = agent.with_(model=scripted(again.replies)).run_sync("Which orders are late?")
    assert (failed.status, failed.steps) == ("failed", 2)
    check_record(failed)


class Counted(Local):
    """A place that remembers what it was asked for."""

    def __init__(self) -> None:
        super().__init__(preload=())
        self.asked: list[str] = []

    async def environment(self) -> Environment:
        self.asked.append("environment")
        return await super().environment()

    async def open(self, spec: SessionSpec) -> LocalSession:
        self.asked.append("open")
        return await super().open(spec)


def children() -> set[str]:
    """The processes that this one has started and that live."""
    found: set[str] = set()
    for thread in Path(f"/proc/{os.getpid()}/task").iterdir():
        found |= set((thread / "children").read_text().split())
    return found


def test_a_json_router_opens_no_session_and_starts_no_process() -> None:
    during: list[set[str]] = []

    @tool(name="tickets.read", effect="read")
    def read(ticket: str) -> str:
        during.append(children())
        return "I was charged twice."

    @tool(name="teams.list", effect="read")
    def teams() -> list[str]:
        during.append(children())
        return ["billing", "technical"]

    @tool(name="tickets.assign", effect="write")
    def assign(ticket: str, team: str) -> str:
        during.append(children())
        return "assigned"

    look = '[{"name": "tickets.read", "arguments": {"ticket": "T-1"}}, {"name": "teams.list"}]'
    act = '{"name": "tickets.assign", "arguments": {"ticket": "T-1", "team": "billing"}}'
    counted = Counted()
    before = children()
    agent = Agent(
        scripted([look, act, "T-1 is with billing."]),
        [read, teams, assign],
        format="json",
        place=counted,
        approve=yes,
    )
    run = agent.run_sync("Route ticket T-1.")
    assert (run.status, run.output, run.usage.calls) == ("done", "T-1 is with billing.", 3)
    assert counted.asked == []
    check_record(run)
    assert during == [before] * 3
    assert children() == before
