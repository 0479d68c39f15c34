"""What the local place promises beyond the contract: one heap for all, and nothing left behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from actum.errors import NoWall
from actum.places.local.place import Local
from actum.records.sessions import Level as SpecLevel
from tests.places.talking import Answering, outcome_of, program, spec, with_place

Level = Literal["full", "landlock"]
LEVELS: tuple[Level, ...] = ("full", "landlock")
ROOT = Path(__file__).parent.parent.parent

LAYOUT = """
made = []
for i in range(100):
    kinds = [object(), [i], {i: i}, (i, i + 1), "s%d" % i * 3, b"x" * (i * 37), float(i) + 0.5,
             {i, i + 1}, type("T%d" % i, (), {}), bytearray(700 + i)]
    made.append(kinds[i % 10])
" ".join(hex(id(one)) for one in made)
"""


def at(level: Level, act: Callable[[Local], Awaitable[Any]], preload: tuple[str, ...] = ()) -> Any:
    try:
        return with_place(lambda: Local(level=level, preload=preload), act)
    except NoWall as problem:
        pytest.skip(problem.why)


async def layouts(place: Local) -> list[str]:
    """Where 100 objects stand in each of twenty sessions, some of which end in between."""
    seen: list[str] = []
    open_now: list[Any] = []
    for number in range(20):
        session = await place.open(spec())
        outcome = await session.run(program(LAYOUT), Answering())
        assert isinstance(outcome.value, str), outcome
        seen.append(outcome.value)
        open_now.append(session)
        if number % 3 == 0:
            await open_now.pop(0).close()
    return seen


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("preload", [(), ("numpy", "pandas")], ids=["bare", "with pandas"])
def test_every_session_has_the_same_heap(level: Level, preload: tuple[str, ...]) -> None:
    seen = at(level, layouts, preload)
    assert len(set(seen)) == 1
    environment = at(level, lambda place: place.environment(), preload)
    if environment.layers["addresses"] == "the same every time":
        assert set(at(level, layouts, preload)) == set(seen)


HOST = """
import asyncio, os, sys, time
sys.path.insert(0, {root!r})
from actum.places.local.place import Local
from tests.places.talking import Answering, program, spec
async def main():
    place = Local(level={level!r}, preload=())
    session = await place.open(spec())
    pids = [session.pid, *place.zygotes()]
    print(*pids, flush=True)
    await session.run(program("while True: pass", seconds=None), Answering())
