"""Calls that a model makes by JSON: side by side, through the same gate, under the same record."""

from collections.abc import Sequence

import msgspec

from actum.loop.endings import BUDGET, Ending
from actum.loop.formats.capped import capped
from actum.loop.formats.contract import Told
from actum.loop.many_tools import meant
from actum.loop.steps import Steps
from actum.records.actions import CallTools
from actum.records.calls import ToolCall
from actum.records.events import Event, ToolErred, ToolRefused, ToolResult
from actum.session.difference import RecordOver
from actum.session.live_calls import Desk
from actum.session.recorded import call_id


class DirectCalls:
    """Makes the calls of one action and waits for all of them."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    async def make(self, step: int, action: CallTools) -> Ending | tuple[Told, ...]:
        """Call every tool; what each answered, in the order of the action.

        A budget that ran out ends the run; what was called by then is on record.
        """
        self._steps.begin(step, action)
        calls = [
            ToolCall(step=step, number=number, tool=tool, kwargs=arguments, caller="direct")
            for number, (tool, arguments) in enumerate(map(meant, action.calls), 1)
        ]
        answers = await self._answers(step, calls)
        over = _used_up(answers)
        if over is not None:
            self._steps.end(step, None, over)
            return Ending(status="limit", exit=BUDGET, reason=over)
        told = tuple(
            _told(answers[call.id], wanted.id, self._deliveries)
            for call, wanted in zip(calls, action.calls, strict=True)
        )
        self._steps.end(step, None, "\n".join(t.text for t in told))
        return told

    @property
    def _deliveries(self) -> list[Event]:
        desk = self._steps.desk
        return desk.deliveries if desk is not None else self._steps.view.deliveries

    async def _answers(self, step: int, calls: list[ToolCall]) -> dict[str, Event]:
        desk = self._steps.desk
        deliveries = self._deliveries
        if desk is not None:
            self._submit(desk, calls)
        while True:
            answers = _answers_of(step, deliveries)
            if all(call.id in answers for call in calls):
                return answers
            if desk is None:
                raise RecordOver(step)
            await self._wait(desk)

    def _submit(self, desk: Desk, calls: list[ToolCall]) -> None:
        for call in calls:
            if call.id not in desk.view.keys:
                desk.take(call)
            elif call.id not in desk.view.answered:
                desk.settle(call)

    async def _wait(self, desk: Desk) -> None:
        if desk.unready or desk.in_flight or not desk.gate.approvals.waiting:
            await desk.change(None)
        else:
            await desk.gate.approvals.ask()


def _used_up(answers: dict[str, Event]) -> str | None:
    for event in answers.values():
        if isinstance(event.body, ToolRefused) and event.body.ends_run:
            return event.body.message
    return None


def _answers_of(step: int, deliveries: list[Event]) -> dict[str, Event]:
    found: dict[str, Event] = {}
    for event in deliveries:
        body = event.body
        if event.step == step and isinstance(body, ToolResult | ToolErred | ToolRefused):
            found[call_id(event, body.number)] = event
    return found


def _told(event: Event, wanted: str, deliveries: Sequence[Event]) -> Told:
    body = event.body
    if isinstance(body, ToolResult):
        value = body.value
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        return Told(text=_already(body, deliveries) + capped(text), call_id=wanted)
    if isinstance(body, ToolErred):
        return Told(text=capped(body.message), call_id=wanted, failed=True)
    if isinstance(body, ToolRefused):
        text = f"{body.message}. {body.hint}" if body.hint else body.message
        return Told(text=capped(text), call_id=wanted, failed=True)
    return Told(text=event.kind, call_id=wanted, failed=True)


def _already(body: ToolResult, deliveries: Sequence[Event]) -> str:
    """Where the ledger answered: which call of which program did it."""
    if body.by != "ledger":
        return ""
    step = body.first.split(".", 1)[0]
    lines = [
        f", line {event.line}"
        for event in deliveries
        if event.line is not None
        and isinstance(event.body, ToolResult)
        and call_id(event, event.body.number) == body.first
    ]
    where = f"step {step}{lines[0] if lines else ''}"
    return f"Already done at {where}, and not done again; to do it once more, call it again.\n"
