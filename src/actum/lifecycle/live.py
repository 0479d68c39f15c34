"""A run that goes on: started just now, or from its record. It is the same code."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Protocol, runtime_checkable

from actum.catalog.catalog import Catalog
from actum.errors import Diverged, DoesNotVerify, ModelFailed, NotSetUp, UserMistake
from actum.gate.approval import Approvals, Parked
from actum.gate.call_budget import CallBudget
from actum.gate.gate import Gate
from actum.gate.ledger import Ledger
from actum.gate.policy import Policy
from actum.gate.secrets import Secrets
from actum.journal.contract import Store
from actum.lifecycle.folders import LiveFolders
from actum.lifecycle.parts import Parts, brief_of, session_spec
from actum.lifecycle.resuming import record_reply
from actum.loop.answers import Answers
from actum.loop.endings import PAUSED, STOPPED, TERMINATED, Ending
from actum.loop.formats.finding import open_format
from actum.loop.formats.preflight import check_program
from actum.loop.loop import Loop
from actum.loop.single_program import run_single_program
from actum.loop.spending import Spending, usage_of
from actum.loop.steps import Steps
from actum.records.actions import RunCode
from actum.records.events import AnyBody, Divergence, Draft, Event, RunEnd, RunPause, RunStart
from actum.records.tools import ToolSpec
from actum.session.difference import ProgramDiverged
from actum.session.live_calls import Desk
from actum.session.programs import Programs
from actum.session.recorded import RunView


@runtime_checkable
class Closable(Protocol):
    """A model that holds connections."""

    async def aclose(self) -> None:
        """Let go of them."""
        ...


class LiveRun:
    """One run with its live things. `go` takes it to its end, or to where it has to wait."""

    def __init__(self, store: Store, parts: Parts) -> None:
        store.hide(parts.masking)
        self._store = store
        self._parts = parts
        self._programs: Programs | None = None
        self._desk: Desk | None = None
        self._loop: Loop | None = None
        self._folders: LiveFolders | None = None
        self._stop = STOPPED

    def terminate(self) -> None:
        """Say that the run, which is about to be cancelled, was told to end and not asked to."""
        self._stop = Ending(status="cancelled", exit=TERMINATED, reason="terminated")

    def interrupt(self) -> bool:
        """Stop the running program. False where none is running."""
        return self._programs is not None and self._programs.interrupt()

    async def close(self, *, keep_place: bool = False) -> None:
        """Let go of the session, the place, the sources and the model's connections."""
        await self.leave()
        if not keep_place:
            await self._parts.place.close()
        for source in self._parts.sources:
            await source.close()
        if isinstance(self._parts.model, Closable):
            await self._parts.model.aclose()

    async def leave(self) -> None:
        """End the session; calls that have left may still come back."""
        programs, self._programs = self._programs, None
        desk, self._desk = self._desk, None
        if programs is not None:
            await programs.close()
        if self._folders is not None:
            self._folders.close()
        if desk is not None:
            await desk.close()
        for source in self._parts.own_sources:
            await source.close()

    async def go(self) -> Ending:
        """Go on until the run is done or waits for a person. Its session stays open."""
        first, start = run_start(self._store.events())
        view = RunView(self._store.events())
        catalog = self._parts.catalog
        self._desk = desk = Desk(self._store, view, catalog.spec_of)
        desk.open(self._gate(start, catalog, view, desk))
        self._folders = LiveFolders(self._store, start)
        self._programs = programs = Programs(
            self._parts.place,
            session_spec(start, first.time, self._store.get),
            view,
            desk=desk,
            modules=catalog.module,
            listener=self._parts.listener,
            masking=self._parts.masking,
            folders=self._folders,
        )
        steps = Steps(view, desk, self._parts.model, self._parts.watcher)
        if start.entry == "program":
            source = _own_program(view)
            return await self._take(run_single_program(source, steps, programs))
        self._loop = self._loop_of(start, steps, programs)
        return await self._take(self._loop.run(start.task, start.images))

    async def say(self, text: str) -> Ending:
        """Say something to a run that has ended: it goes on with its variables."""
        if self._loop is None:
            raise UserMistake("there is no conversation to go on with")
        await record_reply(self._store, text)
        return await self._take(self._loop.reply(text))

    async def _take(self, work: Coroutine[None, None, Ending]) -> Ending:
        """Take it to its end, and write down how it ended."""
        try:
            return await self._over(await work)
        except Parked as parked:
            return await self._parked(parked)
        except asyncio.CancelledError:
            await asyncio.shield(self._over(self._stop))
            raise
        except Diverged as diverged:
            await self._diverged(diverged)
            raise
        except (ModelFailed, NotSetUp) as error:
            # Nothing is lost: the run has no end yet.
            error.hints = (*error.hints, f"go on with it:   actum resume {self._store.run}")
            raise

    def _loop_of(self, start: RunStart, steps: Steps, programs: Programs) -> Loop:
        return Loop(
            open_format(start.action_format),
            brief_of(start),
            steps,
            programs,
            answers=Answers(start.output_schema, self._parts.check),
            spending=Spending(start.budget, self._store.events, self._parts.day),
            preflight=_preflight(self._parts.catalog, start.tools_root),
            steer=self._parts.steer,
        )

    def _gate(self, start: RunStart, catalog: Catalog, view: RunView, desk: Desk) -> Gate:
        today = self._parts.policy
        generations = (start.policy,) if today is None else (start.policy, today)
        calls = start.budget.get("calls")
        approvals = Approvals(
            desk,
            approver=self._parts.approver,
            recheck=_rechecker(catalog),
            decided=view.decisions,
            requested=set(view.rows),
            rest=view.rest,
        )
        return Gate(
            catalog,
            Policy(*generations, principal=start.principal),
            CallBudget(calls if isinstance(calls, int) else None, used=len(view.attempted)),
            approvals,
            desk,
            secrets=Secrets(self._parts.vault, self._parts.masking),
            ledger=Ledger(self._store.events, catalog, desk.settled),
        )

    async def _over(self, ending: Ending) -> Ending:
        """Nothing stands behind the end of a run: what has left comes back before it."""
        if self._desk is not None:
            await self._desk.close()
        return await self._finished(ending)

    async def _finished(self, ending: Ending) -> Ending:
        await self._write(
            RunEnd(
                status=ending.status,
                output=ending.output,
                reason=ending.reason,
                exit=ending.exit,
                usage=usage_of(self._store.events()),
            )
        )
        return ending

    async def _parked(self, parked: Parked) -> Ending:
        count = len(parked.rows)
        reason = f"{count} call{'s' if count != 1 else ''} waiting for an approval"
        await self._write(RunPause(reason=reason))
        return Ending(status="paused", exit=PAUSED, reason=reason)

    async def _diverged(self, diverged: Diverged) -> None:
        difference = diverged.difference if isinstance(diverged, ProgramDiverged) else None
        await self._write(
            Divergence(
                at=(difference.seq if difference else None) or 0,
                recorded=difference.recorded if difference else "",
                replayed=difference.replayed if difference else diverged.message,
            )
        )

    async def _write(self, body: AnyBody) -> None:
        self._store.append(Draft(body=body))
        await self._store.sync()


