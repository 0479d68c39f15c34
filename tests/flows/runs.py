"""Runs by the library: real walls, a real record, tools that are functions of this process."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from actum.catalog.catalog import open_catalog
from actum.gate.approval import Approver
from actum.journal.recording import read_run
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.live import LiveRun
from actum.lifecycle.parts import Parts
from actum.lifecycle.replay import Report, replay
from actum.lifecycle.resuming import record_resume
from actum.lifecycle.starting import start_program, start_task
from actum.loop.endings import Ending
from actum.models.contract import Model
from actum.places.contract import Place
from actum.places.local.place import Local
from actum.records.events import Event, Output, RunStart, ToolErred, ToolRefused
from actum.records.policies import PolicyRule, RuleSet
from actum.records.sessions import OutputChunk
from actum.tools.contract import Source
from actum.tools.http_request import HttpRequests
from actum.tools.python_functions import PythonFunctions

Function = Callable[..., object]


def bare_place() -> Local:
    """A local place that loads no libraries ahead: it is there in a tenth of the time."""
    return Local(preload=())


def rules(*given: PolicyRule, origin: str = "actum.toml") -> RuleSet:
    """The rules of one file."""
    return RuleSet(origin=origin, rules=given)


@dataclass
class Bench:
    """Where a test starts, parks, resumes and replays programs."""

    folder: Path
    place: Place
    tools: Sequence[Function] = ()
    sources: Sequence[Source] | None = None
    hosts: Sequence[str] = ()
    """What its programs may reach by HTTP."""
    model: Model | None = None
    approver: Approver | None = None
    today: tuple[RuleSet, ...] | None = None
    """The rules as of a resume."""
    store: type[SqliteStore] = SqliteStore
    printed: list[str] = field(default_factory=list[str])

    async def exec(self, source: str, run: str = "R001", **fields: object) -> Ending:
        """Run a program to its end, or to where it waits."""
        store = self.store.create(self.folder, run)
        start = RunStart(task="exec p.py", entry="program", **fields)  # pyright: ignore[reportArgumentType] -- a test names any field
        live = await start_program(store, start, await self._parts(), source)
        return await self._go(live, store)

    async def task(self, task: str, run: str = "R001", **fields: object) -> Ending:
        """Give a task to the model."""
        store = self.store.create(self.folder, run)
        start = RunStart(task=task, **fields)  # pyright: ignore[reportArgumentType] -- as above
        live = await start_task(store, start, await self._parts())
        return await self._go(live, store)

    async def resume(self, run: str = "R001") -> Ending:
        """Go on with it as another process would: from the file alone."""
        store = self.store.open(self.file(run))
        await record_resume(store, ())
        return await self._go(LiveRun(store, await self._parts()), store)

    async def replay(self, run: str = "R001", instead: dict[int, str] | None = None) -> Report:
        """Do it again from its record."""
        recording = read_run(self.file(run))
        return await replay(recording.events, self.place, load=recording.get, instead=instead)

    def file(self, run: str = "R001") -> Path:
        """Its record."""
        return self.folder / f"{run}.actum"

    def events(self, run: str = "R001") -> tuple[Event, ...]:
        """What stands in its file."""
        return read_run(self.file(run)).events

    def kinds(self, run: str = "R001") -> list[str]:
        """The kinds of its events, in order."""
        return [event.kind for event in self.events(run)]

    def output(self, run: str = "R001") -> str:
        """What its program printed."""
        bodies = [event.body for event in self.events(run)]
        return "".join(body.text for body in bodies if isinstance(body, Output))

    def failures(self, run: str = "R001") -> list[ToolErred]:
        """The calls that failed."""
        return [e.body for e in self.events(run) if isinstance(e.body, ToolErred)]

    def refusals(self, run: str = "R001") -> list[ToolRefused]:
        """The calls that were refused."""
        return [e.body for e in self.events(run) if isinstance(e.body, ToolRefused)]

    async def _parts(self) -> Parts:
        sources = self.sources or (PythonFunctions(self.tools),)
        http = HttpRequests(self.hosts, {})
        return Parts(
            place=self.place,
            catalog=await open_catalog(sources, hidden=(http,)),
            sources=tuple(sources),
            own_sources=(http,),
            model=self.model,
            approver=self.approver,
            listener=self._listen,
            policy=self.today,
        )

    async def _go(self, live: LiveRun, store: SqliteStore) -> Ending:
        try:
            return await live.go()
        finally:
            await live.leave()
            await store.close()

    def _listen(self, chunk: OutputChunk) -> None:
        self.printed.append(chunk.text)
