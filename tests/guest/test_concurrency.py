"""The standard library's concurrency under the scheduler, in each Python."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.guest.harness import Guest, any_order, in_this_order

Open = Callable[..., Guest]
MODULES = {"": "def tool(i: int) -> int: ...\n"}


def tool(i: int) -> int:
    return i * 10


OUT_OF_THE_BOX = """
import asyncio, concurrent.futures as cf, logging, multiprocessing.pool, queue, threading, time
out = []

async def work(i):
    await asyncio.sleep(i / 100)
    return await tool(i)

async def main():
    line = asyncio.Queue(2)
    async def produce():
        for i in range(4):
            await line.put(await tool(i))
        await line.put(None)
    async def consume():
        got = []
        while (item := await line.get()) is not None:
            got.append(item)
        return got
    _, got = await asyncio.gather(produce(), consume())
    out.append(got)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work(i)) for i in range(4)]
    out.append([task.result() for task in tasks])
    out.append(await asyncio.wait_for(tool(1), 60))
    lock = asyncio.Lock()
    async with lock:
        out.append(await asyncio.to_thread(tool, 2))
    generated = []
    async def numbers():
        for i in range(3):
            yield await tool(i)
    async for each in numbers():
        generated.append(each)
    out.append(generated)
asyncio.run(main())

with multiprocessing.pool.ThreadPool(3) as pool:
    out.append(pool.map(tool, range(5)))
with cf.ThreadPoolExecutor(3) as pool:
    out.append(list(pool.map(tool, range(5))))
    futures = [pool.submit(tool, i) for i in range(3)]
    out.append(sorted(futures.index(f) for f in cf.wait(futures).done))
hits = []
timer = threading.Timer(0.05, hits.append, ["timer"])
timer.start()
timer.join()
out.append(hits)
barrier, order = threading.Barrier(3), []
def meet(i):
    tool(i)
    barrier.wait()
    order.append(i)