def run_start(events: Sequence[Event]) -> tuple[Event, RunStart]:
    """The first event of a run, which says all that the run was to be."""
    first = events[0] if events else None
    if first is not None and isinstance(first.body, RunStart):
        return first, first.body
    raise DoesNotVerify(
        "this record does not begin with a run.start",
        hints=("see what is in it:   actum verify RUN",),
    )


def _own_program(view: RunView) -> str:
    action = view.step(1).action
    if action is not None and isinstance(action.action, RunCode):
        return action.action.program
    raise DoesNotVerify("this record holds no program", hints=("run it again:   actum exec FILE",))


def _preflight(catalog: Catalog, root: str) -> Callable[[str], str | None]:
    def check(program: str) -> str | None:
        return check_program(program, _finder(catalog), catalog.names, root)

    return check


def _finder(catalog: Catalog) -> Callable[[str], ToolSpec | None]:
    def find(name: str) -> ToolSpec | None:
        entry = catalog.find(name)
        return entry.spec if entry is not None else None

    return find


def _rechecker(catalog: Catalog) -> Callable[[str, dict[str, object]], dict[str, object]]:
    def recheck(tool: str, arguments: dict[str, object]) -> dict[str, object]:
        entry = catalog.find(tool)
        return entry.source.check(tool, (), arguments) if entry is not None else arguments

    return recheck
