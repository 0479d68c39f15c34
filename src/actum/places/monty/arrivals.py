"""What comes back to a program: answers of calls, timers, interrupts; chosen one by one by the host."""

import pydantic_monty as monty

from actum.places.contract import Host
from actum.places.monty.clock import Clock
from actum.places.monty.counting import Counting, Killed
from actum.records.calls import CallResult, ToolAnswer, ToolFailure, ToolRefusal
from actum.records.sessions import Answered, Interrupted, Stop, TimerDue, Waiting
from actum.records.values import unmark


class Interruption(Exception):
    """Somebody wants the program to stop."""


class Arrivals:
    """What one program waits for."""

    def __init__(self, host: Host, clock: Clock, counting: Counting) -> None:
        self._host = host
        self._clock = clock
        self._counting = counting
        self.open: set[str] = set()
        """Calls that have not come back."""
        self.failed: dict[str, ToolFailure | ToolRefusal] = {}
        """Calls that came back without an answer, by what the program was told."""
        self.futures: dict[int, str] = {}
        """Calls that the program awaits, by Monty's number."""
        self.timers: dict[int, int] = {}
        self._settled: dict[str, CallResult] = {}

    async def sleep(self, due: int) -> None:
        """Wait for a moment of the session's clock."""
        while self._clock.now < due:
            await self._event(due)

    async def wait_for(self, calls: list[str]) -> None:
        """Wait until all of these have come back."""
        while not all(call in self._settled for call in calls):
            await self._event()

    async def ready(self, pending: list[int]) -> dict[int, monty.ExternalSettledResult]:
        """Every task waits: the one that can go on. More than one at once would have no order."""
        try:
            while True:
                call = next((c for c in self._settled if c in self.futures.values()), None)
                if call is not None:
                    number = next(n for n, each in self.futures.items() if each == call)
                    del self.futures[number]
                    return {number: self.result(call)}
                number = min(self.timers, key=lambda n: (self.timers[n], n), default=None)
                if number is not None and self.timers[number] <= self._clock.now:
                    del self.timers[number]
                    return {number: {"return_value": None}}
                await self._event()
        except Interruption:
            return {pending[0]: raised(KeyboardInterrupt())}

    async def _event(self, due: int | None = None) -> None:
        """Let the host choose what happens next."""
        moments = [*self.timers.values(), *([] if due is None else [due])]
        timeout = max(0, min(moments) - self._clock.now) if moments else None
        delivery = await self._host.next(Waiting(timeout=timeout, left=self._counting.left()))
        match delivery:
            case Stop():
                raise Killed(delivery.limit, delivery.message, "Stopped")
            case Interrupted():
                self._clock.advance_to(delivery.now)
                raise Interruption
            case TimerDue():
                self._clock.advance_to(max(delivery.now, min(moments, default=0)))
            case Answered():
                self._clock.advance_to(delivery.now)
                if delivery.call in self.open:
                    self.open.discard(delivery.call)
                    self._settled[delivery.call] = delivery.result

    def result(self, call: str) -> monty.ExternalSettledResult:
        """What the program gets of a call that has come back."""
        result = self._settled.pop(call)
        if isinstance(result, ToolAnswer):
            return {"return_value": unmark(result.value)}
        told = result.message
        if isinstance(result, ToolRefusal) and result.hint:
            told = f"{told} ({result.hint})"
        self.failed[told] = result
        kind = "PermissionError" if isinstance(result, ToolRefusal) else "RuntimeError"
        return {"exc_type": kind, "message": told}


def raised(error: BaseException) -> monty.ExternalException:
    """What raises this in the program."""
    return {"exception": error}
