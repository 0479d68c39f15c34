"""One call of a Python function as a tool: where it runs, how long, how often, and how it can end."""

import asyncio
import functools
import inspect
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import cast

import msgspec

from actum.records.calls import ToolAnswer, ToolFailure
from actum.records.tools import ToolSpec
from actum.tools.printing import prints_aside
from actum.tools.results import as_data
from actum.tools.threads import TOOL_THREADS

Function = Callable[..., object]
Sleep = Callable[[float], Awaitable[None]]
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 10.0
MOST_CHUNKS = 10_000
_LONGEST_MESSAGE = 2000


async def run_tool(
    spec: ToolSpec,
    function: Function,
    args: list[object],
    kwargs: dict[str, object],
    sleep: Sleep = asyncio.sleep,
) -> ToolAnswer | ToolFailure:
    """Call it, again where that is safe and asked for. Never raises for what the tool did wrong."""
    may_repeat = spec.effect == "read" or spec.idempotent
    tries = 1 + (spec.retries if may_repeat else 0)
    call = functools.partial(function, *args, **kwargs)
    result = await _attempt(spec, call, function)
    for attempt in range(1, tries):
        if not isinstance(result, ToolFailure) or result.status not in {"failed", "timeout"}:
            return result
        await sleep(min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (attempt - 1)))
        result = await _attempt(spec, call, function)
    if isinstance(result, ToolFailure) and tries > 1:
        return msgspec.structs.replace(result, message=f"{result.message} (tried {tries} times)")
    return result


async def _attempt(
    spec: ToolSpec, call: Callable[[], object], function: Function
) -> ToolAnswer | ToolFailure:
    limit = asyncio.timeout(spec.timeout)
    try:
        with prints_aside():
            async with limit:
                value = await _carry_out(call, function)
    except TimeoutError as error:
        if not limit.expired():
            return _failure(spec.name, error)
        return ToolFailure(
            message=f"{spec.name} took longer than its {spec.timeout:g} s",
            status="timeout",
            retryable=True,
        )
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        # It came from inside: nobody has cancelled this call.
        return ToolFailure(message=f"{spec.name} was cancelled from inside", status="cancelled")
    except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as error:  # noqa: BLE001 -- whatever a tool does is an answer
        return _failure(spec.name, error)
    return _answer(spec.name, value)


def _answer(name: str, value: object) -> ToolAnswer | ToolFailure:
    try:
        return ToolAnswer(value=as_data(value))
    except Exception as error:  # noqa: BLE001 -- a model's own code may run when it is taken apart
        told = str(error) or type(error).__name__
        return ToolFailure(
            message=f"{name} did its work, but what it returned cannot be handed on: {told}",
            status="result",
        )


async def _carry_out(call: Callable[[], object], function: Function) -> object:
    if _is_async(function):
        value = call()
        if isinstance(value, AsyncIterator):
            return await _collect_async(cast("AsyncIterator[object]", value))
        return await cast("Awaitable[object]", value)
    # Off the loop: a slow function must not keep other calls waiting.
    value = await TOOL_THREADS.run(lambda: _collect(call()))
    if inspect.isawaitable(value):
        return await value
    if isinstance(value, AsyncIterator):
        return await _collect_async(cast("AsyncIterator[object]", value))
    return value


def _is_async(function: Function) -> bool:
    target = function
    while isinstance(target, functools.partial):
        target = target.func
    for candidate in (target, getattr(target, "__call__", None)):  # noqa: B004 -- the method itself is wanted
        if inspect.iscoroutinefunction(candidate) or inspect.isasyncgenfunction(candidate):
            return True
    return False


def _collect(value: object) -> object:
    """A stream as a list, in the thread that makes it."""
    if not isinstance(value, Iterator):
        return value
    chunks: list[object] = []
    for chunk in cast("Iterator[object]", value):
        if len(chunks) == MOST_CHUNKS:
            raise _TooManyChunksError
        chunks.append(chunk)
    return chunks


async def _collect_async(stream: AsyncIterator[object]) -> list[object]:
    chunks: list[object] = []
    async for chunk in stream:
        if len(chunks) == MOST_CHUNKS:
            raise _TooManyChunksError
        chunks.append(chunk)
    return chunks


class _TooManyChunksError(Exception):
    """A stream has no end in sight."""

    def __init__(self) -> None:
        super().__init__(
            f"its stream has more than {MOST_CHUNKS:,} items, and a stream is collected before it "
            "is handed on: let it take a limit"
        )


def _failure(name: str, error: BaseException) -> ToolFailure:
    """What the tool raised, in a line."""
    if isinstance(error, _TooManyChunksError):
        return ToolFailure(message=f"{name}: {error}", status="result")
    if isinstance(error, SystemExit):
        return ToolFailure(message=f"{name} called sys.exit({error.code!r})", status="failed")
    told = "".join(traceback.format_exception_only(error)).strip()
    retryable = isinstance(error, ConnectionError | TimeoutError)
    return ToolFailure(
        message=f"{name} failed: {told[:_LONGEST_MESSAGE]}",
        status="failed",
        retryable=bool(getattr(error, "retryable", retryable)),
    )
