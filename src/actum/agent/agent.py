"""The public Agent: what a user builds once and runs often."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from pathlib import Path
from typing import TypeGuard, Unpack

import msgspec

from actum.agent.fields import AllFields, Approve, Fields, Function, refuse_unknown
from actum.agent.handed_in import handed_in, refuse_taken_names, with_given
from actum.agent.own_loop import in_own_loop
from actum.agent.run import Run
from actum.assemble import Workshop
from actum.errors import UserMistake
from actum.gate.approval import Approver
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice
from actum.lifecycle.live import LiveRun
from actum.lifecycle.mounts import checked_mounts
from actum.lifecycle.observed import ObservedStore, Observer
from actum.lifecycle.starting import environment_for, refuse_oversights, start_task
from actum.lifecycle.telling import Teller
from actum.loop.endings import Ending
from actum.models.contract import Model
from actum.places.contract import Place
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision, Event, RunStart
from actum.records.policies import RuleSet
from actum.records.sessions import Mount
from actum.records.values import JSON
from actum.settings.load import flatten, load_settings
from actum.tools.contract import Source
from actum.tools.output_types import OutputType
from actum.tools.python_functions import PythonFunctions


class Agent:
    """A model, its tools and its limits. Immutable: `with_` gives a changed copy."""

    def __init__(
        self,
        model: Model | str | None = None,
        tools: Sequence[Function | Source] = (),
        instructions: str = "",
        **fields: Unpack[Fields],
    ) -> None:
        refuse_unknown([name for name in fields if name not in Fields.__annotations__])
        given: AllFields = {"model": model, "tools": tuple(tools), "instructions": instructions}
        self._fields: AllFields = {**given, **fields}
        self.name = fields.get("name", "agent")
        self.description = fields.get("description", "")
        self._sources = _sources(tools)
        self._output = OutputType(fields.get("output", str))
        self._approver = _approver(fields.get("approve"))

    def with_(self, **changes: Unpack[AllFields]) -> "Agent":
        """The same agent, but for what is named."""
        return Agent(**{**self._fields, **changes})

    async def run(
        self,
        task: str,
        *,
        inputs: Mapping[str, object] | None = None,
        files: Sequence[str | Path] = (),
        show: bool | None = None,
        observer: Observer | None = None,
    ) -> Run:
        """Give it a task. What went wrong on the way is in the run, not raised.

        `inputs` become variables of the programs, `files` stand in their working folder; neither
        enters the prompt, which has their names and sizes alone.
        `show` prints programs and calls on stderr; by itself it does so at a terminal.
        """
        if observer is None and (sys.stderr.isatty() if show is None else show):
            observer = Teller(sys.stderr).see
        handed = handed_in(inputs or {}, files)
        workshop = self._workshop()
        start = self._start(workshop, task)
        refuse_taken_names(start, handed)
        place = self._place(workshop)
        parts = await workshop.parts(
            sources=self._sources,
            model=self._model(workshop),
            place=place,
            approver=self._approver,
            check=self._output.problem,
        )
        if self._approver is None:
            refuse_oversights(start, parts)
        await environment_for(start, parts)
        file = workshop.store()
        store = ObservedStore(file, observer) if observer is not None else file
        try:
            start = with_given(store, start, handed)
            live = await start_task(store, start, parts)
            await self._to_end(live, place)
        finally:
            await store.close()
        return self._run(file.path, file.events())

    def run_sync(
        self,
        task: str,
        *,
        inputs: Mapping[str, object] | None = None,
        files: Sequence[str | Path] = (),
        show: bool | None = None,
    ) -> Run:
        """`run`, for code that is not async. Works inside a running loop too."""
        return in_own_loop(self.run(task, inputs=inputs, files=files, show=show))

    async def stream(self, task: str) -> AsyncIterator[Event]:
        """The events of a run as they are written; the last one is `run.end` or `run.pause`."""
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        work = asyncio.create_task(self.run(task, observer=events.put_nowait))
        work.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
        finally:
            if not work.done():
                work.cancel()
        await work

    async def go_on(self, store: SqliteStore) -> Ending:
        """Go on with a recorded run of this agent."""
        workshop = self._workshop()
        try:
            own = self._own_place()
            live, _ = await workshop.resume(
                store,
                place=own,
                sources=self._sources,
                model=self._model(workshop),
                approver=self._approver,
                check=self._output.problem,
            )
            return await self._to_end(live, own)
        finally:
            await store.close()

    def _own_place(self) -> Place | None:
        """The place that the user brought, where one was."""
        place = self._fields.get("place")
        return None if isinstance(place, str) else place

    def open(self, path: Path, events: Sequence[Event]) -> Run:
        """A recorded run as one of this agent."""
        return self._run(path, events)

    async def _to_end(self, live: LiveRun, place: Place | None) -> Ending:
        try:
            return await live.go()
        finally:
            # A place that the user brought stays open: other runs may be in it.
            own = place is not None and place is self._fields.get("place")
            await live.close(keep_place=own)

    def _run(self, path: Path, events: Sequence[Event]) -> Run:
        return Run(path, tuple(events), go_on=self.go_on, convert=self._output.convert)

    def _start(self, workshop: Workshop, task: str) -> RunStart:
        start = workshop.start(task)
        policy = self._fields.get("policy")
        imports = self._fields.get("imports")
        own = () if policy is None else (RuleSet(origin="the agent's policy", rules=policy.rules),)
        mounts = self._fields.get("mounts")
        if mounts is not None:
            named = [Mount(one) if isinstance(one, str) else one for one in mounts]
            start = msgspec.structs.replace(start, mounts=checked_mounts(named, Path.cwd()))
        return msgspec.structs.replace(
            start,
            policy=(*start.policy, *own),
            tools_root=self._fields.get("tools_as", "tools"),
            discovery=self._fields.get("discovery", "auto"),
            output_schema=self._output.schema,
            imports=None if imports is None else tuple(imports),
        )

    def _workshop(self) -> Workshop:
        flags: dict[str, JSON] = {
            "format": self._fields.get("format"),
            "instructions": self._fields.get("instructions") or None,
            "packages": list(self._fields.get("packages", ())) or None,
        }
        flags |= _flat("budget", self._fields.get("budget"))
        flags |= _flat("limits", self._fields.get("limits"))
        settings = load_settings(Path.cwd(), flags=flags, environ=os.environ)
        return Workshop(settings, network=self._fields.get("network", ()))

    def _model(self, workshop: Workshop) -> Model:
        model = self._fields.get("model")
        if model is None or isinstance(model, str):
            return workshop.model(model)[0]
        return model

    def _place(self, workshop: Workshop) -> Place:
        place = self._fields.get("place")
        if place is None:
            return workshop.place()
        if isinstance(place, str):
            return workshop.place(name=place)
        if self._fields.get("packages"):
            raise UserMistake(
                "a place that is open already cannot have other packages",
                hints=('name the place: place="local", packages=[...]',),
            )
        return place


def _flat(table: str, values: msgspec.Struct | None) -> dict[str, JSON]:
    """A table as settings by dotted key."""
    if values is None:
        return {}
    told: dict[str, JSON] = msgspec.to_builtins(values)
    return flatten(told, table)


def _sources(tools: Sequence[Function | Source]) -> tuple[Source, ...]:
    sources = [tool for tool in tools if _is_source(tool)]
    functions = [tool for tool in tools if not _is_source(tool) and callable(tool)]
    return (PythonFunctions(functions), *sources) if functions else tuple(sources)


def _is_source(tool: Function | Source) -> TypeGuard[Source]:
    return all(hasattr(tool, name) for name in ("tools", "check", "call"))


def _approver(approve: Approve | None) -> Approver | None:
    if approve is None:
        return None

    async def ask(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        answer = approve(rows)
        allowed = await answer if isinstance(answer, Awaitable) else answer
        choice = Choice(rows, by=getattr(approve, "__name__", "approve"), how="callback")
        decisions: list[ApprovalDecision] = []
        for number, row in enumerate(rows, 1):
            if row.kind == "unknown":
                decisions += choice.unknown(number, "retry" if allowed else "fail")
            else:
                decisions += choice.select([number]) if allowed else choice.deny([number])
        return decisions

    return ask
