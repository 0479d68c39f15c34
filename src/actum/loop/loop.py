"""The loop: ask the model, read its action, do it, show what happened."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from actum.loop.answers import WRONG_ANSWERS, Answers
from actum.loop.direct_calls import DirectCalls
from actum.loop.endings import DONE, FAILED, STOPPED, Ending, ending_of_limit, was_stopped
from actum.loop.formats.answering import every_call_told
from actum.loop.formats.contract import ActionFormat, Brief, Told
from actum.loop.formats.shown_results import images_of
from actum.loop.history import History
from actum.loop.spending import Spending
from actum.loop.steps import Steps
from actum.models.contract import ModelRequest
from actum.records.actions import Action, CallTools, Finish, RunCode, Say, Unreadable
from actum.records.messages import said
from actum.records.outcomes import Outcome
from actum.records.values import JSON, BlobRef
from actum.session.programs import Programs

Turn = Ending | tuple[Told, ...]
Preflight = Callable[[str], str | None]
"""What is certainly wrong with a program, before any of it runs."""
Steer = Callable[[], Awaitable[str | None]]
"""Asks a person who stopped a program what to do instead. None: end the run."""


class Loop:
    """One conversation. Live, resumed and replayed runs go through the same lines."""

    def __init__(
        self,
        action_format: ActionFormat,
        brief: Brief,
        steps: Steps,
        programs: Programs,
        *,
        answers: Answers,
        spending: Spending | None = None,
        preflight: Preflight | None = None,
        steer: Steer | None = None,
    ) -> None:
        self._format = action_format
        self._brief = brief
        self._steps = steps
        self._programs = programs
        self._calls = DirectCalls(steps)
        self._answers = answers
        self._spending = spending
        self._preflight = preflight
        self._steer = steer
        self._wrong = 0
        self._step = 0
        self._history = History("", "")

    async def run(self, task: str, images: Sequence[BlobRef] = ()) -> Ending:
        """Go on until the run is done, or may not go on; then answer what was said after it."""
        self._history = History(self._format.system(self._brief), task, images)
        ending = await self._converse(self._history)
        for words in self._steps.view.replies:
            ending = await self.reply(words)
        return ending

    async def reply(self, words: str) -> Ending:
        """Go on after an end, with what somebody said."""
        self._history.add(said("user", words))
        self._wrong = 0
        return await self._converse(self._history)

    async def _converse(self, history: History) -> Ending:
        tools = self._format.native_tools(self._brief)
        while True:
            over = self._spending.over() if self._spending is not None else None
            if over is not None:
                return over
            self._step += 1
            try:
                async with asyncio.timeout(self._left()):
                    request = ModelRequest(messages=history.messages, tools=tools)
                    reply = await self._steps.reply(self._step, request)
            except TimeoutError:
                if self._spending is None or self._left() != 0.0:
                    raise
                return self._spending.out_of_time()
            history.add_reply(reply)
            action = self._format.read(reply, self._brief)
            turn = await self._do(self._step, action)
            if isinstance(turn, Ending):
                # A native call wants an answer, should the conversation go on.
                if reply.calls:
                    told = every_call_told((Told(text="(the run ended)"),), reply.calls)
                    history.add(self._format.answer(told))
                return turn
            history.add(self._format.answer(every_call_told(turn, reply.calls)))

    async def _do(self, step: int, action: Action) -> Turn:
        match action:
            case RunCode():
                return await self._run_program(step, action)
            case CallTools():
                return await self._calls.make(step, action)
            case Finish(value):
                return self._finish(step, action, value, ())
            case Say(text) if self._answers.free:
                return Ending(status="done", exit=DONE, output=text)
            case Say():
                self._steps.begin(step, action)
                return self._refused(step, None, self._answers.words_problem(), ())
            case Unreadable(message, call_ids):
                self._steps.begin(step, action)
                return _all_told(self._steps.end(step, None, message), call_ids)

    async def _run_program(self, step: int, action: RunCode) -> Turn:
        start = self._steps.begin(step, action)
        call_ids = (action.call_id,) if action.call_id else ()
        recorded = self._steps.recorded(step).ending
        if recorded is not None and recorded.outcome is None:
            return _all_told(recorded.observation, call_ids)
        if recorded is not None and recorded.outcome is not None and not self._must_run(step):
            return self._after(step, recorded.outcome, recorded.observation, call_ids)
        problem = self._preflight(action.program) if self._preflight is not None else None
        if problem is not None and recorded is None and not self._steps.recorded(step).calls:
            return _all_told(self._steps.end(step, None, problem), call_ids)
        outcome = await self._programs.run(start, action.program, most=self._left())
        if outcome.status == "finished":
            return self._finish_program(step, outcome, call_ids)
        observation = await self._observation(outcome, self._steps.notes(step, outcome))
        observation = self._steps.end(step, outcome, observation)
        return self._after(step, outcome, observation, call_ids)

    async def _observation(self, outcome: Outcome, notes: Sequence[str]) -> str:
        """What the model is told; empty where somebody stopped the program and the run with it."""
        told = self._format.observation(outcome, self._programs.printed, notes)
        if not was_stopped(outcome):
            return told
        words = await self._steer() if self._steer is not None else None
        return f"{told}\nThe user stopped the program and says: {words}" if words else ""

    def _after(
        self, step: int, outcome: Outcome, observation: str, call_ids: Sequence[str]
    ) -> Turn:
        """A program ends the run by `finish`, by a budget, or because somebody stopped it."""
        if outcome.status == "finished":
            return self._finish_program(step, outcome, call_ids)
        if was_stopped(outcome) and not observation:
            return STOPPED
        if outcome.status == "killed" and outcome.limit == "calls":
            return ending_of_limit(outcome)
        if outcome.limit == "seconds" and self._left() == 0.0 and self._spending is not None:
            return self._spending.out_of_time()
        images = images_of(outcome)
        return _all_told(observation, call_ids, failed=outcome.status != "done", images=images)

    def _finish(self, step: int, action: Action, value: JSON, call_ids: Sequence[str]) -> Turn:
        self._steps.begin(step, action)
        problem = self._problem(step, value)
        if problem is not None:
            return self._refused(step, None, problem, call_ids)
        self._steps.end(step, None, "")
        return Ending(status="done", exit=DONE, output=value)

    def _finish_program(self, step: int, outcome: Outcome, call_ids: Sequence[str]) -> Turn:
        problem = self._problem(step, outcome.value)
        if problem is not None:
            return self._refused(step, outcome, problem, call_ids)
        self._steps.end(step, outcome, "")
        return Ending(status="done", exit=DONE, output=outcome.value)

    def _problem(self, step: int, value: JSON) -> str | None:
        """What is wrong with an answer: as it was judged then, where the record says it."""
        recorded = self._steps.recorded(step).ending
        if recorded is not None:
            return recorded.observation or None
        return self._answers.problem(value)

    def _refused(
        self, step: int, outcome: Outcome | None, problem: str, call_ids: Sequence[str]
    ) -> Turn:
        observation = self._steps.end(step, outcome, problem)
        self._wrong += 1
        if self._wrong >= WRONG_ANSWERS:
            return Ending(status="failed", exit=FAILED, reason=observation)
        return _all_told(observation, call_ids)

    def _must_run(self, step: int) -> bool:
        """A replay runs each program again; a resume only those whose variables are needed."""
        return self._steps.desk is None and not self._steps.recorded(step).killed

    def _left(self) -> float | None:
        return self._spending.left() if self._spending is not None else None


def _all_told(
    text: str,
    call_ids: Sequence[str],
    *,
    failed: bool = True,
    images: tuple[BlobRef, ...] = (),
) -> tuple[Told, ...]:
    """The same for each call; pictures go with the first."""
    first = Told(text=text, call_id=call_ids[0] if call_ids else None, failed=failed, images=images)
    return (first, *(Told(text=text, call_id=call_id, failed=failed) for call_id in call_ids[1:]))
