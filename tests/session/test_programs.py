"""One program after the other in a session, and what is left when a session dies."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from actum.models.scripted import scripted
from actum.places.local.place import Local
from actum.records.policies import PolicyRule
from actum.tools.declaration import tool
from tests.flows.runs import Bench, bare_place, rules

ALLOW = (rules(PolicyRule(decide="allow", tool="shop.*")),)


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    shared = bare_place()
    yield shared
    asyncio.run(shared.close())


class Shop:
    def __init__(self) -> None:
        self.did: list[str] = []
        self.tools = [self.get, self.send, self.slow]

    @tool("read", name="shop.get")
    def get(self, i: int) -> int:
        self.did.append(f"get {i}")
        return 10 * i

    @tool("write", name="shop.send")
    def send(self, to: str) -> str:
        self.did.append(f"send {to}")
        return "sent"

    @tool("write", name="shop.slow")
    def slow(self) -> str:
        time.sleep(0.2)
        self.did.append("slow")
        return "slow"


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def bench(tmp_path: Path, place: Local, shop: Shop) -> Bench:
    return Bench(tmp_path, place, tools=shop.tools)


def steps(programs: Sequence[str], answer: str) -> list[str]:
    return [*(f"```python\n{program}\n```" for program in programs), answer]


@pytest.mark.parametrize(
    "deadly", ["import os; os._exit(1)", "import ctypes; ctypes.string_at(0)", "while True: pass"]
)
def test_a_program_that_dies_takes_no_variables_with_it_and_no_call_is_repeated(
    bench: Bench, shop: Shop, deadly: str
) -> None:
    from actum.records.sessions import Limits

    programs = [
        "from tools import shop\nx = shop.get(4)\nshop.send(to='a')",
        f"x = 'lost'\nshop.send(to='b')\n{deadly}",
        "print(x)\nshop.send(to='c')",
    ]
    bench.model = scripted(steps(programs, "Done."))

    async def scene() -> None:
        ending = await bench.task("try", policy=ALLOW, limits=Limits(seconds=0.5))
        assert (ending.status, ending.output) == ("done", "Done.")
        report = await bench.replay()
        assert report.identical, report

    asyncio.run(scene())
    assert bench.output() == "40\n"
    assert shop.did == ["get 4", "send a", "send b", "send c"]


def test_a_call_that_nobody_waits_for_is_finished_before_the_run_is_over(
    bench: Bench, shop: Shop
) -> None:
    program = (
        "import threading, time\nfrom tools import shop\n"
        "threading.Thread(target=shop.slow, daemon=True).start()\ntime.sleep(0.01)\nprint('end')\n"
    )

    async def scene() -> None:
        assert (await bench.exec(program, policy=ALLOW)).status == "done"
        assert (await bench.replay()).identical

    asyncio.run(scene())
    assert shop.did == ["slow"]
    kinds = bench.kinds()
    assert kinds[-1] == "run.end"
    assert kinds.count("tool.attempt") == kinds.count("tool.result") == 1


def test_a_question_that_nobody_waits_for_is_not_asked_after_the_end(
    bench: Bench, shop: Shop
) -> None:
    program = (
        "import threading\nfrom tools import shop\n"
        "threading.Thread(target=shop.send, args=['a'], daemon=True).start()\nprint('end')\n"
    )

    async def scene() -> None:
        assert (await bench.exec(program)).status == "done"
        assert (await bench.replay()).identical

    asyncio.run(scene())
    assert shop.did == []
    assert bench.kinds()[-1] == "run.end"


def test_all_reads_are_back_before_a_table_is_shown(bench: Bench, shop: Shop) -> None:
    program = (
        "import asyncio\nfrom tools import shop\n"
        "async def main():\n"
        "    await asyncio.gather(shop.send('a'), shop.get(1), both())\n"
        "async def both():\n    await shop.get(2)\n    await shop.send('b')\n"
        "asyncio.run(main())\n"
    )
    assert asyncio.run(bench.exec(program)).status == "paused"
    assert bench.kinds().count("approval.request") == 1
    assert shop.did == ["get 1", "get 2"]


def test_a_timer_that_comes_first_comes_first_in_a_replay(bench: Bench, shop: Shop) -> None:
    program = (
        "import asyncio\nfrom tools import shop\n"
        "async def main():\n"
        "    try:\n        await asyncio.wait_for(shop.slow(), 0.02)\n"
        "    except TimeoutError:\n        print('too slow')\n"
        "    print(await shop.get(1))\n"
        "asyncio.run(main())\n"
    )

    async def scene() -> None:
        assert (await bench.exec(program, policy=ALLOW)).status == "done"
        for _ in range(5):
            report = await bench.replay()
            assert report.identical, report

    asyncio.run(scene())
    assert bench.output() == "too slow\n10\n"
