"""A whole command, as somebody types it."""

import asyncio
import os
import sys
from pathlib import Path

from actum.bench.measuring import milliseconds_of


async def exec_once(folder: Path) -> float:
    """`actum exec` of a program that prints one line."""
    program = folder / "one_line.py"
    if not program.exists():
        program.write_text("print(1)\n", encoding="utf-8")
    return await milliseconds_of(run_command(folder, "exec", str(program)))


async def run_command(folder: Path, *words: str) -> None:
    """Run it with a home of its own, and see that it went well."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "actum", *words),
        cwd=folder,
        env={**os.environ, "ACTUM_HOME": str(folder / "home")},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    if process.returncode:
        raise AssertionError(f"the measured command failed: {said.decode()[-500:]}")