asyncio.run(main())
"""


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_outlives_a_host_that_is_killed(level: Level) -> None:
    at(level, lambda place: place.environment())
    source = HOST.format(root=str(ROOT), level=level)
    with subprocess.Popen(
        [sys.executable, "-c", source], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        pids = [int(pid) for pid in host.stdout.readline().split()]
        assert len(pids) == 2
        watched = [os.pidfd_open(pid) for pid in pids]
        host.send_signal(signal.SIGKILL)
        host.wait()
        for pidfd in watched:
            wait_for_end(pidfd)


def wait_for_end(pidfd: int) -> None:
    """A process is dead when its descriptor can be read."""
    import select

    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    assert poll.poll(10_000)
    os.close(pidfd)


@pytest.mark.parametrize("level", LEVELS)
def test_closing_leaves_no_process_no_folder_and_no_descriptor(
    level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    at(level, lambda place: place.environment())
    before = len(list(Path("/proc/self/fd").iterdir()))

    async def act(place: Local) -> int:
        sources = [
            "import os\nos.makedirs('a/b/c')\nopen('a/b/f', 'w').close()\nos.mkdir('shut', 0)"
        ]
        outcome, _ = await outcome_of(place, sources[0])
        assert outcome.status == "done", outcome
        return place.zygotes()[0]

    zygote = at(level, act)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    assert list(tmp_path.glob("actum-*")) == []
    assert not Path(f"/proc/{zygote}/exe").exists() or zombie(zygote)


def zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_many_threads_and_loops_share_one_zygote() -> None:
    place = Local(preload=())
    values: list[Any] = []

    async def one() -> None:
        outcome, _ = await outcome_of(place, "6 * 7")
        values.append(outcome.value)

    try:
        asyncio.run(place.environment())
    except NoWall as problem:
        asyncio.run(place.close())
        pytest.skip(problem.why)
    threads = [threading.Thread(target=lambda: asyncio.run(one())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(place.close())
    assert values == [42] * 8


def test_a_blocked_event_loop_does_not_stop_the_clock_of_a_program() -> None:
    async def act(place: Local) -> Any:
        session = await place.open(spec())
        running = asyncio.ensure_future(
            session.run(program("while True: pass", seconds=0.3), Answering())
        )
        await asyncio.sleep(0)
        pidfd = os.pidfd_open(session.pid)
        wait_for_end(pidfd)  # blocks the loop until the watcher has killed the program
        return await running

    outcome = at_best(act)
    assert (outcome.status, outcome.limit) == ("killed", "seconds")


def at_best(act: Callable[[Local], Awaitable[Any]]) -> Any:
    try:
        return with_place(lambda: Local(preload=()), act)
    except NoWall as problem:
        pytest.skip(problem.why)


def test_a_lower_wall_than_asked_for_is_refused() -> None:
    async def act(place: Local) -> None:
        wanted: SpecLevel = "full"
        with pytest.raises(NoWall, match="full"):
            await place.open(spec(minimum_level=wanted))

    at("landlock", act)


def test_one_environment_has_one_id_and_another_level_another() -> None:
    async def act(place: Local) -> str:
        return (await place.environment()).id

    first, second, other = at("full", act), at("full", act), at("landlock", act)
    assert first == second != other


@pytest.mark.parametrize("level", LEVELS)
def test_the_work_folder_has_one_name_at_every_level(level: Level) -> None:
    source = (
        "import os, pathlib, tempfile\nopen('out/a.txt', 'w').write('x')\n"
        "[os.getcwd(), os.path.realpath('x'), str(pathlib.Path('y').resolve()), os.environ['HOME'],"
        " tempfile.gettempdir(), open(os.path.expanduser('~/out/a.txt')).read(), sorted(os.listdir())]"
    )

    async def act(place: Local) -> Any:
        return (await outcome_of(place, source))[0].value

    home = "/tmp/actum-box"
    assert at(level, act) == [
        home,
        f"{home}/x",
        f"{home}/y",
        home,
        f"{home}/.tmp",
        "x",
        [".shm", ".tmp", "out"],
    ]


def test_a_host_under_a_stack_limit_of_its_own_has_the_same_heap() -> None:
    source = f"""
import json, resource, sys
sys.path.insert(0, {str(ROOT)!r})
resource.setrlimit(resource.RLIMIT_STACK, (int(sys.argv[1]), resource.RLIM_INFINITY))
from actum.places.local.place import Local
from tests.places.talking import outcome_of, with_place
async def act(place):
    environment = await place.environment()
    return [environment.layers["addresses"], (await outcome_of(place, "id(object())"))[0].value]
print(json.dumps(with_place(lambda: Local(preload=()), act)))
"""
    if at_best(lambda place: place.environment()).layers["addresses"] == "random":
        pytest.skip("the kernel does not let addresses stay the same")
    answers = [
        json.loads(
            subprocess.check_output([sys.executable, "-c", source, str(size << 20)], text=True)
        )
        for size in (4, 8, 64)
    ]
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("level", LEVELS)
def test_a_zygote_that_was_killed_is_made_anew(level: Level) -> None:
    async def act(place: Local) -> Any:
        await place.environment()
        [first] = place.zygotes()
        pidfd = os.pidfd_open(first)
        os.kill(first, signal.SIGKILL)
        wait_for_end(pidfd)
        outcome, _ = await outcome_of(place, "6 * 7")
        return outcome.value

    assert at(level, act) == 42
