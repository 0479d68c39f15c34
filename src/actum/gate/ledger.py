"""Third guard: a write that a failed program has done is not done again by the one that mends it.

Until a program succeeds, each successful write of the failed ones answers at most one equal call.
All of it is read from the record, so a resumed run goes on with the same ledger.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence

import msgspec

from actum.catalog.catalog import Catalog
from actum.errors import BadArguments
from actum.gate.approval import as_data
from actum.gate.contract import Passage, Proceed
from actum.records.actions import RunCode
from actum.records.calls import CallResult, ToolAnswer, ToolCall, ToolFailure
from actum.records.events import (
    ActionEnd,
    ActionStart,
    Event,
    ToolAttempted,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.outcomes import Outcome
from actum.records.values import JSON, unmark

Events = Callable[[int], Sequence[Event]]
Settled = Callable[[str], Awaitable[None]]
"""Wait until a call that has left is back."""
SHOWN = 8


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """A write that has happened."""

    call: str
    tool: str
    step: int
    line: int | None
    value: JSON = None

    @property
    def where(self) -> str:
        """`step 2, line 7`."""
        return f"step {self.step}" + (f", line {self.line}" if self.line is not None else "")


class Ledger:
    """What failed programs have done, by tool and arguments."""

    def __init__(self, events: Events, catalog: Catalog, settled: Settled) -> None:
        self._events = events
        self._catalog = catalog
        self._settled = settled
        self._seen = 0
        self._programs: set[int] = set()
        self._failed: set[int] = set()
        """Steps whose program failed, with no success since."""
        self._writes: dict[str, ToolCall] = {}
        """Writes that are not answered."""
        self._left: set[str] = set()
        self._made: defaultdict[int, list[tuple[str, Done]]] = defaultdict(list)
        """What each step has done, or was told that it is done."""
        self._open: list[tuple[str, Done]] = []
        self._all: dict[str, Done] = {}
        self._served: dict[str, Done] = {}

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Answer an equal call with what is done already; let every other go on."""
        call = passage.call
        if passage.tool.effect == "read" or call.again:
            return await proceed(passage)
        self._catch_up()
        key = _key(call.tool, passage.arguments)
        for earlier in self._under_way(call, key):
            await self._settled(earlier.id)
            self._catch_up()
            if earlier.id in self._writes:
                return _not_known(earlier)
        done = self._take(key)
        if done is None:
            return await proceed(passage)
        self._served[call.id] = done
        return ToolAnswer(value=done.value)

    def first(self, call: str) -> str:
        """The call that did what this one asked for; empty where it was not answered from here."""
        served = self._served.get(call)
        return served.call if served is not None else ""

    def told(self, call: str) -> str:
        """What is said of a call that was answered from here."""
        served = self._served.get(call)
        if served is None:
            return ""
        again = f"to do it once more: {served.tool}.again(...)"
        return f"{served.tool} was already done at {served.where}, and not done again; {again}"

    def notes(self, step: int, outcome: Outcome) -> list[str]:
        """What a model has to know of the writes of a program that has just ended."""
        self._catch_up()
        made = self._made[step]
        served = {call: done for call, done in self._served.items() if _step(call) == step}
        told = [self.told(call) for call in list(served)[:SHOWN]]
        if len(served) > SHOWN:
            told.append(f"{len(served) - SHOWN} more calls were already done, and not done again")
        if not succeeded(outcome, ""):
            fresh = [done for _, done in made if done not in served.values()]
            if fresh:
                names = _listed(fresh, lambda done: f"{done.tool} at line {done.line}")
                told.append(f"done: {names}; the same call in the next program is not done again")
        elif self._open:
            left = [done for _, done in self._open]
            names = _listed(left, lambda done: f"{done.tool} at {done.where}")
            told.append(f"done by an earlier program, and not called by this one: {names}")
        return told

    def _under_way(self, call: ToolCall, key: str) -> Iterator[ToolCall]:
        """Equal calls of failed programs that have left and are not back."""
        for earlier in [*self._writes.values()]:
            left = earlier.step in self._failed and earlier.id in self._left
            if left and earlier.id != call.id and self._key_of(earlier) == key:
                yield earlier

    def _take(self, key: str) -> Done | None:
        for position, (known, done) in enumerate(self._open):
            if known == key:
                del self._open[position]
                return done
        return None

    def _catch_up(self) -> None:
        for event in self._events(self._seen):
            self._seen = event.seq
            if event.step is not None:
                self._read(event, event.step)

    def _read(self, event: Event, step: int) -> None:
        body = event.body
        if isinstance(body, ActionStart) and isinstance(body.action, RunCode):
            self._programs.add(step)
        elif isinstance(body, ActionEnd):
            self._ended(step, body)
        elif isinstance(body, ToolCalled):
            if body.effect in {"write", "destructive"}:
                call = _call(event, body)
                self._writes[call.id] = call
        elif isinstance(body, ToolAttempted):
            self._left.add(f"{step}.{body.number}")
        elif isinstance(body, ToolErred | ToolRefused):
            self._writes.pop(f"{step}.{body.number}", None)
        elif isinstance(body, ToolResult):
            self._happened(step, body)

    def _happened(self, step: int, body: ToolResult) -> None:
        call = self._writes.pop(f"{step}.{body.number}", None)
        key = self._key_of(call) if call is not None else None
        if call is None or key is None:
            return
        done = Done(call=call.id, tool=call.tool, step=step, line=call.line, value=body.value)
        if body.by == "ledger":
            done = self._all.get(body.first, done)
            self._served.setdefault(call.id, done)
            self._open = [entry for entry in self._open if entry[1] != done]
        self._all[done.call] = done
        # It may come back when its program has failed already.
        entries = self._open if step in self._failed else self._made[step]
        entries.append((key, done))

    def _ended(self, step: int, body: ActionEnd) -> None:
        made = self._made.pop(step, [])
        if step not in self._programs or body.outcome is None:
            return
        if succeeded(body.outcome, body.observation):
            self._open.clear()
            self._failed.clear()
        else:
            self._failed.add(step)
            self._open += made

    def _key_of(self, call: ToolCall) -> str | None:
        """The key of a recorded call; None where no tool of today takes it."""
        entry = self._catalog.find(call.tool)
        if entry is None:
            return None
        args = [unmark(value) for value in call.args]
        kwargs = {name: unmark(value) for name, value in call.kwargs.items()}
        try:
            return _key(call.tool, entry.source.check(call.tool, args, kwargs))
        except (BadArguments, ValueError):
            return None


