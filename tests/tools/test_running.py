"""How a call of a Python function can end: each way is one clear outcome."""

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from actum.records.calls import ToolAnswer, ToolFailure
from actum.tools.declaration import tool
from actum.tools.python_functions import PythonFunctions
from actum.tools.running import MOST_CHUNKS
from actum.tools.threads import ToolThreads

Function = Callable[..., Any]


def call(function: Function, **arguments: object) -> ToolAnswer | ToolFailure:
    """Call the only tool of a source; a pause before a retry takes no time."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    source = PythonFunctions([function], sleep=sleep)
    (spec,) = asyncio.run(source.tools())
    checked = source.check(spec.name, (), dict(arguments))
    result = asyncio.run(source.call(spec.name, checked, "key"))
    assert pauses == sorted(pauses)
    return result


def failure(function: Function, **arguments: object) -> ToolFailure:
    result = call(function, **arguments)
    assert isinstance(result, ToolFailure)
    return result


def test_a_tool_that_raises_is_a_failure_in_one_line() -> None:
    def broken() -> None:
        raise ValueError("no such customer")

    assert failure(broken).message == "broken failed: ValueError: no such customer"


def test_a_lost_connection_may_be_tried_again() -> None:
    def broken() -> None:
        raise ConnectionError("gone")

    assert failure(broken).retryable


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration])
def test_what_would_end_the_process_ends_only_the_call(kind: type[BaseException]) -> None:
    def leaves() -> None:
        raise kind

    async def leaves_too() -> None:
        raise kind

    assert "leaves" in failure(leaves).message
    assert "leaves_too" in failure(leaves_too).message


def test_sys_exit_is_told_by_its_name() -> None:
    def leaves() -> None:
        sys.exit(3)

    assert failure(leaves).message == "leaves called sys.exit(3)"


def test_a_tool_that_hangs_ends_at_its_time_limit() -> None:
    release = threading.Event()

    @tool(effect="read", timeout=0.05)
    def hangs() -> None:
        release.wait()

    @tool(effect="read", timeout=0.05)
    async def hangs_too() -> None:
        await asyncio.Event().wait()

    for function in (hangs, hangs_too):
        result = failure(function)
        assert (result.status, result.retryable) == ("timeout", True)
    release.set()


def test_a_time_limit_of_the_tools_own_is_its_own_failure() -> None:
    @tool(effect="read", timeout=60)
    def slow() -> None:
        raise TimeoutError("the service did not answer")

    result = failure(slow)
    assert result.status == "failed"
    assert "the service did not answer" in result.message


def test_a_cancelled_call_is_over_while_its_function_still_runs() -> None:
    entered, release = threading.Event(), threading.Event()

    def hangs() -> None:
        entered.set()
        release.wait()

    async def scene() -> bool:
        call = asyncio.create_task(PythonFunctions([hangs]).call("hangs", {}, "key"))
        await asyncio.to_thread(entered.wait)
        call.cancel()
        await asyncio.wait([call])
        return call.cancelled()

    assert asyncio.run(scene())
    release.set()


def test_a_tool_that_cancels_itself_is_a_failure_not_a_cancelled_run() -> None:
    async def gives_up() -> None:
        raise asyncio.CancelledError

    assert failure(gives_up).status == "cancelled"


def test_a_result_that_is_no_data_is_told_to_have_happened() -> None:
    def odd() -> object:
        return threading.Lock()

    result = failure(odd)
    assert result.status == "result"
    assert "did its work" in result.message


def test_what_a_tool_prints_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    def talks() -> int:
        print("from a thread")  # noqa: T201 -- the test is about it
        return 1

    async def talks_too() -> int:
        print("from the loop")  # noqa: T201 -- the test is about it
        return 1

    for function in (talks, talks_too):
        assert call(function) == ToolAnswer(value=1)
    print("mine")  # noqa: T201 -- the test is about it
    told = capsys.readouterr()
    assert told.out == "mine\n"
    assert told.err == "from a thread\nfrom the loop\n"


def test_streams_are_collected_and_one_without_end_is_refused() -> None:
    def some() -> Iterator[int]:
        yield from range(3)

    async def some_more() -> AsyncIterator[int]:
        for number in range(3):
            yield number

    def endless() -> Iterator[int]:
        while True:
            yield 1

    assert call(some) == call(some_more) == ToolAnswer(value=[0, 1, 2])
    assert f"{MOST_CHUNKS:,} items" in failure(endless).message


def test_sixty_four_slow_calls_run_at_once() -> None:
    together = threading.Barrier(64)

    def slow(i: int) -> int:
        together.wait(timeout=50)
        return i

    async def scene() -> list[ToolAnswer | ToolFailure]:
        source = PythonFunctions([slow])
        return await asyncio.gather(*(source.call("slow", {"i": n}, "key") for n in range(64)))

    assert asyncio.run(scene()) == [ToolAnswer(value=n) for n in range(64)]


def test_a_slow_function_does_not_hold_up_the_loop() -> None:
    released = threading.Event()

    def slow() -> bool:
        return released.wait(timeout=50)

    async def scene() -> ToolAnswer | ToolFailure:
        call = asyncio.create_task(PythonFunctions([slow]).call("slow", {}, "key"))
        await asyncio.sleep(0)
        released.set()
        return await call

    assert asyncio.run(scene()) == ToolAnswer(value=True)


def test_hanging_jobs_give_their_threads_to_others() -> None:
    release = threading.Event()

    async def scene() -> object:
        threads = ToolThreads(most=1)
        stuck = asyncio.create_task(threads.run(release.wait))
        entered = asyncio.create_task(threads.run(lambda: "never waited for"))
        await asyncio.sleep(0)
        for task in (stuck, entered):
            task.cancel()
        await asyncio.wait([stuck, entered])
        return await threads.run(lambda: "done")

    assert asyncio.run(scene()) == "done"
    release.set()


@pytest.mark.parametrize(
    ("effect", "idempotent", "calls"),
    [("read", False, 3), ("write", True, 3), ("write", False, 1), ("destructive", False, 1)],
)
def test_only_reads_and_idempotent_tools_are_tried_again(
    effect: Any, idempotent: bool, calls: int
) -> None:
    made: list[float] = []

    @tool(effect=effect, idempotent=idempotent, retries=2)
    def flaky() -> None:
        made.append(time.monotonic())
        raise ConnectionError("gone")

    message = failure(flaky).message
    assert len(made) == calls
    assert ("tried 3 times" in message) == (calls == 3)


def test_a_try_that_works_is_the_answer() -> None:
    made: list[int] = []

    @tool(effect="read", retries=5)
    def flaky() -> int:
        made.append(1)
        if len(made) < 3:
            raise ConnectionError("gone")
        return len(made)

    assert call(flaky) == ToolAnswer(value=3)
