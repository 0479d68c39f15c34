"""A call of a tool, as the program makes it: it waits, or gets something to await.

Phase 2.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from actum.places.guest.event_loop import NumberedFuture, QuiescentLoop
from actum.places.guest.frames import Wire
from actum.places.guest.scheduler import SCHEDULER, Wait
from actum.places.guest.values import Body, DoesNotCross, encode, header_text

Result = dict[str, Any]


class ToolError(Exception):
    """A call came back without an answer. `status` says what kind of failure it was."""

    def __init__(
        self, message: str, *, tool: str = "", status: str = "failed", retryable: bool = False
    ) -> None:
        super().__init__(message)
        self.tool = tool
        self.status = status
        self.message = message
        self.retryable = retryable


class Denied(ToolError):
    """A call was not let through. `rule` names what refused it, `hint` what to do instead."""

    def __init__(self, message: str, *, tool: str = "", rule: str = "", hint: str = "") -> None:
        super().__init__(message, tool=tool, status="denied")
        self.rule = rule
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ToolFuture(NumberedFuture):
    """What a call returns where an event loop runs. It is no value before it is awaited."""

    def __init__(self, tool: str, loop: QuiescentLoop) -> None:
        super().__init__(loop=loop)
        self._tool = tool

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self._not_yet()

    def __repr__(self) -> str:
        return f"<{self._tool}(...) under way; write: await {self._tool}(...)>"

    def _not_yet(self, *args: object) -> NoReturn:
        raise TypeError(
            f"{self._tool}(...) was used before it was awaited; write: await {self._tool}(...)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, asyncio.Future):
            self._not_yet()
        return self is other

    __hash__ = NumberedFuture.__hash__


_USES_AS_A_VALUE = (
    "bool str format len contains getitem setitem int float index iter next lt le gt ge "
    "add radd sub rsub mul rmul truediv rtruediv floordiv mod neg or and call enter"
)
for _use in _USES_AS_A_VALUE.split():
    setattr(ToolFuture, f"__{_use}__", ToolFuture._not_yet)


class ToolCalls:
    """The calls of one session."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._step = 0
        self._number = 0
        self.program_names: set[str] = set()

    def begin_step(self, step: int, name: str) -> None:
        """Calls are counted within a step."""
        self._step = step
        self._number = 0
        self.program_names.add(name)

    def call(
        self, tool: str, args: tuple[Any, ...], kwargs: dict[str, Any], *, again: bool = False
    ) -> Any:
        """Make a call. Where an event loop runs in this thread, what it returns is awaited.

        `again`: do it, also where a failed program has done the same before.
        """
        loop = asyncio._get_running_loop()
        if loop is not None:
            return self._call_in_loop(loop, tool, args, kwargs, again=again)
        (result,) = self.call_and_wait(tool, [(args, kwargs)], again=again)
        return value_of(tool, result)

    def call_and_wait(
        self,
        tool: str,
        arguments: list[tuple[tuple[Any, ...], dict[str, Any]]],
        *,
        again: bool = False,
    ) -> list[Result]:
        """Make these calls at once and wait until all are back. Results in the order of calls."""
        results: dict[int, Result] = {}

        def start(wait: Wait) -> None:
            def keeper(position: int) -> Callable[[Result], None]:
                def keep(result: Result) -> None:
                    results[position] = result
                    if len(results) == len(arguments):
                        wait.end()

                return keep

            for position, header in enumerate(headers):
                self._send(header, keeper(position))

        headers = [self._prepare(tool, args, kwargs, again=again) for args, kwargs in arguments]
        if headers:
            SCHEDULER.block(start)
        return [results[position] for position in range(len(headers))]

    def _call_in_loop(
        self, loop: Any, tool: str, args: Any, kwargs: Any, *, again: bool
    ) -> ToolFuture:
        future = ToolFuture(tool, loop)

        def keep(result: Result) -> None:
            if future.done() or loop.is_closed():
                return
            try:
                future.set_result(value_of(tool, result))
            except ToolError as error:
                future.set_exception(error)
            loop.poke()

        self._send(self._prepare(tool, args, kwargs, again=again), keep)
        return future

    def _prepare(
        self, tool: str, args: tuple[Any, ...], kwargs: dict[str, Any], *, again: bool
    ) -> tuple[dict[str, Any], Body]:
        """Put arguments into words before anything leaves: what does not cross is an error here."""
        body = Body()
        header = {
            "t": "call",
            "number": 0,
            "tool": tool,
            "args": [
                encode(value, body, f"{tool}: argument {position}")
                for position, value in enumerate(args, 1)
            ],
            "kwargs": {
                name: encode(value, body, f"{tool}: argument {name!r}")
                for name, value in kwargs.items()
            },
            "line": self._line(),
        }
        if again:
            header["again"] = True
        return header, body

    def _send(self, prepared: tuple[dict[str, Any], Body], keep: Callable[[Result], None]) -> None:
        header, body = prepared
        header["number"] = self._number + 1
        text = header_text(header)
        if not self._wire.fits(text, body):
            raise DoesNotCross(f"{header['tool']}: these arguments are too large for one call")
        self._number += 1
        SCHEDULER.open[f"{self._step}.{self._number}"] = keep
        self._wire.push_encoded(text, body)
        if SCHEDULER.ready:
            # Somebody else goes on computing: let the call leave now.
            self._wire.flush()

    def _line(self) -> int | None:
        frame = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename in self.program_names:
                return frame.f_lineno
            frame = frame.f_back
        return None


def value_of(tool: str, result: Result) -> Any:
    """The answer. Raises `ToolError` or `Denied` where there is none."""
    kind = result["type"]
    if kind == "answer":
        return result.get("value")
    if kind == "refusal":
        raise Denied(
            result["message"],
            tool=tool,
            rule=result.get("rule", ""),
            hint=result.get("hint", ""),
        )
    raise ToolError(
        result["message"],
        tool=tool,
        status=result.get("status", "failed"),
        retryable=result.get("retryable", False),
    )
