"""Monty, with an event loop as its host, as ours is. It is measured where it is installed."""

import importlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Protocol

CALLS = 200
MANY = 1_000_000_000


class MontySession(Protocol):
    """What is used of a session of Monty."""

    async def feed_run(
        self, code: str, *, external_lookup: dict[str, Callable[[int], object]] | None = None
    ) -> object:
        """Run a program."""
        ...


class MontyPool(Protocol):
    """What is used of its pool of processes."""

    def checkout(
        self, *, limits: dict[str, int] | None = None
    ) -> AbstractAsyncContextManager[MontySession]:
        """A session."""
        ...


class Monty:
    """Monty with an event loop as its host, as ours is. Only where it is installed."""

    def __init__(self, stack: AsyncExitStack, pool: MontyPool, session: MontySession) -> None:
        self._stack = stack
        self._pool = pool
        self._session = session

    @classmethod
    async def start(cls) -> "Monty | None":
        """None where it is not installed, or has no program to run."""
        try:
            module = importlib.import_module("pydantic_monty")
        except ImportError:
            return None
        pools: Callable[..., AbstractAsyncContextManager[MontyPool]] = module.AsyncMonty
        stack = AsyncExitStack()
        try:
            pool = await stack.enter_async_context(pools(min_processes=2))
        except (FileNotFoundError, IndexError):
            return None
        session = await stack.enter_async_context(pool.checkout(limits={"max_suspensions": MANY}))
        return cls(stack, pool, session)

    async def open(self) -> None:
        """A session, and the result of `1+1`."""
        async with self._pool.checkout() as session:
            await session.feed_run("1+1")

    async def round_trips(self, times: int) -> None:
        """Programs in a session that is there."""
        for _ in range(times):
            await self._session.feed_run("1+1")

    async def calls(self) -> None:
        """Calls of an asynchronous function of the host."""
        program = f"for i in range({CALLS}):\n    await look(i)"
        await self._session.feed_run(program, external_lookup={"look": look})

    async def plain_calls(self) -> None:
        """The same with a plain function, which nothing else can run beside."""
        program = f"for i in range({CALLS}):\n    look(i)"
        await self._session.feed_run(program, external_lookup={"look": same})

    async def close(self) -> None:
        """End its processes."""
        await self._stack.aclose()


async def look(number: int) -> int:
    """What each host call does: nothing."""
    return number


def same(number: int) -> int:
    """The same, plainly."""
    return number
