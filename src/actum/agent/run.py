"""A run in Python: its answer, or why there is none, and what it waits for."""

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from actum.agent.artifact_file import ArtifactFile
from actum.agent.notebook import run_html
from actum.agent.own_loop import in_own_loop
from actum.errors import NoOutput, UserMistake
from actum.journal.blobs import read_blob
from actum.journal.recording import read_run
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.lifecycle.resuming import is_over, record_reply
from actum.lifecycle.shown_results import (
    ShownFigure,
    ShownTable,
    figures_of,
    picture_files,
    tables_of,
)
from actum.loop.endings import PAUSED, SETUP, Ending
from actum.loop.spending import usage_of
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision, Event, RunEnd, ToolCalled
from actum.records.messages import Usage
from actum.records.run_events import RunStatus
from actum.records.values import JSON, BlobRef
from actum.session.artifacts import left_files

GoOn = Callable[[SqliteStore], Coroutine[None, None, Ending]]
Convert = Callable[[JSON], object]


class Run:
    """A run that is over, or that waits for somebody."""

    def __init__(
        self,
        path: Path,
        events: Sequence[Event],
        *,
        go_on: GoOn | None = None,
        convert: Convert | None = None,
    ) -> None:
        self.id = path.stem
        self._path = path
        self._events = events
        self._ending = ending_of(events)
        self._go_on = go_on
        self._convert = convert

    @property
    def status(self) -> RunStatus:
        """`done failed paused denied limit cancelled broken`."""
        return self._ending.status

    @property
    def output(self) -> object:
        """The answer, of the type that was asked for. Raises `NoOutput` where there is none."""
        if self.status == "done":
            value = self._ending.output
            return self._convert(value) if self._convert is not None else value
        hints = (f"see what happened:   actum runs show {self.id}",)
        if self.status == "paused":
            hints = ("decide and go on: run.approve(all=True), then run.resume()", *hints)
        raise NoOutput(
            f"run {self.id} has no answer: it is {self.status}",
            why=self._ending.reason,
            hints=hints,
        )

    @property
    def error(self) -> str:
        """Why there is no answer; empty where there is one."""
        return "" if self.status == "done" else self._ending.reason

    @property
    def usage(self) -> Usage:
        """What it has used."""
        return usage_of(self._events)

    @property
    def calls(self) -> list[ToolCalled]:
        """The tool calls that were made, in order."""
        return [event.body for event in self._events if isinstance(event.body, ToolCalled)]

    @property
    def artifacts(self) -> list[ArtifactFile]:
        """The files that programs left under `out/`, as they are at the end."""
        return [
            ArtifactFile(
                name=name, size=blob.size, sha256=blob.sha256, type=blob.type, record=self._path
            )
            for name, blob in left_files(self._events).items()
        ]

    @property
    def steps(self) -> int:
        """How many turns it took."""
        return max((event.step or 0 for event in self._events), default=0)

    @property
    def figures(self) -> list[ShownFigure]:
        """The figures that programs drew, in order. `picture` has their bytes."""
        return figures_of(self._events)

    @property
    def tables(self) -> list[ShownTable]:
        """The tables that programs showed, in order: their first rows, and their full size."""
        return tables_of(self._events)

    def picture(self, number: int = 1, kind: Literal["png", "svg"] = "png") -> bytes:
        """The bytes of a figure, by its number in the run."""
        name = f"figure-{number}.{kind}"
        blob = picture_files(self._events).get(name)
        if blob is None:
            raise UserMistake(
                f"run {self.id} has no {name}", why=f"it has {len(self.figures)} figures"
            )
        return read_blob(self._path, blob)

    @property
    def events(self) -> Sequence[Event]:
        """Everything that it has recorded."""
        return self._events

    @property
    def pending(self) -> list[PendingRow]:
        """The calls that wait for a decision, in the order of `select`."""
        return pending_rows(self._events)

    def approve(
        self,
        *,
        all: bool = False,  # noqa: A002 -- as at the command line
        select: Sequence[int] = (),
        deny: Sequence[int] = (),
    ) -> None:
        """Decide what waits. Go on with `resume`."""
        choice = Choice(self.pending, by="", how="run.approve")
        decisions = choice.all() if all else choice.select(select)
        in_own_loop(self._decide([*decisions, *(choice.deny(deny) if deny else ())]))

    def resume(self) -> "Run":
        """Go on from where it waits: the run as it is afterwards."""
        return in_own_loop(self.resumed())

    async def resumed(self) -> "Run":
        """`resume`, for code that is async."""
        if self._go_on is None:
            raise UserMistake(
                f"run {self.id} was opened without its agent",
                hints=("go on with it: runs.resume(id, agent=agent)",),
            )
        await self._go_on(SqliteStore.open(self._path))
        events = read_run(self._path).events
        return Run(self._path, events, go_on=self._go_on, convert=self._convert)

    def reply(self, text: str) -> "Run":
        """Say something to a run that has ended: it goes on, with its variables, in its record."""
        return in_own_loop(self.replied(text))

    async def replied(self, text: str) -> "Run":
        """`reply`, for code that is async."""
        if is_over(self._events) is None:
            raise UserMistake(
                f"run {self.id} has not ended: it is {self.status}",
                hints=("decide and go on: run.approve(all=True), then run.resume()",),
            )
        store = SqliteStore.open(self._path)
        try:
            await record_reply(store, text)
        finally:
            await store.close()
        return await self.resumed()

    async def _decide(self, decisions: Sequence[ApprovalDecision]) -> None:
        store = SqliteStore.open(self._path)
        try:
            await decide(store, decisions)
            self._events = tuple(store.events())
        finally:
            await store.close()

    def __str__(self) -> str:
        """The answer as text."""
        output = self._ending.output
        if self.status != "done":
            return f"({self.status}: {self._ending.reason})"
        return output if isinstance(output, str) else msgspec.json.encode(output).decode()

    def _repr_html_(self) -> str:
        """What a notebook shows: answer, tables, figures, what waits, what was used."""

        def load(blob: BlobRef) -> bytes:
            return read_blob(self._path, blob)

        return run_html(
            f"run {self.id}: {self.status}",
            str(self),
            events=self._events,
            pending=self.pending,
            usage=self.usage,
            load=load,
        )

    def __repr__(self) -> str:
        """What it is, without the answer."""
        return f"<Run {self.id} {self.status}>"


def ending_of(events: Sequence[Event]) -> Ending:
    """How a recorded run ended, or that it waits or was cut off."""
    last = events[-1].body if events else None
    if isinstance(last, RunEnd):
        return Ending(status=last.status, exit=last.exit, output=last.output, reason=last.reason)
    waiting = len(pending_rows(events))
    if waiting:
        reason = f"{waiting} call{'s' if waiting != 1 else ''} waiting for an approval"
        return Ending(status="paused", exit=PAUSED, reason=reason)
    return Ending(status="broken", exit=SETUP, reason="it was cut off; it can be resumed")
