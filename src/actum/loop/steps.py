"""Each thing of a step is done once: taken from the record where it has it, else done and written down."""

import hashlib
from collections.abc import AsyncGenerator, Callable, Sequence

import msgspec

from actum.errors import NoModel
from actum.journal.contract import Store
from actum.models.contract import Model, ModelEvent, ModelRequest
from actum.models.replies import ReplyBuilder
from actum.records.actions import Action
from actum.records.events import ActionEnd, ActionStart, Draft, Event
from actum.records.events import ModelRequest as ModelRequested
from actum.records.events import ModelResponse as ModelResponded
from actum.records.messages import Message, Reply
from actum.records.outcomes import Outcome
from actum.records.values import JSON
from actum.session.comparing import compare_outcomes
from actum.session.difference import ProgramDiverged, RecordOver
from actum.session.live_calls import Desk
from actum.session.recorded import RunView, StepView

Watcher = Callable[[int, ModelEvent], None]


class Steps:
    """The record of a run, seen from the loop. Without a desk nothing new happens: a replay."""

    def __init__(
        self,
        view: RunView,
        desk: Desk | None,
        model: Model | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.view = view
        self.desk = desk
        self._model = model
        self._watcher = watcher
        self.remarks: list[str] = []
        self._sent = 0
        self._shown = False
        self._digest = ""

    @property
    def store(self) -> Store | None:
        """Where new events go."""
        return self.desk.store if self.desk is not None else None

    def recorded(self, step: int) -> StepView:
        """What the record has of a step."""
        return self.view.step(step)

    async def reply(self, step: int, request: ModelRequest) -> Reply:
        """The model's answer: the recorded one, or a new one."""
        fresh, self._sent = request.messages[self._sent :], len(request.messages)
        digest = self._digest_with(request, fresh)
        recorded = self.recorded(step)
        if recorded.reply is not None:
            self._remark_on(step, recorded, digest)
            return recorded.reply
        desk = self._live(step)
        model = self._model
        if model is None:
            raise NoModel("there is no model to ask", hints=("name one:   --model PROVIDER:NAME",))
        desk.record(
            ModelRequested(
                model=model.name,
                digest=digest,
                # A reply stands in its own event already.
                added=tuple(message for message in fresh if message.role != "assistant"),
                count=len(request.messages),
                parameters=self._parameters(request),
            ),
            step,
        )
        reply = await self._ask(step, model, request)
        desk.record(ModelResponded(reply=reply), step)
        # It has been paid for: losing it would mean to pay again.
        await desk.store.sync()
        return reply

    def begin(self, step: int, action: Action) -> Event:
        """The action of a step begins: the event under which everything in it stands."""
        recorded = self.recorded(step)
        if recorded.start is not None:
            known = recorded.action
            if known is not None and known.action != action:
                raise ProgramDiverged(
                    step, recorded.start, _brief(known.action), _brief(action), None
                )
            if self.desk is not None:
                self.desk.begin(recorded.start)
            return recorded.start
        desk = self._live(step)
        start = desk.store.append(Draft(body=ActionStart(action=action), step=step))
        desk.begin(start)
        return start

    def end(self, step: int, outcome: Outcome | None, observation: str) -> str:
        """The action of a step is over. What the model is told of it."""
        recorded = self.recorded(step)
        if recorded.end is not None and recorded.ending is not None:
            if outcome is not None:
                compare_outcomes(step, recorded.end, recorded.ending, outcome)
            return recorded.ending.observation
        self._live(step).record(ActionEnd(outcome=outcome, observation=observation), step)
        return observation

    def notes(self, step: int, outcome: Outcome) -> list[str]:
        """What a model has to know of the writes of a program that has just ended."""
        return self.desk.gate.ledger.notes(step, outcome) if self.desk is not None else []

    def _live(self, step: int) -> Desk:
        if self.desk is None:
            raise RecordOver(step)
        return self.desk

    def _digest_with(self, request: ModelRequest, fresh: Sequence[Message]) -> str:
        """One short name for everything that the model has been asked with so far."""
        before = self._digest or hashlib.sha256(msgspec.json.encode(request.tools)).hexdigest()
        told = before.encode() + msgspec.json.encode(fresh)
        self._digest = hashlib.sha256(told).hexdigest()
        return self._digest

    def _parameters(self, request: ModelRequest) -> dict[str, JSON]:
        """What goes with the messages; it is the same each time, and recorded the first time."""
        if self._shown or not request.tools:
            return {}
        self._shown = True
        return {"tools": msgspec.to_builtins(request.tools)}

    def _remark_on(self, step: int, recorded: StepView, digest: str) -> None:
        self._shown = True
        body = recorded.request.body if recorded.request else None
        if isinstance(body, ModelRequested) and body.digest != digest:
            self.remarks.append(f"step {step}: this version words its prompt differently")

    async def _ask(self, step: int, model: Model, request: ModelRequest) -> Reply:
        builder = ReplyBuilder()
        stream = model.stream(request)
        try:
            async for event in stream:
                if self._watcher is not None:
                    self._watcher(step, event)
                builder.add(event)
        finally:
            # A connection must not outlive whoever gave up waiting for it.
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        return builder.reply()


def _brief(action: Action) -> str:
    return msgspec.json.encode(action).decode()[:200]
