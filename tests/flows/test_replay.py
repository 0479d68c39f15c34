"""A replay needs the record alone, and gives the same however busy the machine is."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from actum.journal.recording import read_run
from actum.lifecycle.replay import Report, replay
from tests.flows.runs import bare_place
from tests.flows.terminal import Terminal
from tests.promises import promise

BUSY = """
import asyncio, concurrent.futures as futures, queue, random, threading, time, uuid
from tools import shop

names = queue.Queue()

def work(number):
    time.sleep(random.random() / 100)
    names.put((number, random.randint(0, 10**9), shop.get(number)["amount"]))

threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(list(names.queue))

async def one(number):
    await asyncio.sleep(random.random() / 100)
    return uuid.uuid4().hex, (await shop.get(number))["id"]

async def main():
    tasks = [asyncio.ensure_future(one(n)) for n in range(6)]
    first, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    print([task.result() for task in first], len(rest))
    print(await asyncio.gather(*rest))

asyncio.run(main())
with futures.ThreadPoolExecutor(6) as pool:
    waiting = [pool.submit(shop.get, random.randint(1, 99)) for _ in range(6)]
    print([done.result()["id"] for done in futures.as_completed(waiting)])
print(time.time(), time.monotonic(), random.random(), {object() for _ in range(3)} is None)
sum(range(10))
"""
TIMES = 20


@pytest.fixture
def load() -> Iterator[None]:
    """Two processes that leave nobody else much of the machine."""
    spinning = [
        subprocess.Popen([sys.executable, "-c", "while True: sum(range(1000))"]) for _ in range(2)
    ]
    yield
    for process in spinning:
        process.kill()
        process.wait()


@promise("record:replay")
def test_a_replay_under_load_is_identical_with_tools_and_network_gone(
    terminal: Terminal, load: None
) -> None:
    live = terminal.exec(BUSY)
    assert live.exit == 0, live.err
    before = terminal.world
    assert len(before) == 18
    (terminal.folder / "shop.py").unlink()
    (terminal.folder / "p.py").unlink()

    async def again() -> list[tuple[Report, str]]:
        events = read_run(terminal.file()).events
        reports: list[tuple[Report, str]] = []
        for _ in range(2):
            place = bare_place()
            for _ in range(TIMES // 2):
                printed: list[str] = []
                report = await replay(
                    events, place, listener=lambda chunk, to=printed: to.append(chunk.text)
                )
                reports.append((report, "".join(printed)))
            await place.close()
        return reports

    reports = asyncio.run(again())
    assert [report.difference for report, _ in reports] == [None] * TIMES
    assert {printed for _, printed in reports} == {live.out}
    by_hand = terminal.actum("replay")
    assert (by_hand.exit, by_hand.out) == (0, live.out)
    assert terminal.world == before


@promise("record:replay")
def test_a_run_of_a_model_replays_without_its_model(terminal: Terminal) -> None:
    script = terminal.write(
        "replies.txt",
        "```python\nfrom tools import shop\nx = shop.get(3)['amount']\nprint(x)\n```\n---\n"
        "```python\nprint(x + 1)\n```\n---\nIt is 31.\n",
    )
    done = terminal.actum("run", "how much?", "--model", f"scripted:{script}", "--tools", "shop.py")
    assert (done.exit, done.out) == (0, "It is 31.\n")
    shutil.rmtree(terminal.folder)
    terminal.folder.mkdir()
    report = terminal.actum("replay", "--json")
    assert report.exit == 0, report.err
    assert report.json["identical"]
    assert report.json["difference"] is None


def test_another_program_is_told_by_event_line_and_both_arguments(terminal: Terminal) -> None:
    assert terminal.exec("from tools import shop\nshop.get(1)\nshop.get(2)\n").exit == 0
    other = terminal.write("other.py", "from tools import shop\nshop.get(1)\nshop.get(3)\n")
    told = terminal.actum("replay", "--code", other)
    assert told.exit == 7
    assert "line 3" in told.err
    assert "recorded shop.get(2) at line 3; replayed shop.get(3) at line 3" in told.err
    document = terminal.actum("replay", "--code", other, "--json")
    assert document.exit == 7
    assert not document.json["identical"]
    difference = document.json["difference"]
    assert (difference["step"], difference["line"]) == (1, 3)
    assert f"event {difference['seq']}, step 1, line 3" in told.err
    assert difference["recorded"] == "shop.get(2) at line 3"
    assert difference["replayed"] == "shop.get(3) at line 3"
    assert len(terminal.world) == 2


@pytest.mark.parametrize(
    ("other", "recorded", "replayed"),
    [
        ("shop.get(1)\n", "shop.get(2) at line 3", "the program ended"),
        (
            "shop.get(1)\nx = shop.get(2)\ny = shop.get(3)\n",
            "no further call",
            "shop.get(3) at line 4",
        ),
        ("shop.get(1)\nx = shop.get(2)\nprint(2)\n", "printed nothing more", "printed '2'"),
        ("shop.get(1)\nx = shop.get(2)\n1/0\n", "no error", "ZeroDivisionError"),
        ("shop.get(1)\nx = shop.get(2)\n5\n", "its value is None", "its value is 5"),
        ("shop.get(1)\nimport time; time.sleep(1)\n", "shop.get(2) at line 3", ""),
    ],
)
def test_every_kind_of_difference_is_told(
    terminal: Terminal, other: str, recorded: str, replayed: str
) -> None:
    assert terminal.exec("from tools import shop\nshop.get(1)\nx = shop.get(2)\n").exit == 0
    file = terminal.write("other.py", f"from tools import shop\n{other}")
    document = terminal.actum("replay", "--code", file, "--json")
    assert document.exit == 7
    assert recorded in document.json["difference"]["recorded"]
    assert replayed in document.json["difference"]["replayed"]
