"""The loop: ask the model, read its action, do it, show what happened."""

import itertools
from collections.abc import Sequence

from actum.loop.direct_calls import DirectCalls
from actum.loop.endings import BUDGET, DONE, Ending, ending_of_limit
from actum.loop.formats.contract import ActionFormat, Brief, Told
from actum.loop.history import History
from actum.loop.steps import Steps
from actum.models.contract import ModelRequest
from actum.records.actions import CallTools, Finish, RunCode, Say, Unreadable
from actum.records.outcomes import Outcome
from actum.session.programs import Programs


class Loop:
    """One conversation. Live, resumed and replayed runs go through the same lines."""

    def __init__(
        self,
        action_format: ActionFormat,
        brief: Brief,
        steps: Steps,
        programs: Programs,
        calls: DirectCalls,
    ) -> None:
        self._format = action_format
        self._brief = brief
        self._steps = steps
        self._programs = programs
        self._calls = calls

    async def run(self, task: str, requests: int | None) -> Ending:
        """Go on until the run is done, or may ask the model no more."""
        history = History(self._format.system(self._brief), task)
        tools = self._format.native_tools(self._brief)
        for step in itertools.count(1):
            if requests is not None and step > requests:
                reason = f"the budget of {requests} model requests is used up"
                return Ending(status="limit", exit=BUDGET, reason=reason)
            request = ModelRequest(messages=history.messages, tools=tools)
            reply = await self._steps.reply(step, request)
            history.add_reply(reply)
            action = self._format.read(reply, self._brief)
            match action:
                case Say(text):
                    return Ending(status="done", exit=DONE, output=text)
                case Finish(value):
                    return Ending(status="done", exit=DONE, output=value)
                case Unreadable(message, call_ids):
                    self._steps.begin(step, action)
                    observation = self._steps.end(step, None, message)
                    history.add(self._format.answer(_all_told(observation, call_ids)))
                case CallTools():
                    told = await self._calls.make(step, action)
                    history.add(self._format.answer(told))
                case RunCode():
                    outcome, observation = await self._run_program(step, action)
                    ending = _ending(outcome)
                    if ending is not None:
                        return ending
                    told = Told(text=observation, call_id=action.call_id)
                    history.add(self._format.answer((told,)))
        raise AssertionError("the steps of a run never end by themselves")

    async def _run_program(self, step: int, action: RunCode) -> tuple[Outcome, str]:
        start = self._steps.begin(step, action)
        recorded = self._steps.recorded(step).ending
        if recorded is not None and recorded.outcome is not None and not self._must_run(step):
            return recorded.outcome, recorded.observation
        outcome = await self._programs.run(start, action.program)
        observation = self._format.observation(outcome, self._steps.printed(step))
        return outcome, self._steps.end(step, outcome, observation)

    def _must_run(self, step: int) -> bool:
        """A replay runs each program again; a resume only those whose variables are needed."""
        return self._steps.desk is None and not self._steps.recorded(step).killed


def _all_told(text: str, call_ids: Sequence[str]) -> tuple[Told, ...]:
    if not call_ids:
        return (Told(text=text, failed=True),)
    return tuple(Told(text=text, call_id=call_id, failed=True) for call_id in call_ids)


def _ending(outcome: Outcome) -> Ending | None:
    """A program ends the run by `finish`, by a budget, or because somebody stopped it."""
    if outcome.status == "finished":
        return Ending(status="done", exit=DONE, output=outcome.value)
    if outcome.status == "killed" and outcome.limit == "calls":
        return ending_of_limit(outcome)
    return None
