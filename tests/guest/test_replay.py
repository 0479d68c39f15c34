"""A program is a function of its record: equal events, equal everything, in each Python."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.guest.harness import Guest, any_order

STUBS = {"": 'def price(i: int) -> dict:\n    """What it costs."""\n'}


def price(i: int) -> dict[str, Any]:
    return {"id": i, "euro": i * 1.5}


TOOLS = {"price": price}

EVERYTHING = """
import asyncio, concurrent.futures, datetime, os, queue, random, secrets, tempfile, threading
import time, uuid
print(uuid.uuid4(), uuid.uuid1(), secrets.token_hex(4), os.urandom(4).hex())
print(time.time(), time.perf_counter(), datetime.datetime.now(), datetime.date.today())
print(random.random(), random.Random().random(), random.sample(range(99), 3), os.getpid())
print(tempfile.mkdtemp(), hash("order"), {"b", "a", "c"})

async def one(i):
    await asyncio.sleep(random.random() / 200)
    answer = await price(i)
    return i, answer.euro, time.time_ns()

async def many():
    got = [await each for each in asyncio.as_completed([one(i) for i in range(6)])]
    tasks = [asyncio.create_task(one(i)) for i in range(4)]
    done, waiting = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    got.append([task.result() for task in done])
    got += await asyncio.gather(*waiting)
    try:
        async with asyncio.timeout(0.001):
            got.append(await price(9))
    except TimeoutError:
        got.append("late")
    got += await asyncio.gather(*[asyncio.to_thread(price, i) for i in range(3)])
    return got

print(asyncio.run(many()))
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    futures = [pool.submit(lambda i: (i, price(i).euro, random.random()), i) for i in range(8)]
    print([future.result() for future in concurrent.futures.as_completed(futures)])
    print([i for i, f in enumerate(futures) if f in concurrent.futures.wait(futures).done])

lock, shared, lines = threading.Lock(), [], queue.Queue()
def worker(number):
    for turn in range(3):
        with lock:
            shared.append((number, turn))
        time.sleep(random.random() / 1000)
        lines.put((number, price(number).id))
threads = [threading.Thread(target=worker, args=(n,)) for n in range(3)]
for thread in threads: thread.start()
print([lines.get() for _ in range(9)])
for thread in threads: thread.join()
print(shared, [thread.name for thread in threads], threading.get_ident())
class Thing: pass
time.monotonic(), len({Thing() for _ in range(5)})
"""


@pytest.mark.timeout(120)
def test_a_program_replays_bit_by_bit(open_guest: Callable[..., Guest], python: str) -> None:
    """Threads, asyncio, random, clocks and calls in flight: twenty replays, one transcript."""
    options: dict[str, Any] = {"python": python, "tools": TOOLS, "modules": STUBS}
    recorded: list[str] = []
    for order in range(2):
        live = open_guest(**options).run(EVERYTHING, choose=any_order(order))
        assert live.outcome["status"] == "done", live.outcome
        assert live.most_open >= 6
        recorded.append(live.transcript)
        for _ in range(10):
            again = open_guest(**options).run(EVERYTHING, record=live)
            assert again.transcript == live.transcript
    assert recorded[0] != recorded[1]


def test_steps_replay_with_their_variables(open_guest: Callable[..., Guest], python: str) -> None:
    steps = [
        "import random, threading, time\nrandom.seed(42)\nx = [random.random()]",
        "x.append(random.random())\nthreading.Thread(target=lambda: x.append(price(1).id)).start()",
        "time.sleep(1)\nx.append(time.time())\nx",
    ]
    options: dict[str, Any] = {"python": python, "tools": TOOLS, "modules": STUBS}
    guest = open_guest(**options)
    live = [guest.run(step, choose=any_order(1)) for step in steps]
    assert live[2].outcome["value"][:2] == [0.6394267984578837, 0.025010755222666936]
    guest = open_guest(**options)
    again = [guest.run(step, record=run) for step, run in zip(steps, live, strict=True)]
    assert [run.transcript for run in again] == [run.transcript for run in live]


def test_another_step_changes_no_entropy_of_the_next(open_guest: Callable[..., Guest]) -> None:
    draw = "import random, uuid\n(random.random(), str(uuid.uuid4()))"
    values: list[Any] = []
    for first in ("1", "import random\n[random.random() for _ in range(100)]"):
        guest = open_guest()
        guest.run(first)
        values.append(guest.run(draw).outcome["value"])
    assert values[0] == values[1]


def test_the_seed_decides(open_guest: Callable[..., Guest]) -> None:
    draw = "import random, os\n(random.random(), os.urandom(4).hex())"
    one = open_guest().run(draw).outcome["value"]
    assert one == open_guest().run(draw).outcome["value"]
    assert one != open_guest(seed="f" * 32).run(draw).outcome["value"]
