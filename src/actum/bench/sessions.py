"""What is measured of sessions, of one kind each."""

import time
from collections.abc import Awaitable
from pathlib import Path

from actum.bench.full_run import FullRun, new_store
from actum.bench.hosts import AnswersAtOnce, program, run, spec
from actum.bench.kinds import Kind
from actum.bench.measuring import milliseconds_of
from actum.bench.memory import own_children_hold
from actum.catalog.catalog import Catalog
from actum.lifecycle.parts import Parts
from actum.lifecycle.starting import start_program
from actum.places.contract import Session
from actum.records.events import RunStart

CALLS = 200
ROUND_TRIPS = 20
"""One alone would mostly measure how cold the machine's caches are after everything else."""
WRITES = 20
SHORT = 0.2
"""The time limit of a program that never ends."""
IDLE = 20
LOOP = """
def work():
    total, kept = 0, {}
    for number in range(600_000):
        total += number * number % 7
        kept[number % 1000] = str(number)
    return total
_ = work()
"""


class OneKind:
    """Everything that can be measured of one kind of session."""

    def __init__(self, kind: Kind, catalog: Catalog, folder: Path) -> None:
        self._place = kind.place
        self._catalog = catalog
        self._folder = folder
        self._session: Session | None = None
        self._run: FullRun | None = None

    async def begin(self) -> None:
        """Open the sessions that stay."""
        self._session = await self._place.open(spec())
        self._run = self._new_run()

    async def end(self) -> None:
        """Close what stays open."""
        if self._session is not None:
            await self._session.close()
        if self._run is not None:
            await self._run.close()

    async def open_alone(self) -> float:
        """A session of the place, to its first result; nothing is recorded."""
        before = time.perf_counter()
        session = await self._place.open(spec())
        await run(session, "1+1", self._host())
        took = time.perf_counter() - before
        await session.close()
        return took * 1000

    async def open_full(self) -> float:
        """The first action of a run, with gate and journal; the file of the run is there."""
        store = new_store(self._folder)
        before = time.perf_counter()
        full = FullRun(self._place, self._catalog, store)
        await full.run("1+1")
        took = time.perf_counter() - before
        await full.close()
        return took * 1000

    async def whole_run(self) -> float:
        """All of a run: its file made, begun and ended on the disk, its session closed."""
        return await milliseconds_of(self._whole_run())

    async def _whole_run(self) -> None:
        store = new_store(self._folder)
        parts = Parts(place=self._place, catalog=self._catalog)
        live = await start_program(store, RunStart(task="bench", entry="program"), parts, "1+1")
        ending = await live.go()
        await live.leave()
        await store.close()
        if ending.status != "done":
            raise AssertionError(f"a measured run ended as {ending.status}: {ending.reason}")

    async def round_trip_alone(self) -> float:
        """One program more in a session that is there."""
        return await each(self._alone("1+1", ROUND_TRIPS), ROUND_TRIPS)

    async def round_trip_full(self) -> float:
        """One action more in a run that is there."""
        return await each(self._full("1+1", ROUND_TRIPS), ROUND_TRIPS)

    async def call_alone(self) -> float:
        """A call, by a host that answers at once: scheduler and wire."""
        return await each(self._alone(calling("look", CALLS)), CALLS)

    async def call_full(self) -> float:
        """A call of a read through gate and journal."""
        return await each(self._full(calling("look", CALLS)), CALLS)

    async def write_full(self) -> float:
        """A call of a write, on the disk before it leaves and before its result is used."""
        return await each(self._full(calling("put", WRITES)), WRITES)

    async def loop(self) -> float:
        """Processor time of a loop, as the host measures it."""
        session = self._opened()
        return (await run(session, LOOP, self._host())).cpu_seconds * 1000

    async def killed(self) -> float:
        """From the end of its time to the outcome of a program that never ends."""
        session = await self._place.open(spec())
        before = time.perf_counter()
        outcome = await session.run(program("while True: pass", SHORT), self._host())
        took = time.perf_counter() - before
        await session.close()
        if outcome.limit != "seconds":
            raise AssertionError(f"the endless program ended as {outcome.status}")
        return (took - SHORT) * 1000

    async def memory(self) -> float:
        """Megabytes that each idle session adds to what all processes hold."""
        await (await self._place.open(spec())).close()
        before = own_children_hold()
        sessions = [await self._place.open(spec()) for _ in range(IDLE)]
        for session in sessions:
            await run(session, "x = 1+1", self._host())
        after = own_children_hold()
        for session in sessions:
            await session.close()
        return (after - before) / IDLE / (1 << 20)

    def _host(self) -> AnswersAtOnce:
        return AnswersAtOnce(self._catalog.module)

    def _new_run(self) -> FullRun:
        return FullRun(self._place, self._catalog, new_store(self._folder))

    def _opened(self) -> Session:
        if self._session is None:
            raise LookupError("begin comes first")
        return self._session

    async def _alone(self, source: str, times: int = 1) -> None:
        for _ in range(times):
            await run(self._opened(), source, self._host())

    async def _full(self, source: str, times: int = 1) -> None:
        if self._run is None:
            raise LookupError("begin comes first")
        for _ in range(times):
            await self._run.run(source)


def calling(tool: str, count: int) -> str:
    """A program that calls a tool again and again."""
    return f"from tools import {tool}\nfor number in range({count}):\n    {tool}(number)"


async def each(doing: Awaitable[object], count: int) -> float:
    """Milliseconds of one among many."""
    return await milliseconds_of(doing) / count
