"""What gets through the gate, seen from the program and from the tool."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from actum.gate.approval import Approver
from actum.gate.no_wait import refuse_all
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.places.local.place import Local
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision
from actum.records.policies import Condition, PolicyRule
from actum.records.values import JSON
from actum.tools.declaration import tool
from tests.flows.runs import Bench, bare_place, rules
from tests.promises import promise


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    """One place for all these runs: each begins a session of its own."""
    shared = bare_place()
    yield shared
    asyncio.run(shared.close())


class Shop:
    """Tools that remember what reached them."""

    def __init__(self) -> None:
        self.did: list[tuple[str, JSON]] = []
        self.tools = [self.get, self.send, self.drop, self.undeclared]

    @tool("read", name="shop.get")
    def get(self, i: int, full: bool = False) -> dict[str, JSON]:
        self.did.append(("get", i))
        return {"id": i, "full": full}

    @tool("write", name="shop.send")
    def send(self, to: str, body: str = "") -> str:
        self.did.append(("send", to))
        return f"sent {body}".strip()

    @tool("destructive", name="shop.drop")
    def drop(self, i: int) -> str:
        self.did.append(("drop", i))
        return "gone"

    @tool(name="shop.undeclared")
    def undeclared(self) -> str:
        self.did.append(("undeclared", None))
        return "done"


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def bench(tmp_path: Path, place: Local, shop: Shop) -> Bench:
    return Bench(tmp_path, place, tools=shop.tools)


def program(*lines: str) -> str:
    return "\n".join(["import tools", "from tools import shop", *lines, ""])


def approving() -> Approver:
    async def ask(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        choice = Choice(rows, by="me", how="callback")
        return [d for n in range(1, len(rows) + 1) for d in choice.select([n])]

    return ask


DENY = PolicyRule(decide="deny", tool="shop.*", why="not today")
ALLOW = PolicyRule(decide="allow", tool="shop.*")


@promise("gate:deny")
def test_a_denied_call_never_reaches_its_tool(bench: Bench, shop: Shop) -> None:
    source = program(
        "try:",
        "    shop.get(1)",
        "except tools.Denied as no:",
        "    print(no, '|', no.rule)",
    )
    ending = asyncio.run(bench.exec(source, policy=(rules(DENY),)))
    assert (ending.status, ending.exit) == ("done", 0)
    told = bench.output()
    assert told.startswith("shop.get was denied by rule 1 of actum.toml: not today (do it another")
    assert told.endswith(" | rule 1 of actum.toml\n")
    assert shop.did == []
    assert "tool.attempt" not in bench.kinds()


def test_a_refusal_that_nobody_catches_ends_the_run_as_denied(bench: Bench, shop: Shop) -> None:
    ending = asyncio.run(bench.exec(program("shop.get(1)"), policy=(rules(DENY),)))
    assert (ending.status, ending.exit) == ("denied", 4)
    assert "not today" in ending.reason


def test_an_error_that_is_only_called_denied_is_an_ordinary_failure(bench: Bench) -> None:
    ending = asyncio.run(bench.exec("class Denied(Exception): pass\nraise Denied('me')\n"))
    assert (ending.status, ending.exit) == ("failed", 1)


@promise("gate:ask")
@pytest.mark.parametrize("call", ["shop.send('a')", "shop.drop(1)", "shop.undeclared()"])
def test_what_must_be_asked_parks_where_nobody_is(bench: Bench, shop: Shop, call: str) -> None:
    ending = asyncio.run(bench.exec(program(call)))
    assert (ending.status, ending.exit) == ("paused", 8)
    assert shop.did == []
    assert bench.kinds()[-2:] == ["approval.request", "run.pause"]


@promise("gate:ask")
def test_without_waiting_the_answer_is_no(bench: Bench, shop: Shop) -> None:
    bench.approver = refuse_all
    ending = asyncio.run(bench.exec(program("shop.send('a')")))
    assert (ending.status, ending.exit) == ("denied", 4)
    assert shop.did == []
    caught = program("try:", "    shop.send('a')", "except tools.Denied:", "    print('well')")
    assert asyncio.run(bench.exec(caught, "R002")).exit == 0
    assert bench.output("R002") == "well\n"


@promise("gate:validate")
def test_every_wrong_argument_is_told_at_once_and_the_tool_is_not_called(
    bench: Bench, shop: Shop
) -> None:
    source = program(
        "try:",
        "    shop.get(full='maybe', extra=1)",
        "except tools.ToolError as error:",
        "    print(error.status, error)",
    )
    asyncio.run(bench.exec(source))
    told = bench.output()
    assert told.startswith("arguments ")
    assert all(name in told for name in ("i", "full", "extra"))
    assert "get(i: int, full: bool = False)" in told
    assert shop.did == []
    assert "tool.attempt" not in bench.kinds()


@promise("gate:validate")
def test_a_wrong_write_is_told_before_anybody_is_asked(bench: Bench, shop: Shop) -> None:
    source = program(
        "try:", "    shop.send(to=5)", "except tools.ToolError as error:", "    print(error.status)"
    )
    assert asyncio.run(bench.exec(source)).status == "done"
    assert bench.output() == "arguments\n"
    assert "approval.request" not in bench.kinds()


def test_of_two_files_the_stricter_holds(bench: Bench, shop: Shop) -> None:
    both = (rules(ALLOW, origin="project"), rules(DENY, origin="mine"))
    assert asyncio.run(bench.exec(program("shop.get(1)"), policy=both)).status == "denied"
    asks = PolicyRule(decide="ask", tool="shop.get")
    both = (rules(ALLOW, origin="project"), rules(asks, origin="mine"))
    assert asyncio.run(bench.exec(program("shop.get(1)"), "R002", policy=both)).status == "paused"
    # A file with no matching rule has no opinion; of one file the first match is its opinion.
    silent = rules(PolicyRule(decide="deny", tool="other.*"), origin="mine")
    both = (rules(ALLOW, DENY, origin="project"), silent)
    ending = asyncio.run(bench.exec(program("shop.send('a')"), "R003", policy=both))
    assert ending.status == "done"
    assert shop.did == [("send", "a")]


def test_a_rule_can_look_at_arguments(bench: Bench, shop: Shop) -> None:
    ours = PolicyRule(
        decide="allow",
        tool="shop.send",
        when={"to": Condition(ends_with="@example.com"), "body": Condition(max_length=5)},
    )
    policy = (rules(ours),)
    source = program(
        "shop.send('a@example.com', body='short')",
        "shop.send('a@example.com.evil', body='short')",
    )
    assert asyncio.run(bench.exec(source, policy=policy)).status == "paused"
    assert shop.did == [("send", "a@example.com")]
    long = program("shop.send('a@example.com', body='too long')")
    assert asyncio.run(bench.exec(long, "R002", policy=policy)).status == "paused"


def test_the_rules_of_today_can_only_be_stricter(bench: Bench, shop: Shop) -> None:
    async def scene() -> None:
        assert (await bench.exec(program("shop.send('a')"))).status == "paused"
        bench.today = (rules(ALLOW),)
        assert (await bench.resume()).status == "paused"
        bench.today = (rules(DENY),)
        store = SqliteStore.open(bench.file())
        await decide(store, Choice(pending_rows(store.events()), by="me").all())
        await store.close()
        assert (await bench.resume()).status == "denied"

    asyncio.run(scene())
    assert shop.did == []


def test_a_budget_of_calls_stops_exactly(bench: Bench, shop: Shop) -> None:
    source = program(
        "import asyncio",
        "async def main():",
        "    calls = [shop.get(i) for i in range(64)]",
        "    try:",
        "        await asyncio.gather(*calls, return_exceptions=True)",
        "    except BaseException:",
        "        print('caught')",
        "asyncio.run(main())",
        "print('went on')",
    )
    ending = asyncio.run(bench.exec(source, budget={"calls": 10}))
    assert (ending.status, ending.exit) == ("limit", 5)
    assert "10 tool calls" in ending.reason
    assert len(shop.did) == 10
    assert bench.kinds().count("tool.attempt") == 10
    assert bench.output() == ""
    report = asyncio.run(bench.replay())
    assert report.identical


def test_refused_and_wrong_calls_cost_nothing_of_the_budget(bench: Bench, shop: Shop) -> None:
    bench.approver = refuse_all
    source = program(
        "for i in range(5):",
        "    try:",
        "        shop.send('a')",
        "    except tools.Denied:",
        "        pass",
        "    try:",
        "        shop.get('x')",
        "    except tools.ToolError:",
        "        pass",
        "print(shop.get(1)['id'], shop.get(2)['id'])",
    )
    ending = asyncio.run(bench.exec(source, budget={"calls": 2}))
    assert ending.status == "done", ending.reason
    assert bench.output() == "1 2\n"


def test_a_resumed_run_has_spent_what_it_has_spent(bench: Bench, shop: Shop) -> None:
    async def scene() -> None:
        source = program("[shop.get(i) for i in range(3)]", "shop.send('a')", "shop.get(9)")
        assert (await bench.exec(source, budget={"calls": 4})).status == "paused"
        bench.approver = approving()
        ending = await bench.resume()
        assert (ending.status, ending.exit) == ("limit", 5)

    asyncio.run(scene())
    assert shop.did[-1] == ("send", "a")


def test_a_person_can_change_what_is_sent(bench: Bench, shop: Shop) -> None:
    async def edit(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        return Choice(rows, by="me").edited(1, {"to": "b", "body": "better"})

    bench.approver = edit

    async def scene() -> None:
        assert (await bench.exec(program("print(shop.send('a', 'bad'))"))).status == "done"
        assert (await bench.replay()).identical

    asyncio.run(scene())
    assert shop.did == [("send", "b")]
    assert bench.output() == "sent better\n"


@promise("gate:validate")
def test_what_a_person_has_changed_is_checked_too(bench: Bench, shop: Shop) -> None:
    async def edit(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        return Choice(rows, by="me").edited(1, {"to": 5})

    bench.approver = edit
    asyncio.run(bench.exec(program("shop.send('a')")))
    assert shop.did == []
    assert [failure.status for failure in bench.failures()] == ["arguments"]


@promise("gate:deny")
def test_what_a_person_has_changed_is_ruled_on_again(bench: Bench, shop: Shop) -> None:
    async def edit(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        return Choice(rows, by="me").edited(1, {"to": "boss"})

    bench.approver = edit
    boss = PolicyRule(decide="deny", tool="shop.send", when={"to": Condition(equals="boss")})
    ending = asyncio.run(bench.exec(program("shop.send('a')"), policy=(rules(boss),)))
    assert ending.status == "denied"
    assert shop.did == []


def test_a_tool_that_fails_is_an_error_that_the_program_can_catch(
    tmp_path: Path, place: Local
) -> None:
    @tool("read")
    def broken() -> None:
        raise ValueError("no stock")

    bench = Bench(tmp_path, place, tools=[broken])
    source = "import tools\ntry:\n    tools.broken()\nexcept tools.ToolError as e:\n    print(e.status, e)\n"
    assert asyncio.run(bench.exec(source)).status == "done"
    assert bench.output() == "failed broken failed: ValueError: no stock\n"


def test_a_tool_that_no_source_has_is_refused(bench: Bench) -> None:
    source = program("try:", "    shop.nothing()", "except Exception as error:", "    print(error)")
    assert asyncio.run(bench.exec(source)).status == "done"
    assert "nothing" in bench.output()
