"""A corrected program does not repeat what the failed one did."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.models.scripted import scripted
from actum.places.local.place import Local
from actum.records.call_events import PendingRow
from actum.records.events import ActionEnd, ModelRequest, ToolResult
from actum.records.policies import PolicyRule
from actum.records.sessions import Limits
from actum.tools.declaration import tool
from tests.flows.runs import Bench, bare_place, rules
from tests.promises import promise

FREE = (rules(PolicyRule(decide="allow")),)


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    shared = bare_place()
    yield shared
    asyncio.run(shared.close())


class Shop:
    """Tools that remember what reached them."""

    def __init__(self) -> None:
        self.did: list[Any] = []
        self.leave = asyncio.Event()
        self.tools = [self.get, self.send, self.pay, self.slow, self.drop, self.fragile]

    @tool("read", name="shop.get")
    def get(self, i: int = 0) -> int:
        self.did.append(f"get {i}")
        return len(self.did)

    @tool("write", name="shop.send")
    def send(self, to: str, body: str = "") -> str:
        self.did.append(f"send {to}")
        return f"sent to {to}"

    @tool("write", name="shop.pay")
    def pay(self, amount: Any) -> str:
        self.did.append(f"pay {amount}")
        return "paid"

    @tool("write", name="shop.slow")
    async def slow(self, to: str) -> str:
        self.did.append(f"slow {to}")
        await self.leave.wait()
        return "slow but done"

    @tool("destructive", name="shop.drop")
    def drop(self, i: int) -> str:
        self.did.append(f"drop {i}")
        return "gone"

    @tool("write", name="shop.fragile")
    def fragile(self) -> str:
        self.did.append("fragile")
        if self.did.count("fragile") == 1:
            raise ConnectionError("try later")
        return "fine"

    @property
    def writes(self) -> list[str]:
        return [done for done in self.did if not done.startswith("get")]


def programs(*texts: str) -> list[str]:
    return [f"```python\n{text}\n```" for text in texts]


class Flow:
    """Programs one after the other, against the shop."""

    def __init__(self, folder: Path, place: Local) -> None:
        self.shop = Shop()
        self.bench = Bench(folder, place, tools=self.shop.tools)

    def run(self, *texts: str, **fields: Any) -> None:
        self.bench.model = scripted([*programs(*texts), "All done."])
        fields = {"policy": FREE, "action_format": "code", **fields}
        asyncio.run(self.bench.task("mend it", **fields))

    @property
    def told(self) -> list[str]:
        """What the model was told after each step."""
        bodies = [event.body for event in self.bench.events()]
        return [body.observation for body in bodies if isinstance(body, ActionEnd)]

    @property
    def served(self) -> list[ToolResult]:
        bodies = [event.body for event in self.bench.events()]
        return [body for body in bodies if isinstance(body, ToolResult) and body.by == "ledger"]


@pytest.fixture
def flow(tmp_path: Path, place: Local) -> Flow:
    return Flow(tmp_path, place)


@promise("record:mended-once")
def test_each_write_reaches_its_tool_once_and_reads_are_fresh(flow: Flow) -> None:
    first = (
        "from tools import shop\nn = [shop.get(i) for i in range(5)]\n"
        "shop.send('a')\nprint(shop.send(to='b', body=''))\nraise ValueError('oh')"
    )
    mended = first.replace("raise ValueError('oh')", "print('end')")
    flow.run(first, mended)
    assert flow.shop.writes == ["send a", "send b"]
    assert flow.shop.did.count("get 0") == 2
    assert [(result.value, result.first) for result in flow.served] == [
        ("sent to a", "1.6"),
        ("sent to b", "1.7"),
    ]
    assert "shop.send at line 3, shop.send at line 4; the same call in the next" in flow.told[0]
    assert "shop.send was already done at step 1, line 3, and not done again" in flow.told[1]
    assert flow.told[1].startswith("Output:\nsent to b\nend")
    assert asyncio.run(flow.bench.replay()).identical


def test_two_equal_writes_meant_twice_happen_twice(flow: Flow) -> None:
    loop = "from tools import shop\nfor i in range({}): shop.send('a')\n{}"
    flow.run(loop.format(2, "oh"), loop.format(3, "print(1)"), loop.format(1, "print(2)"))
    assert flow.shop.writes == ["send a"] * 4


def test_again_forces_and_a_success_in_between_ends_it(flow: Flow) -> None:
    send = "from tools import shop\nshop.send('a')"
    flow.run(f"{send}\noh", send.replace("send(", "send.again("), send)
    assert flow.shop.writes == ["send a"] * 3
    assert flow.served == []
    assert (
        "done by an earlier program, and not called by this one: shop.send at step 1"
        in (flow.told[1])
    )
    assert asyncio.run(flow.bench.replay()).identical


def test_other_order_spelling_and_numbers_that_are_equal(flow: Flow) -> None:
    flow.run(
        "from tools import shop\nshop.send('a')\nshop.pay(5)\nshop.send(body='x', to='b')\noh",
        "from tools import shop\nshop.pay(amount=5.0)\nshop.send('b', 'x')\nshop.send('a', '')",
    )
    assert flow.shop.writes == ["send a", "pay 5", "send b"]


def test_a_changed_argument_is_a_new_write_and_the_old_one_is_told(flow: Flow) -> None:
    flow.run("from tools import shop\nshop.pay(5)\noh", "from tools import shop\nshop.pay(True)")
    assert flow.shop.writes == ["pay 5", "pay True"]
    assert "not called by this one: shop.pay at step 1, line 2" in flow.told[1]


def test_two_failures_in_a_row_and_the_third_does_only_what_is_missing(flow: Flow) -> None:
    text = "from tools import shop\nfor to in 'abc'[:{}]: shop.send(to)\n{}"
    flow.run(text.format(1, "oh"), text.format(2, "oh"), text.format(3, "print('end')"))
    assert flow.shop.writes == ["send a", "send b", "send c"]
    assert [result.first for result in flow.served] == ["1.1", "1.1", "2.2"]
    assert "shop.send was already done at step 2, line 2" in flow.told[2]


def test_a_failed_write_is_tried_again(flow: Flow) -> None:
    text = "from tools import shop\nprint(shop.fragile())"
    flow.run(text, text)
    assert flow.shop.writes == ["fragile", "fragile"]
    assert flow.served == []


def test_side_by_side_calls_each_take_one(flow: Flow) -> None:
    text = (
        "import asyncio\nfrom tools import shop\n"
        "async def main(): return await asyncio.gather(*(shop.send('a') for i in range({})))\n"
        "print(asyncio.run(main()))\n{}"
    )
    flow.run(text.format(2, "oh"), text.format(3, ""))
    assert flow.shop.writes == ["send a"] * 3
    assert "['sent to a', 'sent to a', 'sent to a']" in flow.told[1]


def test_a_program_that_is_killed_counts_as_failed(flow: Flow) -> None:
    text = "from tools import shop\nshop.send('a')\n"
    flow.run(f"{text}while True: ...", text, limits=Limits(seconds=0.3))
    assert flow.shop.writes == ["send a"]
    assert flow.served[0].first == "1.1"


def test_a_write_still_under_way_when_its_program_is_killed_is_waited_for(flow: Flow) -> None:
    shop = flow.shop
    text = "from tools import shop\nprint(shop.slow('a'))"

    def opens_the_door(_: object) -> str:
        asyncio.get_running_loop().call_later(0.2, shop.leave.set)
        return programs(text)[0]

    flow.bench.model = scripted([*programs(text), opens_the_door, "done"])
    asyncio.run(flow.bench.task("x", policy=FREE, action_format="code", limits=Limits(seconds=1)))
    assert shop.writes == ["slow a"]
    assert flow.told[1].startswith("Output:\nslow but done")
    assert asyncio.run(flow.bench.replay()).identical


def test_what_is_done_already_is_not_asked_about(flow: Flow) -> None:
    asked: list[list[str]] = []

    async def allow(rows: Sequence[PendingRow]) -> list[Any]:
        asked.append([str(row.arguments["i"]) for row in rows])
        return Choice(rows, by="me").select(range(1, len(rows) + 1))

    flow.bench.approver = allow
    text = "from tools import shop\nshop.drop(1)\n{}"
    flow.run(text.format("oh"), text.format("shop.drop(2)"), policy=())
    assert asked == [["1"], ["2"]]
    assert flow.shop.writes == ["drop 1", "drop 2"]


def test_a_denied_call_is_refused_though_it_has_happened_and_served_calls_cost_nothing(
    flow: Flow,
) -> None:
    text = "from tools import shop\nshop.send('a')\nshop.send('b')\n"
    flow.run(f"{text}oh", f"{text}shop.send('c')", budget={"calls": 3})
    assert flow.shop.writes == ["send a", "send b", "send c"]


def test_a_json_call_of_the_same_is_told_and_the_next_one_happens(flow: Flow) -> None:
    call = '{"tool": "shop.send", "arguments": {"to": "a"}}'
    flow.bench.model = scripted(
        [*programs("from tools import shop\nshop.send('a')\noh"), call, call, "Done."]
    )
    asyncio.run(flow.bench.task("x", policy=FREE, action_format="auto"))
    assert flow.shop.writes == ["send a", "send a"]
    texts = [
        message.text or str(message.parts)
        for event in flow.bench.events()
        if isinstance(event.body, ModelRequest)
        for message in event.body.added
    ]
    assert any("Already done at step 1, line 2, and not done again" in text for text in texts)
    assert asyncio.run(flow.bench.replay()).identical


@promise("record:mended-once")
def test_a_resumed_run_has_the_same_ledger(flow: Flow) -> None:
    text = "from tools import shop\nshop.send('a')\nshop.drop(1)\n{}"
    ask_drop = (rules(PolicyRule(tool="shop.send", decide="allow")),)
    # Parks in the second program, after the first failed with one write done.
    flow.run(
        "from tools import shop\nshop.send('a')\noh", text.format("print('end')"), policy=ask_drop
    )
    assert flow.shop.writes == ["send a"]

    async def approve() -> None:
        store = SqliteStore.open(flow.bench.file())
        await decide(store, Choice(pending_rows(store.events()), by="me").select([1]))
        await store.close()

    asyncio.run(approve())
    asyncio.run(flow.bench.resume())
    assert flow.shop.writes == ["send a", "drop 1"]
    assert asyncio.run(flow.bench.replay()).identical
