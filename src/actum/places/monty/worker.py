"""One process of Monty with its working folder."""

import asyncio
import contextlib
import hashlib
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
import pydantic_monty as monty

from actum.places.contract import LeftFile
from actum.records.sessions import Given, SessionSpec
from actum.records.values import unmark

WORK = "/tmp/actum-box"  # noqa: S108 -- a path inside only, the same as in other places
OUT = "out"
MEGABYTE = 1 << 20
NOT_COUNTED_THERE = 1 << 30
"""Calls are counted here, where their limit can be named."""

LONGER_THAN_OURS = 30.0

Printed: TypeAlias = Callable[[Literal["stdout", "stderr"], str], None]
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class Worker:
    """Runs programs, each up to the next moment where it wants something."""

    def __init__(
        self, pool: monty.AsyncMonty, session: monty.AsyncMontySession, memory_mb: int, disk_mb: int
    ) -> None:
        self.modules: dict[str, monty.ExternalModule] = {}
        self._pool = pool
        self._session = session
        self._memory_mb = memory_mb
        self._folder = tempfile.TemporaryDirectory(
            prefix="actum-monty-", ignore_cleanup_errors=True
        )
        (Path(self._folder.name) / OUT).mkdir()
        self._mount = monty.MountDir(
            host_path=self._folder.name,
            virtual_path=WORK,
            mode="read-write",
            write_bytes_limit=disk_mb * MEGABYTE,
        )
        self._known: dict[str, str] = {}
        self._given: dict[str, object] = {}
        self._pid: int | None = None

    @classmethod
    async def start(cls, spec: SessionSpec) -> "Worker":
        """A fresh process. Equal seeds begin equal."""
        pool = monty.AsyncMonty(min_processes=1, max_processes=1)
        with _deaf_to_interrupts():
            await pool.__aenter__()
        modules: dict[str, monty.ExternalModule] = {}
        session = pool.checkout(
            limits={
                "max_memory": spec.limits.memory_mb * MEGABYTE,
                "max_suspensions": NOT_COUNTED_THERE,
                # We are earlier, unless we were killed: then nobody else would end it.
                "max_turn_duration_secs": spec.limits.seconds + LONGER_THAN_OURS,
            },
            assert_message_annotations=False,
            # Else what a program printed before it was killed is lost.
            print_flush_interval=0,
            os_policy={
                "datetime": "call_host",
                "sleep": "call_host",
                "random_start": {"seed": spec.seed},
            },
            external_modules=modules,
        )
        await session.__aenter__()
        worker = cls(pool, session, spec.limits.memory_mb, spec.limits.disk_mb)
        worker.modules = modules
        worker._pid = session.worker_pid
        for one in spec.given:
            worker._furnish(one)
        return worker

    def _furnish(self, one: Given) -> None:
        """Put what was handed in where the first program looks for it."""
        if one.kind == "file":
            (Path(self._folder.name) / one.name).write_bytes(one.content)
        elif one.kind == "bytes":
            self._given[one.name] = one.content
        else:
            self._given[one.name] = unmark(msgspec.json.decode(one.content))

    async def feed(self, source: str, printed: Printed) -> monty.AsyncSnapshot:
        """Begin a program; back where it wants something, or is done."""
        given, self._given = self._given, {}
        return await self._session.feed_start(
            source, inputs=given, print_callback=printed, mount=self._mount, cwd=WORK
        )

    def kill(self) -> None:
        """End the process, whatever it does."""
        if self._pid is not None:
            pid, self._pid = self._pid, None
            try:
                os.kill(pid, KILL)
            except ProcessLookupError:
                return

    async def left(self) -> Sequence[LeftFile]:
        """The files below `out/`; the content of those that are new."""
        return await asyncio.to_thread(self._look)

    def _look(self) -> list[LeftFile]:
        top = Path(self._folder.name) / OUT
        found: list[LeftFile] = []
        for path in sorted(top.rglob("*")):
            if path.is_file() and not path.is_symlink():
                name = path.relative_to(top).as_posix()
                content = path.read_bytes()
                digest = hashlib.sha256(content).hexdigest()
                fresh = self._known.get(name) != digest
                self._known[name] = digest
                found.append(
                    LeftFile(
                        name=name,
                        sha256=digest,
                        size=len(content),
                        content=content if fresh else None,
                    )
                )
        return found

    async def close(self) -> None:
        """End the process and remove the folder."""
        try:
            await self._session.__aexit__(None, None, None)
            await self._pool.__aexit__(None, None, None)
        finally:
            self._pid = None
            self._mount.close()
            self._folder.cleanup()


@contextlib.contextmanager
def _deaf_to_interrupts() -> Generator[None]:
    """What is started here does not hear Ctrl-C: it is for us to say what that means."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
