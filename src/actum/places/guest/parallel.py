"""`tools.parallel`: one function over many items at once.

Phase 2.
"""

import asyncio
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from actum.places.guest.tool_calls import ToolCalls, ToolError, value_of

AT_ONCE = 16


def make_parallel(calls: ToolCalls) -> Callable[..., Any]:
    """Make the function for one session."""

    def parallel(
        function: Callable[..., Any],
        items: Iterable[Any],
        *more: Iterable[Any],
        at_once: int = AT_ONCE,
    ) -> Any:
        """Call `function` for each item, many at once; results in the order of items.

        All calls come back before the first error, by position, is raised. In a running event
        loop: `await tools.parallel(...)`. `at_once` counts for your own functions.
        """
        arguments = list(zip(items, *more, strict=False))
        if asyncio._get_running_loop() is not None:
            return _in_loop(function, arguments)
        tool = getattr(function, "__actum_tool__", None)
        if tool is not None:
            results = calls.call_and_wait(tool, [(args, {}) for args in arguments])
            return _first_error_or([_outcome(tool, result) for result in results])
        with ThreadPoolExecutor(max(1, min(at_once, len(arguments)))) as pool:
            futures = [pool.submit(function, *args) for args in arguments]
        return [future.result() for future in futures]

    return parallel


def _outcome(tool: str, result: dict[str, Any]) -> Any:
    try:
        return value_of(tool, result)
    except ToolError as error:
        return error


def _first_error_or(outcomes: list[Any]) -> list[Any]:
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return outcomes


async def _in_loop(function: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> list[Any]:
    outcomes = await asyncio.gather(
        *(_awaited(function, args) for args in arguments), return_exceptions=True
    )
    return _first_error_or(outcomes)


async def _awaited(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    result = function(*args)
    return await result if hasattr(result, "__await__") else result
