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
from actum.cli.approval_table import table_text
from actum.cli.context import context_document
from actum.cli.demo_scene import REACHES, TASK, TOOLS, by_calls, by_program
from actum.cli.frame import Frame
from actum.cli.narration import wall_text
from actum.cli.progress import Progress
from actum.errors import NoWall
from actum.gate.approval import Approver
from actum.journal.recording import read_run
from actum.journal.verify import verify
from actum.lifecycle.approving import Choice
from actum.lifecycle.observed import ObservedStore
from actum.lifecycle.replay import replay
from actum.lifecycle.starting import start_program, start_task
from actum.loop.endings import Ending
from actum.models.contract import Model
from actum.places.contract import Place
from actum.records.actions import FormatName
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
        self._figures: dict[str, Path] = {}

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
            await self._without_a_wall(place, refusal)
            return 0
        try:
            self._say(wall_text(environment))
            path = await self._task(place)
            await self._by_calls(place)
            await self._reach_for_the_host(place)
            await self._record(place, path)
        finally:
            await place.close()
        self._next(path)
        return 0

    async def _task(self, place: Place) -> Path:
        self._say(f'\n1. A task, one program, one decision for its writes\n   "{TASK}"')
        path, ending = await self._run(place, by_program(), "code", shown=True)
        self._say(f"✓ {ending.output}")
        self._figures["one program"] = path
        return path

    async def _by_calls(self, place: Place) -> Path:
        self._say("\n2. The same task, each way of acting (scripted models, counted in this run)")
        for name, at_once in (("JSON, one call a turn", False), ("JSON, side by side", True)):
            path, _ = await self._run(place, by_calls(at_once=at_once), "json", shown=False)
            self._figures[name] = path
        for name, path in self._figures.items():
            turns, tokens = _figures(path)
            self._say(f"   {name:<22} {turns:>3} turns {tokens:>7,} tokens sent (about)")
        return self._figures["JSON, side by side"]

    async def _run(
        self, place: Place, model: Model, action_format: FormatName, *, shown: bool
    ) -> tuple[Path, Ending]:
        parts = await self._workshop.parts(
            sources=(PythonFunctions(TOOLS, name="demo"),),
            model=model,
            place=place,
            approver=self._approver(shown=shown),
        )
        file = self._workshop.store()
        store = ObservedStore(file, Progress(self._frame.screen, sys.stdout, shown=shown).see)
        start = msgspec.structs.replace(self._workshop.start(TASK), action_format=action_format)
        try:
            live = await start_task(store, start, parts)
            ending = await live.go()
            await live.leave()
        finally:
            await store.close()
        return file.path, ending

    def _approver(self, *, shown: bool) -> Approver:
        async def allow(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
            if shown:
                self._say(table_text(rows))
                self._say("  > a      (the demo answers for you: all of them)")
            return Choice(rows, by="demo", how="demo").all()

        return allow

    async def _reach_for_the_host(self, place: Place) -> None:
        self._say("\n3. A program that reaches for the host")
        os.environ["ACTUM_DEMO_KEY"] = "secret"
        parts = await self._workshop.parts(sources=(), place=place, listener=self._output)
        store = self._workshop.store()
        start = self._workshop.start("exec reach.py", entry="program")
        try:
            live = await start_program(store, start, parts, REACHES)
            await live.go()
            await live.leave()
        finally:
            await store.close()

    async def _record(self, place: Place, path: Path) -> None:
        self._say(f"\n4. The record of the first scene, {path.stem}")
        self._verify(path)
        report = await replay(read_run(path).events, place)
        same = "identical" if report.identical else "NOT identical"
        self._say(f"   replay, without model and tools: {same}")

    def _verify(self, path: Path) -> None:
        verdict = verify(path)
        self._say(f"   verify: intact, {verdict.events} events")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(shutil.copy(path, folder))
            with sqlite3.connect(copy) as connection:
                connection.execute("update event set body = replace(body, 'c2', 'c9')")
            connection.close()
            problem = verify(copy).problem
        what = "" if problem is None else f"event {problem.seq}: {problem.what}"
        self._say(f"   a copy with one name changed: not intact, {what}")

    def _output(self, chunk: OutputChunk) -> None:
        self._frame.screen.write("".join(f"   {line}\n" for line in chunk.text.splitlines()))

    async def _without_a_wall(self, place: Place, refusal: NoWall) -> None:
        self._say(f"\nNo program can be run here: {refusal.message}")
        self._say(f"  why: {refusal.why}")
        for hint in dict.fromkeys(refusal.hints):
            self._say(f"  hint: {hint}")
        self._say("\nWithout a wall these still work: JSON calls, runs, verify, replay --fast.")
        path = await self._by_calls(place)
        self._say(f"\n3. The record of the last one, {path.stem}")
        self._verify(path)

    def _next(self, path: Path) -> None:
        self._say("\nnext:")
        self._say(f"  see every event:          actum runs show {path.stem}")
        self._say(f"  do it again, offline:     actum replay {path.stem}")
        self._say("  run a program of yours:   actum exec FILE --tools TOOLS.py")
        self._say("  what this machine has:    actum doctor")


def _figures(path: Path) -> tuple[int, int]:
    """How often the model was asked, and about how many tokens it was sent."""
    requests = context_document(read_run(path).events)["requests"]
    if not isinstance(requests, list):
        return 0, 0
    sizes = [
        piece["tokens"]
        for request in requests
        if isinstance(request, dict) and isinstance(request["pieces"], list)
        for piece in request["pieces"]
        if isinstance(piece, dict)
    ]
    return len(requests), sum(size for size in sizes if isinstance(size, int))
