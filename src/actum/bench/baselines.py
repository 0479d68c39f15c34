"""What one could use instead: a bare Python, a fork without walls."""

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path

from actum.bench import warm_process
from actum.places.local.interpreter import Interpreter, this_interpreter
from actum.places.local.zygote_process import SAME_FOR_ALL


def plain_environment(interpreter: Interpreter) -> dict[str, str]:
    """The same settings of the libraries as in a session."""
    return {**SAME_FOR_ALL, "PYTHONPATH": os.pathsep.join(interpreter.packages)}


class FreshPython:
    """A new interpreter for each program."""

    def __init__(self) -> None:
        self._interpreter = this_interpreter()

    async def run(self, source: str) -> None:
        """From the start to the end of the process."""
        process = await asyncio.create_subprocess_exec(
            self._interpreter.executable,
            "-s",
            "-c",
            source,
            env=plain_environment(self._interpreter),
        )
        await process.wait()


class WarmProcess:
    """A raw `os.fork` and `eval`, in a process that has only one thread."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("its standard input and output must be pipes")
        self._process = process
        self._orders = process.stdin
        self._answers = process.stdout

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

    async def fork(self) -> None:
        """From the order to the answer of the fork."""
        await self._ask("fork")

    async def loop(self, source: str) -> float:
        """Milliseconds of the processor that this source takes."""
        return float(await self._ask(f"loop {json.dumps(source)}")) * 1000

    async def close(self) -> None:
        """End it."""
        self._orders.close()
        await self._process.wait()

    async def _ask(self, order: str) -> str:
        self._orders.write(f"{order}\n".encode())
        return await self._answer()

    async def _answer(self) -> str:
        return (await self._answers.readline()).decode().strip()
