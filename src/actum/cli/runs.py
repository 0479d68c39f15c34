"""`actum runs`: the recorded runs of this project."""

import asyncio
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from actum.cli.context import context_document, context_lines
from actum.cli.finding import open_for_writing, recorded_events, run_file
from actum.cli.frame import Frame
from actum.errors import DoesNotVerify
from actum.journal.index import list_runs
from actum.journal.summary import RunSummary, summarize
from actum.records.events import Event
from actum.records.values import JSON
from actum.settings.homes import runs_folder

SHOWN = 30
_FIELDS = (
    "id",
    "task",
    "status",
    "started",
    "seconds",
    "steps",
    "calls",
    "usd",
    "model",
    "format",
    "place",
    "level",
)


@click.group("runs")
def command() -> None:
    """List, show and remove recorded runs."""


@command.command("list")
@click.pass_obj
def list_(frame: Frame) -> None:
    """List the runs of this project, the newest first."""
    runs = list_runs(runs_folder(frame.environ, frame.folder))
    if frame.screen.as_json:
        frame.screen.document([_summary(run) for run in runs])
        return
    for run in runs[:SHOWN]:
        task = run.task if len(run.task) <= 60 else f"{run.task[:59]}…"
        started = (run.started or "")[:16].replace("T", " ")
        frame.screen.data(f"{run.id:<6} {run.status:<9} {started:<16} {run.calls:>4} calls  {task}")
    if len(runs) > SHOWN:
        frame.screen.narrate(f"and {len(runs) - SHOWN} more: actum runs list --json")
    if not runs:
        frame.screen.narrate("no run in this project yet; see one:   actum demo")


@command.command("show")
@click.argument("run", default="last")
@click.option("--context", is_flag=True, help="What the model saw, piece by piece, with sizes.")
@click.pass_obj
def show(frame: Frame, *, run: str, context: bool) -> None:
    """Show everything that a run has recorded."""
    path = run_file(frame, run)
    summary = summarize(path)
    events = recorded_events(path)
    if context and frame.screen.as_json:
        frame.screen.document(context_document(events))
        return
    if context:
        for line in context_lines(events):
            frame.screen.data(line)
        return
    if frame.screen.as_json:
        frame.screen.document({**_summary(summary), "events": [_event(e) for e in events]})
        return
    frame.screen.data(f"{summary.id}  {summary.status}  {summary.task}")
    for event in events:
        frame.screen.data(_line(event))


@command.command("rm")
@click.argument("run")
@click.pass_obj
def rm(frame: Frame, *, run: str) -> None:
    """Remove a run: its file, and the folder of its large blobs."""
    path = run_file(frame, run)
    _refuse_where_open(path)
    for other in (path, *path.parent.glob(f"{path.name}-*")):
        other.unlink(missing_ok=True)
    shutil.rmtree(path.with_name(f"{path.stem}.blobs"), ignore_errors=True)
    frame.screen.narrate(f"run {path.stem} is removed")


def _refuse_where_open(path: Path) -> None:
    """A run whose process lives is not taken from under it."""
    try:
        store = open_for_writing(path)
    except DoesNotVerify:
        # A broken record may be removed like any other.
        return
    asyncio.run(store.close())


def _summary(run: RunSummary) -> dict[str, JSON]:
    whole = msgspec.to_builtins(run)
    return {name: whole[name] for name in _FIELDS} | (
        {"problem": run.problem} if run.problem else {}
    )


def _event(event: Event) -> dict[str, JSON]:
    return {
        "seq": event.seq,
        "kind": event.kind,
        "step": event.step,
        "line": event.line,
        "time": event.time,
        "body": json.loads(event.text),
    }


def _line(event: Event) -> str:
    time = datetime.fromtimestamp(event.time / 1e9, tz=UTC).strftime("%H:%M:%S.%f")[:-3]
    step = "" if event.step is None else f"step {event.step}"
    line = "" if event.line is None else f"line {event.line}"
    text = event.text if len(event.text) <= 100 else f"{event.text[:99]}…"
    return f"{event.seq:>4}  {time}  {event.kind:<18} {step:<8} {line:<9} {text}".rstrip()
