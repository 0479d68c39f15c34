"""What a run has used, counted from its record, and whether it may go on."""

import time
from collections.abc import Callable, Sequence

import msgspec

from actum.loop.endings import BUDGET, TIME, Ending
from actum.records.events import Event, ModelResponse, ToolAttempted
from actum.records.messages import Usage
from actum.records.values import JSON


def usage_of(events: Sequence[Event]) -> Usage:
    """Requests, calls, tokens, money and seconds. `usd` is None where one price is not known."""
    counter = _Counter()
    for event in events:
        counter.count(event)
    seconds = (events[-1].time - events[0].time) / 1e9 if events else 0.0
    return msgspec.structs.replace(counter.usage, seconds=seconds)


class _Counter:
    def __init__(self) -> None:
        self.usage = Usage(usd=0.0)

    def count(self, event: Event) -> None:
        body = event.body
        if isinstance(body, ToolAttempted):
            self.usage = msgspec.structs.replace(self.usage, calls=self.usage.calls + 1)
        elif isinstance(body, ModelResponse):
            self.usage = _added(self.usage, body.reply.usage)


class Day(msgspec.Struct, frozen=True):
    """What all runs of a project may cost in a day, and what they have cost so far."""

    most: float
    spent: Callable[[], float]

    def over(self) -> Ending | None:
        """The end of a run on a day whose money is spent."""
        spent = self.spent()
        if spent < self.most:
            return None
        reason = f"today's budget of ${self.most:.2f} for this project is used up"
        way_out = "wait until midnight UTC, or give more: [budget] day.usd in actum.toml"
        return Ending(
            status="limit", exit=BUDGET, reason=f"{reason} (${spent:.2f} spent); {way_out}"
        )


class Spending:
    """The budget of a run. Reads each event once."""

    def __init__(
        self,
        budget: dict[str, JSON],
        events: Callable[[int], Sequence[Event]],
        day: Day | None = None,
    ) -> None:
        self._budget = budget
        self._day = day
        self._events = events
        self._counter = _Counter()
        self._seen = 0
        self._began = time.monotonic()

    def left(self) -> float | None:
        """Seconds that the run may still take."""
        seconds = self._budget.get("seconds")
        if not isinstance(seconds, int | float):
            return None
        return max(0.0, seconds - (time.monotonic() - self._began))

    def over(self) -> Ending | None:
        """The end of a run that has used up what it may use."""
        usage = self._counted()
        used: dict[str, float | None] = {
            "requests": usage.requests,
            "tokens": usage.tokens,
            "usd": usage.usd,
        }
        for name, amount in used.items():
            most = self._budget.get(name)
            if isinstance(most, int | float) and amount is not None and amount >= most:
                return Ending(status="limit", exit=BUDGET, reason=_used_up(name, most))
        if self.left() == 0.0:
            return self.out_of_time()
        return self._day.over() if self._day is not None else None

    def out_of_time(self) -> Ending:
        """The end of a run whose seconds are used up."""
        seconds = self._budget.get("seconds")
        return Ending(status="limit", exit=TIME, reason=_used_up("seconds", seconds))

    def _counted(self) -> Usage:
        for event in self._events(self._seen):
            self._counter.count(event)
            self._seen = event.seq
        return self._counter.usage


def _used_up(name: str, most: JSON) -> str:
    shown = f"${most:.2f}" if name == "usd" and isinstance(most, int | float) else f"{most} {name}"
    return f"the budget of {shown} is used up; give more: [budget] {name} in actum.toml"


def _added(one: Usage, other: Usage) -> Usage:
    known = one.usd is not None and other.usd is not None
    return Usage(
        requests=one.requests + max(1, other.requests),
        calls=one.calls,
        input_tokens=one.input_tokens + other.input_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        reasoning_tokens=one.reasoning_tokens + other.reasoning_tokens,
        usd=(one.usd or 0.0) + (other.usd or 0.0) if known else None,
    )
