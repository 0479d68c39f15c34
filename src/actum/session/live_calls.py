"""The live side of a run's calls: each is written down, sent through the gate, and its result kept in order."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Literal

import msgspec

from actum.gate.approval import as_data
from actum.gate.contract import Passage
from actum.gate.gate import Gate
from actum.journal.contract import Store
from actum.records.call_events import PendingRow
from actum.records.calls import CallResult, ToolAnswer, ToolCall, ToolFailure
from actum.records.events import (
    AnyBody,
    ApprovalDecision,
    ApprovalRequest,
    Draft,
    Event,
    ToolAttempted,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.tools import ToolSpec
from actum.records.values import JSON
from actum.session.recorded import RunView

GRACE = 5.0
By = Literal["tool", "person", "ledger"]
Answer = tuple[CallResult, By]
Way = Callable[[], Awaitable[Answer]]
"""Begun by the task itself: one that is cancelled before its turn leaves nothing behind."""


class Desk:
    """Takes the calls of one run, from any session of it. Keeps `AttemptLog` and `ApprovalLog`."""

    def __init__(
        self, store: Store, view: RunView, find: Callable[[ToolCall], ToolSpec | None]
    ) -> None:
        self.store = store
        self.view = view
        self.deliveries: list[Event] = list(view.deliveries)
        self.unready: set[int] = set()
        """Deliveries that may not be used yet: the result of a write that is not on disk."""
        self._find = find
        self._gate: Gate | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._attempted: set[str] = set()
        self._wrote: set[str] = set()
        self._action: dict[int, int] = {}
        self._waiter: asyncio.Future[bool] | None = None
        self._failure: BaseException | None = None

    def open(self, gate: Gate) -> None:
        """Take calls from now on."""
        self._gate = gate

    @property
    def gate(self) -> Gate:
        """The gate of the run."""
        if self._gate is None:
            raise LookupError("the desk is not open")
        return self._gate

    @property
    def in_flight(self) -> int:
        """Calls that are on their way and will come back by themselves."""
        return len(self._tasks) - len(self.gate.approvals.waiting)

    def begin(self, start: Event) -> None:
        """A step has begun: its calls belong to this event."""
        if start.step is not None:
            self._action[start.step] = start.seq

    def record(self, body: AnyBody, step: int | None, line: int | None = None) -> Event:
        """Write down one event of a step."""
        parent = self._action.get(step) if step is not None else None
        return self.store.append(Draft(body=body, parent=parent, step=step, line=line))

    def take(self, call: ToolCall) -> None:
        """Write a new call down and send it through the gate."""
        spec = self._find(call)
        key = self._key(call)
        body = ToolCalled(
            number=call.number,
            tool=call.tool,
            args=call.args,
            kwargs=call.kwargs,
            effect=spec.effect if spec else None,
            key=key,
            caller=call.caller,
            again=call.again,
        )
        self.record(body, call.step, call.line)
        self._send(call, partial(self._answered, call, partial(self.gate.handle, call, key)))

    def settle(self, call: ToolCall) -> None:
        """Go on with a call that the record leaves open."""
        if call.id in self._tasks:
            return
        key = self.view.keys[call.id]
        spec = self._find(self._as_it_left(call))
        if call.id not in self.view.attempted:
            self._send(call, partial(self._answered, call, partial(self.gate.handle, call, key)))
        elif spec is not None and (spec.effect == "read" or spec.idempotent):
            again = partial(self.gate.repeat, self._as_it_left(call), key)
            self._send(call, partial(self._answered, call, again))
        else:
            self._send(call, partial(self._unknown, call, key))

    async def change(self, timeout: float | None) -> bool:
        """Wait until a call is back or is held. False where the time ran out first."""
        if self._failure is not None:
            raise self._failure
        loop = asyncio.get_running_loop()
        self._waiter = waiter = loop.create_future()
        timer = (
            loop.call_later(max(0.0, timeout), _give_up, waiter) if timeout is not None else None
        )
        try:
            changed = await waiter
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()
        if self._failure is not None:
            raise self._failure
        return changed

    def wake(self) -> None:
        """Something that a waiting program may want to know has happened."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(True)

    async def close(self) -> None:
        """Let calls that have left come back within the grace time; nothing else goes on."""
        left = [task for call, task in self._tasks.items() if call in self._attempted]
        for task in set(self._tasks.values()) - set(left):
            task.cancel()
        if left:
            _, late = await asyncio.wait(left, timeout=GRACE)
            for task in late:
                task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def attempted(self, passage: Passage) -> None:
        """Write down that a call leaves; for anything but a read, on disk before it does."""
        call = passage.call
        edited = as_data(passage.arguments) if passage.edited else None
        body = ToolAttempted(
            number=call.number, arguments=edited if isinstance(edited, dict) else None
        )
        self.record(body, call.step, call.line)
        if passage.tool.effect != "read":
            self._wrote.add(call.id)
            await self.store.sync()
        self._attempted.add(call.id)

    async def settled(self, call: str) -> None:
        """Wait until a call that is under way is back, and on record."""
        task = self._tasks.get(call)
        if task is not None:
            await asyncio.wait({task})

    def held(self, row: PendingRow) -> None:
        """A call has begun to wait for a person."""
        del row
        self.wake()

    async def requested(self, rows: Sequence[PendingRow]) -> None:
        """Write down what is asked."""
        self.record(ApprovalRequest(rows=tuple(rows)), _step(rows[0].call))
        await self.store.sync()

    async def decided(self, decisions: Sequence[ApprovalDecision]) -> None:
        """Write down what was answered."""
        for decision in decisions:
            self.record(decision, _step(decision.call))
        await self.store.sync()

    def _send(self, call: ToolCall, way: Way) -> None:
        self._tasks[call.id] = asyncio.create_task(self._carry_out(call, way))

    async def _carry_out(self, call: ToolCall, way: Way) -> None:
        try:
            result, by = await way()
            body = result_body(call.number, result, by, self.gate.ledger.first(call.id))
            event = self.record(body, call.step, call.line)
            self.deliveries.append(event)
            if call.id in self._wrote:
                # Nobody may use the result of a write that is not on disk.
                self.unready.add(event.seq)
                await self.store.sync()
                self.unready.discard(event.seq)
        except Exception as error:  # noqa: BLE001 -- it belongs to whoever waits, not to this task
            self._failure = error
        finally:
            self._tasks.pop(call.id, None)
            self.wake()

    async def _answered(self, call: ToolCall, way: Callable[[], Awaitable[CallResult]]) -> Answer:
        result = await way()
        return result, "ledger" if self.gate.ledger.first(call.id) else "tool"

    async def _unknown(self, call: ToolCall, key: str) -> Answer:
        left = self._as_it_left(call)
        spec = self._find(left)
        given: dict[str, JSON] = {f"#{n}": value for n, value in enumerate(left.args, 1)}
        row = PendingRow(
            call=call.id,
            tool=call.tool,
            arguments=given | left.kwargs,
            effect=spec.effect if spec else "write",
            line=call.line,
            kind="unknown",
            why="it left, and the run was cut off before a result was recorded",
        )
        result, by_tool = await self.gate.unknown_outcome(left, key, row)
        return result, "tool" if by_tool else "person"

    def _as_it_left(self, call: ToolCall) -> ToolCall:
        """The call with the arguments that a person gave it, where one did."""
        edited = self.view.edited.get(call.id)
        if edited is None:
            return call
        return msgspec.structs.replace(call, args=(), kwargs=edited)

    def _key(self, call: ToolCall) -> str:
        return hashlib.sha256(f"{self.store.run}/{call.id}".encode()).hexdigest()[:32]


def result_body(
    number: int, result: CallResult, by: By, first: str = ""
) -> ToolResult | ToolErred | ToolRefused:
    """The event that a result is. `first` is the call that did it, where the ledger answers."""
    if isinstance(result, ToolAnswer):
        return ToolResult(number=number, value=result.value, by=by, first=first)
    if isinstance(result, ToolFailure):
        return ToolErred(
            number=number,
            message=result.message,
            status=result.status,
            retryable=result.retryable,
            by="person" if by == "person" else "tool",
        )
    return ToolRefused(
        number=number,
        message=result.message,
        rule=result.rule,
        hint=result.hint,
        ends_run=result.ends_run,
    )


def _give_up(waiter: asyncio.Future[bool]) -> None:
    if not waiter.done():
        waiter.set_result(False)


def _step(call: str) -> int:
    return int(call.split(".", 1)[0])
