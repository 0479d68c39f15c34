"""The host of one session: whatever the program asks is answered from the record first, then live.

A program is a function of its record because it gets exactly one recorded event at a time, in the
order of the record. Without a desk nothing is ever live: that is a replay.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable

import msgspec

from actum.gate.masking import Masking
from actum.records.calls import ToolCall
from actum.records.events import (
    Event,
    ModuleLoad,
    Output,
    ProgramInterrupted,
    TimerFired,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.outcomes import Outcome
from actum.records.sessions import (
    Delivery,
    ModuleText,
    OutputChunk,
    Stop,
    Waiting,
)
from actum.records.values import BlobRef, blob_ref
from actum.session.deliveries import delivery_of
from actum.session.difference import ProgramDiverged, RecordOver, call_text
from actum.session.live_calls import Desk
from actum.session.printing import Printing
from actum.session.recorded import StepView, call_id, call_of

Listener = Callable[[OutputChunk], None]
Modules = Callable[[str], ModuleText]


class Conductor:
    """Keeps `Host`. Lives as long as its session."""

    def __init__(
        self,
        deliveries: list[Event],
        *,
        modules: Modules | None = None,
        listener: Listener | None = None,
        masking: Masking,
    ) -> None:
        self._masking = masking
        self._deliveries = deliveries
        self._modules = modules
        self._listener = listener
        self._desk: Desk | None = None
        self._settled = False
        self._cursor = 0
        self._open: dict[str, ToolCall] = {}
        self._interrupt = False
        self._asking: asyncio.Task[None] | None = None
        self._thought = 0.0
        self._begin_step(StepView(0))

    @property
    def thought(self) -> float:
        """Seconds that people have taken."""
        return self._thought

    @property
    def printed(self) -> str:
        """What the program of this step has written to stdout."""
        return self._printing.stdout

    def go_live(self, desk: Desk, listener: Listener | None) -> None:
        """What the record does not hold is done from now on."""
        self._desk = desk
        self._deliveries = desk.deliveries
        self._listener = listener

    def listen(self, listener: Listener | None) -> None:
        """Tell what is printed, also where it is printed again."""
        self._listener = listener

    def begin(self, step: StepView) -> None:
        """The next program is that of this step, as far as the record goes."""
        self._begin_step(step)

    def interrupt(self) -> None:
        """Stop the program at the next quiescent point."""
        self._interrupt = True
        if self._asking is not None:
            self._asking.cancel()
        if self._desk is not None:
            self._desk.wake()

    @property
    def interrupting(self) -> bool:
        """Whether the running program is to be stopped and does not know it yet."""
        return self._interrupt

    def submit(self, call: ToolCall) -> None:
        """Compare a call with the record, or take it live."""
        self._open[call.id] = call
        if self._recorded_calls:
            self._compare(call, self._recorded_calls.popleft())
        elif self._desk is not None:
            self._desk.take(call)
        elif self._ended:
            raise ProgramDiverged(self._step, None, "no further call", call_text(call), call.line)
        else:
            raise RecordOver(self._step)

    async def next(self, waiting: Waiting) -> Delivery:
        """The next event of the record; past its end, whatever happens first."""
        due = None if waiting.timeout is None else time.monotonic() + waiting.timeout / 1e9
        end = None if waiting.left is None else time.monotonic() + waiting.left
        while True:
            event = self._take()
            if event is not None:
                return delivery_of(event)
            desk = self._live()
            if self._interrupt:
                self._interrupt = False
                return self._happened(desk, ProgramInterrupted())
            if self._cursor < len(desk.deliveries):
                # A result is there and will be on disk in a moment: it comes before any timer.
                await desk.change(None)
            elif desk.gate.approvals.waiting and not desk.in_flight:
                took = await self._ask(desk)
                end = None if end is None else end + took
            elif not await desk.change(_soonest(due, end)):
                happened = self._time_is_up(desk, due, end)
                if happened is not None:
                    return happened

    async def module(self, name: str) -> ModuleText:
        """The recorded text of a module, or its text as of now."""
        if self._recorded_modules:
            event = self._recorded_modules.popleft()
            body = event.body
            if not isinstance(body, ModuleLoad) or body.name != name:
                recorded = body.name if isinstance(body, ModuleLoad) else event.kind
                raise ProgramDiverged(
                    self._step, event, f"import {recorded}", f"import {name}", None
                )
            return ModuleText(text=body.text, problem=body.problem)
        if self._desk is None or self._modules is None:
            if self._ended:
                raise ProgramDiverged(self._step, None, "no further import", f"import {name}", None)
            raise RecordOver(self._step)
        found = self._modules(name)
        self._desk.record(ModuleLoad(name=name, text=found.text, problem=found.problem), self._step)
        return found

    def output(self, chunk: OutputChunk) -> None:
        """Take what the program wrote; what the record already has is not written again."""
        self._print(self._printing.masked(chunk))

    def _print(self, chunk: OutputChunk) -> None:
        fresh = self._printing.take(chunk)
        if self._desk is None:
            self._tell(chunk)
            return
        self._printing.check(whole=False)
        if fresh:
            self._desk.record(Output(stream=chunk.stream, text=fresh), self._step)
            self._tell(OutputChunk(chunk.stream, fresh))

    def keep(self, content: bytes, content_type: str) -> BlobRef:
        """Keep what the program made. A replay has it in its record already, or differs in its name."""
        if self._desk is None:
            return blob_ref(self._masking.data(content), content_type)
        return self._desk.store.put(content, content_type)

    def finish(self, outcome: Outcome) -> None:
        """The program has ended: everything that the record has of it must have come again."""
        if self._recorded_calls and outcome.status != "killed":
            event = self._recorded_calls[0]
            raise ProgramDiverged(
                self._step, event, _recorded_text(event), "the program ended", None
            )
        for chunk in self._printing.rest():
            self._print(chunk)
        self._printing.check(whole=self._desk is None)
        self._interrupt = False
        if self._desk is not None:
            self._settle(self._desk)

    def _begin_step(self, step: StepView) -> None:
        self._step = step.number
        self._ended = step.end is not None
        self._recorded_calls = deque(step.calls)
        self._recorded_modules = deque(step.modules)
        self._printing = Printing(step, self._masking)
        self._settled = False

    def _tell(self, chunk: OutputChunk) -> None:
        if self._listener is not None:
            self._listener(chunk)

    def _live(self) -> Desk:
        if self._desk is None:
            if self._ended:
                raise ProgramDiverged(self._step, None, "the program went on", "it waits", None)
            raise RecordOver(self._step)
        if not self._settled:
            self._settle(self._desk)
        return self._desk

    def _settle(self, desk: Desk) -> None:
        """What the record left open goes on: once, when the record is used up."""
        self._settled = True
        for call in self._open.values():
            if call.id in desk.view.keys and call.id not in desk.view.answered:
                desk.settle(call)

    def _take(self) -> Event | None:
        """The next delivery in the order of the record that this session can be given."""
        while self._cursor < len(self._deliveries):
            event = self._deliveries[self._cursor]
            if self._desk is not None and event.seq in self._desk.unready:
                return None
            self._cursor += 1
            body = event.body
            if isinstance(body, TimerFired | ProgramInterrupted):
                if event.step == self._step:
                    return event
            elif isinstance(body, ToolResult | ToolErred | ToolRefused):
                if self._open.pop(call_id(event, body.number), None) is not None:
                    return event
                if event.step == self._step:
                    raise self._without_call(event, body.number)
        return None

    def _without_call(self, answer: Event, number: int) -> ProgramDiverged:
        """The record goes on with an answer, and the program waits for something else."""
        if self._recorded_calls:
            call = self._recorded_calls[0]
            return ProgramDiverged(self._step, call, _recorded_text(call), "it waits", None)
        told = f"the answer to call {self._step}.{number}"
        return ProgramDiverged(self._step, answer, told, "no such call was made", None)

    def _time_is_up(self, desk: Desk, due: float | None, end: float | None) -> Delivery | None:
        """What it means that nothing came back in time."""
        if self._cursor < len(desk.deliveries):
            return None
        if end is not None and time.monotonic() >= end:
            return Stop(limit="seconds")
        if due is not None and time.monotonic() >= due:
            return self._happened(desk, TimerFired())
        return None

    async def _ask(self, desk: Desk) -> float:
        """Put the waiting rows to a person. The seconds that it took do not count.

        Whoever stops the program answers no row: they still wait.
        """
        asked = time.monotonic()
        self._asking = asyncio.create_task(desk.gate.approvals.ask())
        try:
            await self._asking
        except asyncio.CancelledError:
            if not self._interrupt:
                raise
        finally:
            self._asking.cancel()
            self._asking = None
        took = time.monotonic() - asked
        self._thought += took
        return took

    def _happened(self, desk: Desk, body: TimerFired | ProgramInterrupted) -> Delivery:
        event = desk.record(body, self._step)
        desk.deliveries.append(event)
        self._cursor = len(desk.deliveries)
        return delivery_of(event)

    def _compare(self, call: ToolCall, event: Event) -> None:
        body = event.body
        if isinstance(body, ToolCalled):
            recorded = call_of(event, body)
            if msgspec.structs.replace(recorded, caller=call.caller) == call:
                return
        raise ProgramDiverged(self._step, event, _recorded_text(event), call_text(call), call.line)


def _soonest(due: float | None, end: float | None) -> float | None:
    times = [moment for moment in (due, end) if moment is not None]
    return min(times) - time.monotonic() if times else None


def _recorded_text(event: Event) -> str:
    body = event.body
    return call_text(call_of(event, body)) if isinstance(body, ToolCalled) else event.kind