def succeeded(outcome: Outcome, observation: str) -> bool:
    """Whether a program did what it was written for. One whose answer was refused did not."""
    if outcome.status == "finished":
        return not observation
    return outcome.status == "done" and not outcome.exit_code


def _key(tool: str, arguments: dict[str, object]) -> str:
    plain = {name: _same(as_data(value)) for name, value in arguments.items()}
    return msgspec.json.encode([tool, plain], order="sorted").decode()


def _same(value: JSON) -> JSON:
    """Numbers that are equal are written the same: `5.0` is `5`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_same(item) for item in value]
    if isinstance(value, dict):
        return {name: _same(item) for name, item in value.items()}
    return value


def _call(event: Event, body: ToolCalled) -> ToolCall:
    return ToolCall(
        step=event.step or 0,
        number=body.number,
        tool=body.tool,
        args=body.args,
        kwargs=body.kwargs,
        line=event.line,
        caller=body.caller,
    )


def _not_known(call: ToolCall) -> ToolFailure:
    where = f"step {call.step}" + (f", line {call.line}" if call.line is not None else "")
    return ToolFailure(
        message=f"the same call left at {where}, and nobody knows whether it happened; look it up, "
        f"or do it again by {call.tool}.again(...)",
        status="unknown-outcome",
    )


def _listed(done: Sequence[Done], word: Callable[[Done], str]) -> str:
    more = f" and {len(done) - SHOWN} more" if len(done) > SHOWN else ""
    return ", ".join(word(one) for one in done[:SHOWN]) + more


def _step(call: str) -> int:
    return int(call.split(".", 1)[0])
