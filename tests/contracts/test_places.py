"""What every place must do, tried on each that this machine has."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from actum.errors import NoWall, SandboxLost, UserMistake
from actum.places.contract import Capability, Place
from actum.places.finding import open_place, place_names
from actum.places.local.place import Local
from actum.records.calls import ToolRefusal
from actum.records.outcomes import Outcome
from actum.records.sessions import Answered, Delivery, Interrupted, Limits, Stop, Waiting
from actum.records.values import JSON
from tests.places.talking import STARTED, Answering, outcome_of, program, run_all, spec, with_place

CRM = """
def get(i: int) -> dict:
    "One customer."
"""

Act = Callable[[Place], Awaitable[Any]]


class Do:
    """Do something with a place; skip where this machine does not give it."""

    def __init__(self, name: str, make: Callable[[], Place]) -> None:
        self._name = name
        self._make = make

    def __call__(self, act: Act) -> Any:
        try:
            return with_place(self._make, act)
        except NoWall as problem:
            pytest.skip(f"{problem.message} {problem.why}")

    def needs(self, capability: Capability) -> None:
        """Ask for what a place must declare that it can."""
        try:
            capabilities = self._make().capabilities
        except NoWall as problem:
            pytest.skip(problem.message)
        if capability not in capabilities:
            pytest.skip(f"{self._name} declares that it cannot: {capability}")


def levels_of(name: str) -> dict[str, Callable[[], Place]]:
    """Every way to make a place: the local one at each of its levels, quickly."""
    if name == "local":
        return {
            "full": lambda: Local(level="full", preload=()),
            "landlock": lambda: Local(level="landlock", preload=()),
        }
    return {name: lambda: open_place(name)}


WAYS = [way for name in place_names() for way in levels_of(name).items()]


@pytest.fixture(params=WAYS, ids=[name for name, _ in WAYS])
def do(request: pytest.FixtureRequest) -> Do:
    return Do(*request.param)


def same(i: JSON) -> JSON:
    return i


def customer(i: int) -> JSON:
    return {"id": i}


def with_bytes(i: JSON) -> JSON:
    return {"back": i, "own": {"$bytes": "AAEC"}}


def run(do: Do, *sources: str, host: Answering | None = None, **options: Any) -> list[Outcome]:
    """Run programs in one session."""
    return do(lambda place: run_all(place, sources, host, **options))


def test_the_value_of_the_last_expression_comes_back(do: Do) -> None:
    [outcome] = run(do, "a = 20\na + a + 2")
    assert (outcome.status, outcome.value, outcome.shown) == ("done", 42, "42")


def test_variables_persist_from_program_to_program(do: Do) -> None:
    outcomes = run(do, "x = [1]", "x.append(2)", "x")
    assert outcomes[-1].value == [1, 2]


def test_a_failed_program_keeps_what_it_had_assigned(do: Do) -> None:
    outcomes = run(do, "x = 1\ny = 1 / 0", "x")
    error = outcomes[0].error
    assert error is not None
    assert (outcomes[0].status, error.type, error.line) == ("failed", "ZeroDivisionError", 2)
    assert outcomes[1].value == 1


def test_output_comes_in_the_order_it_was_written(do: Do) -> None:
    host = Answering()
    run(do, "import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')", host=host)
    assert [(c.stream, c.text) for c in host.chunks] == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "c\n"),
    ]


def test_what_c_code_writes_past_python_is_output_too(do: Do) -> None:
    do.needs("cpython")
    host = Answering()
    run(do, "import os\nos.write(1, b'raw\\n')\nos.write(2, b'bad \\xff\\n')\nNone", host=host)
    assert sorted(chunk.text for chunk in host.chunks) == ["bad \ufffd\n", "raw\n"]


def test_a_call_carries_its_number_and_its_line(do: Do) -> None:
    host = Answering({"crm.get": customer}, {"": "", "crm": CRM})
    source = "from tools import crm\n\na = crm.get(7)\nb = crm.get(i=8)\n[a['id'], b['id']]"
    [outcome] = run(do, source, host=host)
    assert outcome.value == [7, 8], outcome
    assert [(c.id, c.tool, c.args, c.kwargs, c.line) for c in host.calls] == [
        ("1.1", "crm.get", (7,), {}, 3),
        ("1.2", "crm.get", (), {"i": 8}, 4),
    ]


def test_each_wait_gets_one_delivery(do: Do) -> None:
    do.needs("threads")
    host = Answering({"crm.get": same}, {"": "", "crm": CRM})
    source = (
        "from tools import crm\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(4) as pool:\n    got = list(pool.map(crm.get, range(4)))\ngot"
    )
    [outcome] = run(do, source, host=host)
    assert outcome.value == [0, 1, 2, 3], outcome
    assert len(host.calls) == 4
    assert len(host.waits) >= 4


def test_the_text_of_a_tool_module_is_asked_for_at_its_import(do: Do) -> None:
    host = Answering({"crm.get": same}, {"": "", "crm": CRM})
    outcomes = run(do, "import tools", "from tools import crm", "import tools.nothing", host=host)
    assert "crm" in host.imported
    assert outcomes[-1].status == "failed"


def test_a_sleep_is_a_timer_of_the_host(do: Do) -> None:
    host = Answering()
    [outcome] = run(
        do, "import time\na = time.time()\ntime.sleep(3600)\ntime.time() - a > 3599", host=host
    )
    assert outcome.value is True
    assert host.waits[0].timeout is not None


def test_calls_side_by_side_are_submitted_before_the_first_answer(do: Do) -> None:
    host = Answering({"crm.get": same}, {"": "# modules: crm", "crm": CRM})
    source = (
        "import asyncio\nfrom tools import crm\n"
        "async def one(i):\n    await asyncio.sleep(0.5)\n    return await crm.get(i)\n"
        "await asyncio.gather(one(1), one(2), crm.get(3))"
    )
    [outcome] = run(do, source, host=host)
    assert outcome.value == [1, 2, 3], outcome
    assert [call.args for call in host.calls] == [(3,), (1,), (2,)]


def test_tools_are_there_without_an_import(do: Do) -> None:
    host = Answering({"crm.get": same}, {"": "# modules: crm", "crm": CRM})
    outcomes = run(do, "crm.get(1)", "def f(i):\n    return crm.get(i)\nf(2)", host=host)
    assert [outcome.value for outcome in outcomes] == [1, 2], outcomes


def test_parallel_calls_come_back_in_the_order_of_the_items(do: Do) -> None:
    host = Answering({"crm.get": same}, {"": "# modules: crm", "crm": CRM})
    source = "import tools\nfrom tools import crm\ntools.parallel(crm.get, [3, 1, 2])"
    [outcome] = run(do, source, host=host)
    assert outcome.value == [3, 1, 2], outcome
    assert len(host.calls) == 3


def test_records_have_attributes(do: Do) -> None:
    do.needs("records")
    host = Answering({"crm.get": customer}, {"": "", "crm": CRM})
    [outcome] = run(do, "from tools import crm\ncrm.get(7).id", host=host)
    assert outcome.value == 7


def test_a_failed_call_is_an_error_that_a_program_can_catch(do: Do) -> None:
    host = Answering({}, {"": "", "crm": CRM})
    source = (
        "from tools import crm\ntry:\n    crm.get(1)\nexcept Exception as error:\n"
        "    caught = str(error)\ncaught"
    )
    outcomes = run(do, source, "crm.get(2)", host=host)
    assert outcomes[0].value == "unknown"
    assert outcomes[1].error is not None
    assert (outcomes[1].status, outcomes[1].error.type) == ("failed", "ToolError")


def test_a_refusal_that_nobody_catches_is_told_by_its_rule(do: Do) -> None:
    refusal = ToolRefusal(message="no", rule="rule 3", hint="ask first")

    def refuse(_: Waiting) -> Delivery | None:
        if not host.open:
            return None
        return Answered(call=host.open.pop().id, result=refusal, now=STARTED + 1)

    host = Answering({}, {"": "", "crm": CRM}, before=refuse)
    [outcome] = run(do, "from tools import crm\ncrm.get(1)", host=host)
    assert outcome.error is not None
    assert (outcome.error.type, outcome.error.rule) == ("Denied", "rule 3")
    assert "ask first" in outcome.error.message


def test_finish_ends_the_program_with_its_value(do: Do) -> None:
    source = "try:\n    finish({'a': 1})\nexcept Exception:\n    print('no')\nprint('never')"
    host = Answering()
    outcomes = run(do, source, "1", host=host)
    assert (outcomes[0].status, outcomes[0].value) == ("finished", {"a": 1})
    assert (host.text, outcomes[1].value) == ("", 1)


def test_exit_says_how_the_program_ended(do: Do) -> None:
    outcomes = run(do, "exit()", "exit(3)")
    assert [(o.status, o.exit_code) for o in outcomes] == [("done", 0), ("failed", 3)]


def test_files_under_out_come_back(do: Do) -> None:
    async def act(place: Place) -> Any:
        session = await place.open(spec())
        source = "open('out/a.txt', 'w').write('hello')\nopen('b.txt', 'w').write('mine')\nNone"
        await session.run(program(source), Answering())
        first = await session.left()
        again = await session.left()
        await session.close()
        return [(file.name, file.size, file.content) for file in (*first, *again)]

    assert do(act) == [("a.txt", 5, b"hello"), ("a.txt", 5, None)]


def test_equal_seeds_begin_equal(do: Do) -> None:
    source = "import random, time, datetime\n[random.random(), time.time(), str(datetime.datetime.now())]"

    async def act(place: Place) -> list[Outcome]:
        return [(await outcome_of(place, source))[0] for _ in range(2)]

    first, second = do(act)
    assert first.status == "done"
    assert first.value == second.value


def test_bytes_cross_in_both_directions(do: Do) -> None:
    host = Answering({"crm.get": with_bytes}, {"": "", "crm": CRM})
    source = "from tools import crm\nr = crm.get(b'\\xff\\x00')\n[r['back'] == b'\\xff\\x00', bytes(r['own'])]"
    [outcome] = run(do, source, host=host)
    assert host.calls[0].args == ({"$bytes": "/wA="},)
    assert outcome.value == [True, {"$bytes": "AAEC"}]


def test_time_over_kills_the_program_and_names_the_limit(do: Do) -> None:
    outcomes = run(do, "while True: pass", "1", seconds=0.3)
    assert len(outcomes) == 1
    assert (outcomes[0].status, outcomes[0].limit) == ("killed", "seconds")


def test_time_over_in_one_c_call_kills_too(do: Do) -> None:
    [outcome] = run(do, "9 ** (9 ** 9)", seconds=0.3)
    assert (outcome.status, outcome.limit) == ("killed", "seconds")
    assert outcome.error is not None
    assert "0.3 seconds" in outcome.error.message


def test_the_time_that_people_take_does_not_count(do: Do) -> None:
    host = Answering({"crm.get": same}, {"": "", "crm": CRM})

    def think(_: Waiting) -> None:
        host.thought += 1000.0

    host.before = think
    [outcome] = run(do, "from tools import crm\ncrm.get(1)", host=host, seconds=20.0)
    assert outcome.value == 1
    assert all(waiting.left is not None and waiting.left <= 20 for waiting in host.waits)


def test_more_memory_than_allowed_kills_the_program(do: Do) -> None:
    source = "kept = []\nwhile True: kept.append(b'x' * (16 << 20))"
    [outcome] = run(do, source, limits=Limits(memory_mb=200))
    assert (outcome.status, outcome.limit) == ("killed", "memory")


def test_a_huge_request_for_memory_is_an_ordinary_error(do: Do) -> None:
    do.needs("cpython")
    outcomes = run(do, "bytearray(64 << 30)", "'alive'")
    assert outcomes[0].error is not None
    assert outcomes[0].error.type == "MemoryError"
    assert outcomes[1].value == "alive"


def test_output_is_kept_up_to_its_limit(do: Do) -> None:
    host = Answering()
    [outcome] = run(do, "print('x' * 5000)\n1", host=host, limits=Limits(output_bytes=1000))
    assert outcome.value == 1
    assert host.text.count("x") <= 1000


def test_a_flood_of_output_kills_the_program(do: Do) -> None:
    do.needs("cpython")
    source = "import os\nwhile True: os.write(1, b'x' * 65536)"
    [outcome] = run(do, source)
    assert (outcome.status, outcome.limit) == ("killed", "output")


def test_more_calls_than_allowed_end_the_program(do: Do) -> None:
    host = Answering({"crm.get": same}, {"": "", "crm": CRM})
    source = "from tools import crm\nfor i in range(100): crm.get(i)"
    [outcome] = run(do, source, host=host, limits=Limits(calls=10))
    assert outcome.status in {"failed", "killed"}
    assert len(host.calls) <= 10


def test_a_program_that_ends_its_process_is_named_with_its_status(do: Do) -> None:
    do.needs("cpython")
    [outcome] = run(do, "import os\nprint('before')\nos._exit(3)")
    assert (outcome.status, outcome.exit_code) == ("killed", 3)
    assert outcome.error is not None
    assert "status 3" in outcome.error.message


def test_a_crash_is_named_with_its_signal(do: Do) -> None:
    do.needs("cpython")
    [outcome] = run(do, "import ctypes\nctypes.string_at(0)")
    assert outcome.exit_code == 139
    assert outcome.error is not None
    assert "SIGSEGV" in outcome.error.message


def test_the_host_can_stop_a_program_at_a_wait(do: Do) -> None:
    host = Answering(before=lambda _: Stop(limit="calls", message="the budget is used up"))
    outcomes = run(do, "import time\ntime.sleep(1)", "1", host=host)
    assert len(outcomes) == 1
    assert (outcomes[0].status, outcomes[0].limit) == ("killed", "calls")
    assert outcomes[0].error is not None
    assert outcomes[0].error.message == "the budget is used up"


def test_an_interrupt_is_a_keyboard_interrupt_in_the_program(do: Do) -> None:
    host = Answering(before=lambda _: Interrupted(now=STARTED + 5))
    outcomes = run(do, "x = 1\nimport time\ntime.sleep(1)", "x", host=host)
    assert outcomes[0].status == "interrupted"
    assert outcomes[1].value == 1


def test_what_the_host_raises_comes_out_and_ends_the_session(do: Do) -> None:
    class Unlucky(Exception):
        pass

    def raise_it(_: Waiting) -> None:
        raise Unlucky

    async def act(place: Place) -> None:
        session = await place.open(spec())
        with pytest.raises(Unlucky):
            await session.run(program("import time\ntime.sleep(1)"), Answering(before=raise_it))
        with pytest.raises(SandboxLost):
            await session.run(program("1"), Answering())
        await session.close()

    do(act)


def test_kill_ends_the_running_program(do: Do) -> None:
    async def act(place: Place) -> Outcome:
        session = await place.open(spec())
        host = Answering(before=lambda _: session.kill())
        running = asyncio.ensure_future(
            session.run(program("import time\ntime.sleep(1)\nwhile True: pass"), host)
        )
        outcome = await running
        await session.close()
        return outcome

    outcome = do(act)
    assert (outcome.status, outcome.limit) == ("killed", None)


def test_cancelling_a_run_ends_the_session(do: Do) -> None:
    async def act(place: Place) -> None:
        session = await place.open(spec())
        started = asyncio.Event()
        host = Answering(on_output=started.set)
        source = "print('on', flush=True)\nwhile True: pass"
        running = asyncio.ensure_future(session.run(program(source), host))
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        with pytest.raises(SandboxLost):
            await session.run(program("1"), Answering())

    do(act)


def test_a_session_may_be_closed_twice(do: Do) -> None:
    async def act(place: Place) -> None:
        session = await place.open(spec())
        await session.close()
        await session.close()
        with pytest.raises(SandboxLost):
            await session.run(program("1"), Answering())

    do(act)


def test_sessions_do_not_see_each_other(do: Do) -> None:
    async def act(place: Place) -> Any:
        first, second = await place.open(spec()), await place.open(spec())
        await first.run(program("x = 1\nopen('mine.txt', 'w').write('x')"), Answering())
        source = (
            "import os\ntry:\n    known = x\nexcept NameError:\n    known = None\n"
            "[known, os.path.exists('mine.txt')]"
        )
        outcome = await second.run(program(source), Answering())
        for session in (first, second):
            await session.close()
        return outcome.value

    assert do(act) == [None, False]


def test_equal_specs_begin_equal(do: Do) -> None:
    do.needs("cpython")
    source = (
        "import random, time, uuid, os\n"
        "[random.random(), time.time(), str(uuid.uuid4()), os.urandom(4).hex(), id(object())]"
    )

    async def act(place: Place) -> list[Outcome]:
        return [(await outcome_of(place, source))[0] for _ in range(3)]

    first, second, third = do(act)
    assert first.value == second.value == third.value


def test_the_environment_says_what_stands_around_a_program(do: Do) -> None:
    async def act(place: Place) -> Any:
        return await place.environment()

    environment = do(act)
    assert environment.id
    assert environment.layers
    assert environment.place in place_names()


def test_an_unknown_place_is_named_with_those_there_are() -> None:
    with pytest.raises(UserMistake, match="dokcer") as caught:
        open_place("dokcer")
    assert "local" in caught.value.hints[0]
