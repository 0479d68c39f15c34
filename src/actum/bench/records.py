"""What is measured of the journal alone."""

import time
from pathlib import Path

from actum.bench.full_run import new_store
from actum.bench.measuring import milliseconds_of
from actum.journal.contract import Store
from actum.records.events import Draft, ToolCalled

EVENTS = 200
CALLED = ToolCalled(number=1, tool="look", args=(1,), effect="read", key="0" * 32)


class Records:
    """One record that events are added to, and fresh ones."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._store: Store = new_store(folder)

    async def end(self) -> None:
        """Close it."""
        await self._store.close()

    async def create(self) -> float:
        """The file of a new run, empty."""
        before = time.perf_counter()
        store = new_store(self._folder)
        took = time.perf_counter() - before
        await store.close()
        return took * 1000

    async def event(self) -> float:
        """One event, not waited for."""
        return await milliseconds_of(self._events()) / EVENTS

    async def _events(self) -> None:
        for _ in range(EVENTS):
            self._store.append(Draft(body=CALLED, step=1))

    async def on_disk(self) -> float:
        """One event, on the disk when it is over."""
        return await milliseconds_of(self._on_disk())

    async def _on_disk(self) -> None:
        self._store.append(Draft(body=CALLED, step=1))
        await self._store.sync()