threads = [threading.Thread(target=meet, args=(i,)) for i in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
out.append(sorted(order))
condition, box = threading.Condition(), []
def waiter():
    with condition:
        out.append(condition.wait_for(lambda: box, timeout=60))
thread = threading.Thread(target=waiter)
thread.start()
with condition:
    box.append(1)
    condition.notify_all()
thread.join()
out.append(threading.Event().wait(0.01))
try:
    queue.Queue().get(timeout=0.01)
except queue.Empty:
    out.append("empty")
simple = queue.SimpleQueue()
threading.Thread(target=lambda: simple.put(tool(7))).start()
out.append(simple.get())
logging.getLogger("x").warning("logged")
out
"""


def test_ordinary_concurrency_works(open_guest: Open, python: str) -> None:
    guest = open_guest(python=python, tools={"tool": tool}, modules=MODULES)
    run = guest.run(OUT_OF_THE_BOX)
    assert run.outcome.get("value") == [
        [0, 10, 20, 30],
        [0, 10, 20, 30],
        10,
        20,
        [0, 10, 20],
        [0, 10, 20, 30, 40],
        [0, 10, 20, 30, 40],
        [0, 1, 2],
        ["timer"],
        [0, 1, 2],
        [1],
        False,
        "empty",
        70,
    ], run.outcome
    assert run.output == "logged\n"
    assert run.outcome["replayable"] is True


def test_sleeping_is_a_wait_for_the_host_even_with_no_call_open(open_guest: Open) -> None:
    run = open_guest().run("import time\nt = time.monotonic()\ntime.sleep(2)\ntime.monotonic() - t")
    assert [frame["timeout"] for frame in run.waits] == [2_000_000_000]
    assert 2 <= run.outcome["value"] < 2.1


def test_timers_that_are_due_together_are_one_event(open_guest: Open) -> None:
    source = (
        "import threading, time\n"
        "threads = [threading.Thread(target=time.sleep, args=(1,)) for _ in range(5)]\n"
        "[thread.start() for thread in threads]\n[thread.join() for thread in threads]"
    )
    assert len(open_guest().run(source).waits) == 1


def test_the_clock_takes_over_what_the_host_recorded(open_guest: Open) -> None:
    guest = open_guest(tools={"tool": tool}, modules=MODULES)
    guest.run("import time\nt = time.time()")
    guest.now += 3 * 86400 * 10**9
    assert 2.99 < guest.run("(time.time() - t) / 86400").outcome["value"] < 3.01


def test_a_race_of_timer_and_call_is_the_hosts_to_decide(open_guest: Open) -> None:
    source = (
        "import asyncio\nasync def main():\n    try:\n"
        "        return await asyncio.wait_for(tool(1), 0.01)\n"
        "    except TimeoutError:\n        return 'late'\nasyncio.run(main())"
    )
    guest = open_guest(tools={"tool": tool}, modules=MODULES)
    assert guest.run(source, choose=in_this_order("1.1")).outcome["value"] == 10
    assert guest.run(source, choose=in_this_order("timer")).outcome["value"] == "late"


@pytest.mark.parametrize("delay", ["1e-9", "1.1e-9", "0.1", "1/3", "1e-10"])
def test_no_timer_is_asked_for_again_and_again(open_guest: Open, delay: str) -> None:
    source = f"import asyncio\nasyncio.run(asyncio.sleep({delay}))"
    assert len(open_guest().run(source).waits) <= 2


def test_a_sleep_beyond_all_time_is_an_error(open_guest: Open) -> None:
    error = open_guest().run("import time\ntime.sleep(1e12)").outcome["error"]
    assert error["type"] == "OverflowError"


def test_coroutines_are_taken_in_order_by_as_completed(open_guest: Open, python: str) -> None:
    source = (
        "import asyncio\norder = []\nasync def one(i):\n    order.append(i)\n"
        "async def main():\n"
        "    for each in asyncio.as_completed([one(i) for i in range(50)]): await each\n"
        "asyncio.run(main())\norder"
    )
    assert open_guest(python=python).run(source).outcome["value"] == list(range(50))


def test_pools_left_open_work_in_the_next_program(open_guest: Open, python: str) -> None:
    guest = open_guest(python=python, tools={"tool": tool}, modules=MODULES)
    guest.run(
        "import threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "pool = ThreadPoolExecutor(4)\nx = list(pool.map(tool, range(4)))"
    )
    assert guest.run("threading.active_count()").outcome["value"] == 1
    assert guest.run("list(pool.map(tool, range(4)))").outcome["value"] == [0, 10, 20, 30]


def test_threads_that_can_run_do_so_before_the_program_ends(open_guest: Open) -> None:
    guest = open_guest()
    run = guest.run("import threading\nthreading.Thread(target=print, args=('hello',)).start()")
    assert run.output == "hello\n"


def test_an_event_loop_may_be_kept_between_programs(open_guest: Open, python: str) -> None:
    guest = open_guest(python=python, tools={"tool": tool}, modules=MODULES)
    guest.run(
        "import asyncio\nloop = asyncio.new_event_loop()\nasync def one(i): return await tool(i)"
    )
    for step in range(3):
        value: Any = guest.run(f"loop.run_until_complete(one({step}))").outcome["value"]
        assert value == step * 10


@pytest.mark.parametrize("kind", ["ValueError", "SystemExit"])
def test_threads_that_end_by_an_error_replay(open_guest: Open, python: str, kind: str) -> None:
    source = (
        "import threading, random, time\n"
        f"def fail(i):\n    time.sleep(random.random())\n    raise {kind}(tool(i))\n"
        "threads = [threading.Thread(target=fail, args=(i,)) for i in range(5)]\n"
        "[thread.start() for thread in threads]\n[thread.join() for thread in threads]\n"
        "class Thing: pass\nthings = {Thing() for _ in range(9)}"
    )
    options: dict[str, Any] = {"python": python, "tools": {"tool": tool}, "modules": MODULES}
    live = open_guest(**options).run(source, choose=any_order(4))
    assert live.outcome["status"] == "done", live.outcome
    for _ in range(5):
        assert open_guest(**options).run(source, record=live).transcript == live.transcript


def test_eager_tasks_replay(open_guest: Open, python: str) -> None:
    source = (
        "import asyncio, sys\nasync def one(i): return await tool(i)\nasync def main():\n"
        "    if sys.version_info >= (3, 12):\n"
        "        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)\n"
        "    return await asyncio.gather(*[one(i) for i in range(6)])\nasyncio.run(main())"
    )
    guest = open_guest(python=python, tools={"tool": tool}, modules=MODULES)
    assert guest.run(source, choose=any_order(1)).outcome["value"] == [0, 10, 20, 30, 40, 50]
