"""What one could use instead: a bare Python, a fork without walls, Monty."""

import asyncio
import importlib.metadata
import json
import os
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from actum.bench import warm_process
from actum.places.local.interpreter import Interpreter, this_interpreter
from actum.places.local.zygote_process import SAME_FOR_ALL

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, AsyncMontySession

MONTY = "pydantic-monty"
CALLS = 200


def plain_environment(interpreter: Interpreter) -> dict[str, str]:
    """The same settings of the libraries as in a session."""
    return {**SAME_FOR_ALL, "PYTHONPATH": os.pathsep.join(interpreter.packages)}


class FreshPython:
    """A new interpreter for each program."""

    def __init__(self) -> None:
        self._interpreter = this_interpreter()

    async def seconds(self, source: str) -> float:
        """From the start to the end of the process."""
        before = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            self._interpreter.executable,
            "-s",
            "-c",
            source,
            env=plain_environment(self._interpreter),
        )
        await process.wait()
        return time.perf_counter() - before


class WarmProcess:
    """A raw `os.fork` and `eval`, in a process that has only one thread."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, modules: Sequence[str]) -> "WarmProcess":
        """Start it with these modules loaded."""
        interpreter = this_interpreter()
        process = await asyncio.create_subprocess_exec(
            interpreter.executable,
            *("-S", "-s", "-P", str(Path(warm_process.__file__)), *modules),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=plain_environment(interpreter),
        )
        started = cls(process)
        await started._answer()
        return started

    async def fork(self) -> float:
        """Seconds from the order to the answer of the fork."""
        before = time.perf_counter()
        await self._ask("fork")
        return time.perf_counter() - before

    async def loop(self, source: str) -> float:
        """Processor seconds that this source takes."""
        return float(await self._ask(f"loop {json.dumps(source)}"))

    async def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()

    async def _ask(self, order: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n".encode())
        return await self._answer()

    async def _answer(self) -> str:
        assert self._process.stdout is not None
        return (await self._process.stdout.readline()).decode().strip()


class Monty:
    """Monty with an event loop as its host, as ours is. Only where it is installed."""

    def __init__(
        self, stack: AsyncExitStack, pool: "AsyncMonty", session: "AsyncMontySession"
    ) -> None:
        self._stack = stack
        self._pool = pool
        self._session = session

    @classmethod
    async def start(cls) -> "Monty | None":
        """None where it is not installed, or has no program to run."""
        try:
            from pydantic_monty import AsyncMonty
        except ImportError:
            return None
        stack = AsyncExitStack()
        try:
            pool = await stack.enter_async_context(AsyncMonty(min_processes=2))
        except (FileNotFoundError, IndexError):
            return None
        session = await stack.enter_async_context(pool.checkout())
        return cls(stack, pool, session)

    async def open(self) -> None:
        """A session, and the result of `1+1`."""
        async with self._pool.checkout() as session:
            await session.feed_run("1+1")

    async def round_trip(self) -> None:
        """One program in a session that is there."""
        await self._session.feed_run("1+1")

    async def call(self) -> float:
        """Seconds that one call of an asynchronous function of the host takes."""
        before = time.perf_counter()
        program = f"for i in range({CALLS}):\n    await look(i)"
        await self._session.feed_run(program, external_lookup={"look": look})
        return (time.perf_counter() - before) / CALLS

    async def plain_call(self) -> float:
        """The same with a plain function, which nothing else can run beside."""
        before = time.perf_counter()
        program = f"for i in range({CALLS}):\n    look(i)"
        await self._session.feed_run(program, external_lookup={"look": same})
        return (time.perf_counter() - before) / CALLS

    async def close(self) -> None:
        """End its processes."""
        await self._stack.aclose()


async def look(number: int) -> int:
    """What each host call does: nothing."""
    return number


def same(number: int) -> int:
    """The same, plainly."""
    return number


def version_of(distribution: str) -> str | None:
    """What is installed of it; None where it is not."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
