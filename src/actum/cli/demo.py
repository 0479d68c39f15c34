"""`actum demo`: the whole path once on this machine, with no key, no network and no Docker."""

import asyncio
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

import actum
from actum.assemble import Workshop
from actum.cli.demo_scene import REACHES, TASK, TOOLS, by_program
from actum.cli.frame import Frame
from actum.cli.narration import table_text, wall_text
from actum.cli.progress import Progress
from actum.errors import NoWall
from actum.gate.approval import Approver
from actum.journal.recording import read_run
from actum.journal.verify import verify
from actum.lifecycle.approving import Choice
from actum.lifecycle.observed import ObservedStore
from actum.lifecycle.replay import replay
from actum.lifecycle.starting import start_program, start_task
from actum.places.contract import Place
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision
from actum.records.sessions import OutputChunk
from actum.tools.python_functions import PythonFunctions


@click.command("demo")
@click.pass_obj
def command(frame: Frame) -> int:
    """See it work on this machine. The model is scripted; everything else is real."""
    return asyncio.run(_Demo(frame).play())


class _Demo:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._say = frame.screen.data
        self._workshop = Workshop(frame.settings(), frame.environ)

    async def play(self) -> int:
        """Every scene that this machine can show."""
        self._say(
            f"actum {actum.__version__} · demo. The model's answers are SCRIPTED: no model is"
        )
        self._say("called. The programs, the wall, the gate and the record are real.")
        place = self._workshop.place()
        try:
            environment = await place.environment()
        except NoWall as refusal:
            self._without_a_wall(refusal)
            return 0
        try:
            self._say(wall_text(environment))
            path = await self._task(place)
            await self._reach_for_the_host(place)
            await self._record(place, path)
        finally:
            await place.close()
        self._next(path)
        return 0

    async def _task(self, place: Place) -> Path:
        self._say(f'\n1. A task, one program, one decision for its writes\n   "{TASK}"')
        parts = await self._workshop.parts(
            sources=(PythonFunctions(TOOLS, name="demo"),),
            model=by_program(),
            place=place,
            approver=self._approver(),
        )
        file = self._workshop.store()
        store = ObservedStore(file, Progress(self._frame.screen, sys.stdout, shown=True).see)
        start = msgspec.structs.replace(self._workshop.start(TASK), action_format="code")
        try:
            live = await start_task(store, start, parts)
            ending = await live.go()
        finally:
            await store.close()
        self._say(f"✓ {ending.output}")
        return file.path

    def _approver(self) -> Approver:
        async def allow(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
            self._say(table_text(rows))
            self._say("  > a      (the demo answers for you: all of them)")
            return Choice(rows, by="demo", how="demo").all()

        return allow

    async def _reach_for_the_host(self, place: Place) -> None:
        self._say("\n2. A program that reaches for the host")
        os.environ["ACTUM_DEMO_KEY"] = "secret"
        parts = await self._workshop.parts(sources=(), place=place, listener=self._output)
        store = self._workshop.store()
        start = self._workshop.start("exec reach.py", entry="program")
        try:
            live = await start_program(store, start, parts, REACHES)
            await live.go()
        finally:
            await store.close()

    async def _record(self, place: Place, path: Path) -> None:
        self._say(f"\n3. The record of the first scene, {path.stem}")
        verdict = verify(path)
        self._say(f"   verify: intact, {verdict.events} events")
        report = await replay(read_run(path).events, place)
        same = "identical" if report.identical else "NOT identical"
        self._say(f"   replay, without model and tools: {same}")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(shutil.copy(path, folder))
            with sqlite3.connect(copy) as connection:
                connection.execute("update event set body = replace(body, 'c2', 'c9')")
            connection.close()
            problem = verify(copy).problem
        place_of = "" if problem is None else f"event {problem.seq}: {problem.what}"
        self._say(f"   a copy with one name changed: not intact, {place_of}")

    def _output(self, chunk: OutputChunk) -> None:
        self._frame.screen.write("".join(f"   {line}\n" for line in chunk.text.splitlines()))

    def _without_a_wall(self, refusal: NoWall) -> None:
        self._say(f"\nNo program can be run here: {refusal.message}")
        self._say(f"  why: {refusal.why}")
        for hint in refusal.hints:
            self._say(f"  hint: {hint}")
        self._say("\nWithout a wall these still work: runs, verify, replay --fast, and JSON calls.")

    def _next(self, path: Path) -> None:
        self._say("\nnext:")
        self._say(f"  see every event:          actum runs show {path.stem}")
        self._say(f"  do it again, offline:     actum replay {path.stem}")
        self._say("  run a program of yours:   actum exec FILE --tools TOOLS.py")
        self._say("  what this machine has:    actum doctor")
