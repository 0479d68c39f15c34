"""The public Agent: what a user builds once and runs often."""

import asyncio
import contextvars
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import TypeGuard, TypeVar



import msgspec

from actum.assemble import Workshop
from actum.errors import NoOutput
from actum.gate.approval import Approver
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.lifecycle.starting import start_task
from actum.lifecycle.usage import usage_of
from actum.loop.endings import Ending
from actum.loop.formats.contract import FormatName
from actum.models.contract import Model
from actum.places.contract import Place
from actum.places.finding import open_place
from actum.records.events import ApprovalDecision, Event, PendingRow, RunEnd, RunStatus, ToolCalled
from actum.records.messages import Usage
from actum.records.policies import PolicyRule, RuleSet
from actum.records.sessions import Limits
from actum.records.values import JSON
from actum.settings.load import load_settings
from actum.settings.tree import Budget
from actum.tools.contract import Source
from actum.tools.python_functions import PythonFunctions

T = TypeVar("T")
Approve = Callable[[Sequence[PendingRow]], "bool | Awaitable[bool]"]


class Policy:
    """Rules in Python: the same as `[[policy]]` in a file. First match wins."""

    def __init__(self, *rules: PolicyRule) -> None:
        self.rules = rules


class Agent:
    """A model, its tools and its limits. Immutable: `with_` gives a changed copy."""

    def __init__(
        self,
        model: Model | str | None = None,
        tools: Sequence[Callable[..., object] | Source] = (),
        instructions: str = "",
        *,
        format: FormatName | None = None,  # noqa: A002 -- the word that users know it by
        place: Place | str | None = None,
        policy: Policy | None = None,
        budget: Budget | None = None,
        approve: Approve | None = None,
        limits: Limits | None = None,
        tools_as: str = "tools",
        name: str = "agent",
    ) -> None:
        self._fields: dict[str, object] = {
            "model": model,
            "tools": tuple(tools),
            "instructions": instructions,
            "format": format,
            "place": place,
            "policy": policy,
            "budget": budget,
            "approve": approve,
            "limits": limits,
            "tools_as": tools_as,
            "name": name,
        }
        self._model = model
        self._sources = _sources(tools)
        self._instructions = instructions
        self._format: FormatName | None = format
        self._place = place
        self._policy = policy
        self._budget = budget
        self._approver = _approver(approve)
        self._limits = limits
        self._tools_as = tools_as
        self.name = name

    def with_(self, **changes: object) -> "Agent":
        """The same agent, but for what is named."""
        make: Callable[..., Agent] = Agent
        return make(**(self._fields | changes))

    async def run(self, task: str) -> "Run":
        """Give it a task. What went wrong on the way is in the run, not raised."""
        workshop = self._workshop()
        model = self._open_model(workshop)
        place = open_place(self._place) if isinstance(self._place, str) else self._place
        parts = await workshop.parts(
            sources=self._sources, model=model, place=place, approver=self._approver
        )
        start = workshop.start(task, tools_root=self._tools_as)
        if self._policy is not None:
            own = RuleSet(origin="the agent's policy", rules=self._policy.rules)
            start = msgspec.structs.replace(start, policy=(*start.policy, own))
        store = workshop.store()
        live = await start_task(store, start, parts, somebody=self._approver is not None)
        try:
            ending = await live.go()
        finally:
            await store.close()
            if self._place is None or isinstance(self._place, str):
                await live.close()
        return Run(self, store, ending)

    def run_sync(self, task: str) -> "Run":
        """`run`, for code that is not async. Works inside a running loop too."""
        return in_own_loop(self.run(task))

    async def go_on(self, store: SqliteStore) -> Ending:
        """Go on with a recorded run of this agent."""
        workshop = self._workshop()
        live, _ = await workshop.resume(
            store,
            sources=self._sources,
            model=self._open_model(workshop),
            approver=self._approver,
        )
        try:
            return await live.go()
        finally:
            await store.close()
            await live.close()

    def _workshop(self) -> Workshop:
        flags: dict[str, JSON] = {}
        if self._format is not None:
            flags["format"] = self._format
        if self._instructions:
            flags["instructions"] = self._instructions
        for table, values in (("budget", self._budget), ("limits", self._limits)):
            if values is not None:
                told: dict[str, JSON] = msgspec.to_builtins(values)
                flags |= {f"{table}.{k}": v for k, v in told.items() if not isinstance(v, dict)}
        return Workshop(load_settings(Path.cwd(), flags=flags, environ=os.environ))

    def _open_model(self, workshop: Workshop) -> Model:
        if self._model is None or isinstance(self._model, str):
            return workshop.model(self._model)[0]
        return self._model


