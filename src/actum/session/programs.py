"""The programs of a run. One primitive: a fresh session, re-executed from the record up to a step."""

import asyncio
import math
from collections.abc import Mapping

import msgspec

from actum.gate.masking import Masking
from actum.places.contract import Place, Session
from actum.records.actions import RunCode
from actum.records.events import Event
from actum.records.outcomes import Outcome
from actum.records.sessions import Program, SessionSpec
from actum.session.artifacts import Artifacts
from actum.session.conductor import Conductor, Listener, Modules
from actum.session.folders import Folders, NoFolders
from actum.session.live_calls import Desk
from actum.session.recorded import RunView, StepView
from actum.session.watching_host import WatchingHost

INTERRUPT_GRACE = 1.0


class Programs:
    """Runs the programs of one run in one session, opened when the first needs it.

    With a desk, what the record does not hold is done live. Without one, this is a replay.
    """

    def __init__(
        self,
        place: Place,
        spec: SessionSpec,
        view: RunView,
        *,
        desk: Desk | None = None,
        modules: Modules | None = None,
        listener: Listener | None = None,
        masking: Masking | None = None,
        folders: Folders | None = None,
        instead: Mapping[int, str] | None = None,
        patience: float = math.inf,
    ) -> None:
        self._place = place
        self._spec = spec
        self._view = view
        self._desk = desk
        self._modules = modules
        self._listener = listener
        self._masking = masking or Masking({})
        self._folders = folders or NoFolders()
        self._artifacts = Artifacts(self._masking)
        self._instead = instead or {}
        """Programs that stand in for recorded ones, by step: for a replay that asks what differs."""
        self._patience = patience
        """Seconds for a program that never ended: nobody knows whether it would."""
        self._session: Session | None = None
        self._conductor: Conductor | None = None
        self._running = False
        self._printed = ""

    @property
    def printed(self) -> str:
        """What the last program wrote to stdout."""
        return self._printed

    async def run(self, start: Event, source: str, *, most: float | None = None) -> Outcome:
        """Run the program of a step: from the record as far as it goes, then live.

        `most` is how many seconds the run has left, where that is less than the limit.
        """
        number = start.step or 0
        source = self._instead.get(number, source)
        session, conductor = await self._ready(number)
        if self._desk is not None:
            conductor.go_live(self._desk, self._listener)
        limit = self._limit(number, most)
        conductor.begin(self._view.step(number))
        self._running = True
        try:
            program = _program(start, source, limit)
            outcome = await self._do(session, conductor, program, self._view.step(number))
        finally:
            self._running = False
            self._printed = conductor.printed
        if outcome.status == "killed":
            await self._forget()
        return outcome

    def interrupt(self) -> bool:
        """Stop the running program at its next quiescent point, or end it after the grace time.

        False where no program is running.
        """
        if not self._running or self._conductor is None or self._session is None:
            return False
        self._conductor.interrupt()
        asyncio.get_running_loop().call_later(
            INTERRUPT_GRACE, _end_by_force, self._conductor, self._session
        )
        return True

    def _limit(self, step: int, most: float | None) -> float | None:
        """The seconds that a program may take. None where its record says that it came to an end."""
        seconds = self._spec.limits.seconds
        if self._desk is not None:
            return min(seconds, math.inf if most is None else most)
        if step in self._instead:
            return seconds
        return None if self._view.step(step).end is not None else min(seconds, self._patience)

    async def close(self) -> None:
        """End the session."""
        await self._forget()

    async def _ready(self, step: int) -> tuple[Session, Conductor]:
        """The session, with the variables as they are before this step."""
        if self._session is None or self._conductor is None:
            view = RunView(self._desk.store.events()) if self._desk is not None else self._view
            mounts = await self._folders.mounts(fresh=_is_fresh(view, step))
            session = await self._place.open(
                msgspec.structs.replace(self._spec, mounts=tuple(mounts))
            )
            self._session = session
            self._artifacts = Artifacts(self._masking)
            self._conductor = Conductor(
                view.deliveries, modules=self._modules, masking=self._masking
            )
            if self._desk is not None:
                await self._catch_up(session, self._conductor, view, step)
            else:
                self._conductor.listen(self._listener)
        return self._session, self._conductor

    async def _catch_up(
        self, session: Session, conductor: Conductor, view: RunView, step: int
    ) -> None:
        for number in sorted(view.steps):
            past = view.steps[number]
            source = _source(past)
            if number >= step or source is None or past.start is None:
                continue
            if past.killed or past.end is None:
                # It has had no effect on the variables.
                continue
            conductor.begin(past)
            await self._do(session, conductor, _program(past.start, source, None), past)

    async def _do(
        self, session: Session, conductor: Conductor, program: Program, step: StepView
    ) -> Outcome:
        """Run it, and see that what it opened, did and left is on record, or is as recorded."""
        host = WatchingHost(conductor, self._folders, step.number)
        outcome = _masked(await session.run(program, host), self._masking)
        await self._folders.settle(step.number)
        conductor.finish(outcome)
        await self._artifacts.collect(session, outcome, step, self._desk)
        return outcome

    async def _forget(self) -> None:
        session, self._session, self._conductor = self._session, None, None
        if session is not None:
            await session.close()


def _masked(outcome: Outcome, masking: Masking) -> Outcome:
    """The outcome without secrets, should a program have put one together."""
    if not masking:
        return outcome
    plain = msgspec.to_builtins(outcome)
    clean = masking.value(plain)
    return outcome if clean == plain else msgspec.convert(clean, Outcome)


def _is_fresh(view: RunView, step: int) -> bool:
    """Whether the record holds nothing yet that a program has seen."""
    seen = [past for number, past in view.steps.items() if number <= step and _source(past)]
    return not any(
        past.calls or past.modules or past.output or (past.end is not None and not past.killed)
        for past in seen
    )


def _end_by_force(conductor: Conductor, session: Session) -> None:
    """A program that never waited was never told; one that was told may clean up."""
    if conductor.interrupting:
        session.kill()


def _source(step: StepView) -> str | None:
    action = step.action.action if step.action else None
    return action.program if isinstance(action, RunCode) else None


def _program(start: Event, source: str, seconds: float | None) -> Program:
    step = start.step or 0
    return Program(source=source, step=step, now=start.time, name=f"<step {step}>", seconds=seconds)
