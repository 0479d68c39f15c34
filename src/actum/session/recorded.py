"""What a record says, step by step: the same for replay, resume and a session that was killed."""

from collections.abc import Sequence

from actum.records.call_events import PendingRow
from actum.records.calls import ToolCall
from actum.records.events import (
    ActionEnd,
    ActionStart,
    ApprovalDecision,
    ApprovalRequest,
    Artifact,
    Event,
    ModelRequest,
    ModelResponse,
    ModuleLoad,
    Output,
    ProgramInterrupted,
    Replied,
    RunResume,
    TimerFired,
    ToolAttempted,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.messages import Reply
from actum.records.values import JSON

RESULTS = (ToolResult, ToolErred, ToolRefused)
DELIVERIES = (*RESULTS, TimerFired, ProgramInterrupted)
_SLOTS = {
    ModelRequest.kind: "request",
    ModelResponse.kind: "response",
    ActionStart.kind: "start",
    ActionEnd.kind: "end",
}


class StepView:
    """One step of a record."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.request: Event | None = None
        self.response: Event | None = None
        self.start: Event | None = None
        self.end: Event | None = None
        self.calls: list[Event] = []
        self.modules: list[Event] = []
        self.output: list[Output] = []
        self.artifacts: list[Artifact] = []

    @property
    def action(self) -> ActionStart | None:
        """The action, where the step got as far."""
        body = self.start.body if self.start else None
        return body if isinstance(body, ActionStart) else None

    @property
    def ending(self) -> ActionEnd | None:
        """How the action ended, where it did."""
        body = self.end.body if self.end else None
        return body if isinstance(body, ActionEnd) else None

    @property
    def reply(self) -> Reply | None:
        """What the model answered, where it did."""
        body = self.response.body if self.response else None
        return body.reply if isinstance(body, ModelResponse) else None

    @property
    def killed(self) -> bool:
        """Whether the program was killed: then it has had no effect on the variables."""
        outcome = self.ending.outcome if self.ending else None
        return outcome is not None and outcome.status == "killed"

    def printed(self, stream: str) -> str:
        """Everything that the program wrote to a stream."""
        return "".join(output.text for output in self.output if output.stream == stream)


class RunView:
    """A record, sorted by what its events are for."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.steps: dict[int, StepView] = {}
        self.calls: dict[str, ToolCall] = {}
        self.keys: dict[str, str] = {}
        self.attempted: set[str] = set()
        self.edited: dict[str, dict[str, JSON]] = {}
        self.rest: set[tuple[int, str, str]] = set()
        self.replies: list[str] = []
        """What somebody said after each end of the run, in order."""
        self.answered: set[str] = set()
        self.deliveries: list[Event] = []
        self.decisions: dict[str, ApprovalDecision] = {}
        self.rows: dict[str, PendingRow] = {}
        for event in events:
            self._sort(event)

    def step(self, number: int) -> StepView:
        """A step, empty where the record has none of this number."""
        return self.steps.setdefault(number, StepView(number))

    @property
    def pending(self) -> list[PendingRow]:
        """The rows that were put to a person and are not decided."""
        return [
            row
            for call, row in self.rows.items()
            if call not in self.decisions and call not in self.answered
        ]

    def _sort(self, event: Event) -> None:
        body = event.body
        self._sort_decision(event)
        if event.step is None:
            return
        step = self.step(event.step)
        slot = _SLOTS.get(event.kind)
        if slot is not None:
            setattr(step, slot, event)
        elif isinstance(body, ModuleLoad):
            step.modules.append(event)
        elif isinstance(body, Output):
            step.output.append(body)
        elif isinstance(body, Artifact):
            step.artifacts.append(body)
        else:
            self._sort_call(event, step)

    def _sort_decision(self, event: Event) -> None:
        body = event.body
        if isinstance(body, ApprovalRequest):
            for row in body.rows:
                self.rows[row.call] = row
                # Asked anew: what was said before no longer holds.
                self.decisions.pop(row.call, None)
        elif isinstance(body, Replied):
            self.replies.append(body.text)
        elif isinstance(body, RunResume):
            if body.sources:
                self._ask_again()
        elif isinstance(body, ApprovalDecision):
            self.decisions[body.call] = body
            if body.rest and event.step is not None:
                self.rest.add((event.step, body.tool, body.scope))

    def _ask_again(self) -> None:
        """The tools are no longer those that somebody said yes to."""
        kept = {call: d for call, d in self.decisions.items() if d.decision != "allow"}
        self.decisions = kept
        self.rest.clear()

    def _sort_call(self, event: Event, step: StepView) -> None:
        body = event.body
        if isinstance(body, DELIVERIES):
            self.deliveries.append(event)
        if isinstance(body, ToolCalled):
            step.calls.append(event)
            call = call_of(event, body)
            self.calls[call.id] = call
            self.keys[call.id] = body.key
        elif isinstance(body, ToolAttempted):
            self._left(call_id(event, body.number), body)
        elif isinstance(body, RESULTS):
            self.answered.add(call_id(event, body.number))

    def _left(self, call: str, attempt: ToolAttempted) -> None:
        """A call has left: what was decided about it is used up, and does not hold a second time."""
        self.attempted.add(call)
        self.decisions.pop(call, None)
        self.rows.pop(call, None)
        if attempt.arguments is not None:
            self.edited[call] = attempt.arguments


def call_id(event: Event, number: int) -> str:
    """The id of a call, as `ToolCall.id` has it."""
    return f"{event.step}.{number}"


def call_of(event: Event, body: ToolCalled) -> ToolCall:
    """The call behind its event."""
    return ToolCall(
        step=event.step or 0,
        number=body.number,
        tool=body.tool,
        args=body.args,
        kwargs=body.kwargs,
        line=event.line,
        caller=body.caller,
        again=body.again,
    )