class Run:
    """A run that is over, or that waits for somebody."""

    def __init__(self, agent: Agent, store: SqliteStore, ending: Ending) -> None:
        self._agent = agent
        self._path = store.path
        self._events: Sequence[Event] = store.events()
        self._ending = ending
        self.id = store.run

    @property
    def status(self) -> RunStatus:
        """`done failed paused denied limit cancelled`."""
        return self._ending.status

    @property
    def output(self) -> JSON:
        """The answer. Raises `NoOutput` where there is none: never a silent None."""
        if self.status == "done":
            return self._ending.output
        hints = (f"see what happened:   actum runs show {self.id}",)
        if self.status == "paused":
            hints = ("decide and go on: run.approve(all=True), then run.resume()", *hints)
        raise NoOutput(
            f"run {self.id} has no answer: {self.status}", why=self._ending.reason, hints=hints
        )

    @property
    def error(self) -> str:
        """Why there is no answer; empty where there is one."""
        return "" if self.status == "done" else self._ending.reason

    @property
    def usage(self) -> Usage:
        """What it has used."""
        return usage_of(self._events)

    @property
    def calls(self) -> list[ToolCalled]:
        """The tool calls that were made, in order."""
        return [event.body for event in self._events if isinstance(event.body, ToolCalled)]

    @property
    def steps(self) -> int:
        """How many turns it took."""
        return max((event.step or 0 for event in self._events), default=0)

    @property
    def pending(self) -> list[PendingRow]:
        """The calls that wait for a decision, in the order of `select`."""
        return pending_rows(self._events)

    def approve(
        self, *, all: bool = False, select: Sequence[int] = (), deny: Sequence[int] = ()  # noqa: A002 -- as at the command line
    ) -> None:
        """Decide what waits. Go on with `resume`."""
        choice = Choice(self.pending, by="", how="run.approve")
        decisions = choice.all() if all else [*choice.select(select), *choice.deny(deny)]
        in_own_loop(self._decide(decisions))

    def resume(self) -> "Run":
        """Go on from where it waits: the run as it is afterwards."""
        return in_own_loop(self._resume())

    async def _decide(self, decisions: Sequence[ApprovalDecision]) -> None:
        store = SqliteStore.open(self._path)
        try:
            await decide(store, decisions)
            self._events = store.events()
        finally:
            await store.close()

    async def _resume(self) -> "Run":
        store = SqliteStore.open(self._path)
        ending = await self._agent.go_on(store)
        return Run(self._agent, store, ending)

    def __str__(self) -> str:
        """The answer as text."""
        output = self.output
        return output if isinstance(output, str) else msgspec.json.encode(output).decode()

    def __repr__(self) -> str:
        """What it is, without the answer."""
        return f"<Run {self.id} {self.status}>"


def ending_of(events: Sequence[Event]) -> Ending:
    """How a recorded run ended, or that it waits or was cut off."""
    last = events[-1].body if events else None
    if isinstance(last, RunEnd):
        return Ending(
            status=last.status, exit=last.exit, output=last.output, reason=last.reason
        )
    if pending_rows(events):
        return Ending(status="paused", exit=8, reason="calls wait for a decision")
    return Ending(status="broken", exit=3, reason="it was cut off")


def in_own_loop(work: Coroutine[None, None, T]) -> T:
    """Run to the end; in a thread of its own where a loop is running here already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[T] = []
    errors: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            results.append(context.run(asyncio.run, work))
        except BaseException as error:  # noqa: BLE001 -- it is raised where it is waited for
            errors.append(error)

    thread = threading.Thread(target=run, name="actum-run")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def _sources(tools: Sequence[Callable[..., object] | Source]) -> tuple[Source, ...]:
    functions = [tool for tool in tools if not _is_source(tool)]
    sources = [tool for tool in tools if _is_source(tool)]
    return (PythonFunctions(functions), *sources) if functions else tuple(sources)


def _is_source(tool: Callable[..., object] | Source) -> TypeGuard[Source]:
    return all(hasattr(tool, name) for name in ("tools", "check", "call"))


def _approver(approve: Approve | None) -> Approver | None:
    if approve is None:
        return None

    async def ask(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        answer = approve(rows)
        allowed = await answer if isinstance(answer, Awaitable) else answer
        choice = Choice(rows, by=getattr(approve, "__name__", "approve"), how="callback")
        return _callback_decisions(choice, rows, allowed=allowed)

    return ask


def _callback_decisions(choice: Choice, rows: Sequence[PendingRow], *, allowed: bool) -> list[ApprovalDecision]:
    decisions: list[ApprovalDecision] = []
    for number, row in enumerate(rows, 1):
        if row.kind == "unknown":
            decisions += choice.unknown(number, "retry" if allowed else "fail")
        elif allowed:
            decisions += choice.select([number])
        else:
            decisions += choice.deny([number])
    return decisions
