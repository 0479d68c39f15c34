"""`actum replay`: do a run again from its record, offline."""

import asyncio
from functools import partial
from pathlib import Path

import click
import msgspec

from actum.assemble import Workshop, read_program
from actum.cli.finding import recorded_events, run_file
from actum.cli.frame import Frame
from actum.cli.narration import Narrator
from actum.cli.run import answer_text
from actum.errors import Diverged, UserMistake
from actum.gate.masking import Masking
from actum.journal.blobs import read_blob
from actum.lifecycle.live import run_start
from actum.lifecycle.rebuilt_folder import Load
from actum.lifecycle.replay import Report, replay, replay_from_results
from actum.places.contract import Place
from actum.records.events import Event, RunEnd
from actum.records.sessions import OutputChunk


@click.command("replay")
@click.argument("run", default="last")
@click.option(
    "--at", type=int, metavar="STEP", help="Stop after this step; with --code, change it."
)
@click.option("--code", type=click.Path(path_type=Path), metavar="FILE", help="Another program.")
@click.option("--fast", is_flag=True, help="Show the record without running its programs again.")
@click.option("--rebuild-env", is_flag=True, help="Install its packages again, as recorded.")
@click.pass_obj
def command(
    frame: Frame, *, run: str, at: int | None, code: Path | None, fast: bool, rebuild_env: bool
) -> int:
    """Do a run again from its record: no model, no tools, no network.

    Every call, value, line of output and the answer must be as recorded; the first difference is
    told.
    """
    if fast and code is not None:
        raise UserMistake("--fast runs no program, so --code has nothing to stand in for")
    path = run_file(frame, run)
    events = recorded_events(path)
    instead = {at or 1: read_program(code)} if code is not None else None
    is_task = run_start(events)[1].entry == "task"
    printed = Printed(frame, quiet=is_task)
    if fast:
        return _tell(frame, path.stem, replay_from_results(events, printed))
    workshop = Workshop(frame.settings(), frame.environ)
    place = workshop.place_of(run_start(events)[1], rebuild=rebuild_env)
    load = partial(read_blob, path)
    masking = workshop.masking()
    report = asyncio.run(_replay(events, place, printed, instead, at, load=load, masking=masking))
    if is_task and not frame.screen.as_json:
        _answer(frame, events)
    return _tell(frame, path.stem, report)


def _answer(frame: Frame, events: list[Event]) -> None:
    """What a task left on stdout is its answer."""
    last = events[-1].body
    if isinstance(last, RunEnd) and last.status == "done":
        frame.screen.data(answer_text(last.output))


async def _replay(
    events: list[Event],
    place: Place,
    printed: "Printed",
    instead: dict[int, str] | None,
    at: int | None,
    *,
    load: Load,
    masking: Masking,
) -> Report:
    try:
        return await replay(
            events,
            place,
            load=load,
            listener=printed,
            instead=instead,
            until=at,
            masking=masking,
        )
    finally:
        await place.close()


class Printed:
    """Prints again what was printed, where a person reads."""

    def __init__(self, frame: Frame, *, quiet: bool) -> None:
        self._narrator = None if frame.screen.as_json or quiet else Narrator(frame.screen)

    def __call__(self, chunk: OutputChunk) -> None:
        if self._narrator is not None:
            self._narrator.output(chunk)


def _tell(frame: Frame, run: str, report: Report) -> int:
    if frame.screen.as_json:
        frame.screen.document(
            {
                "run": run,
                "identical": report.identical,
                "events": report.events,
                "difference": msgspec.to_builtins(report.difference),
                "remarks": list(report.remarks),
            }
        )
        return 0 if report.identical else Diverged.exit_code
    for remark in report.remarks:
        frame.screen.narrate(remark)
    if report.difference is not None:
        difference = report.difference
        place = f"step {difference.step}"
        if difference.line is not None:
            place += f", line {difference.line}"
        raise Diverged(
            f"run {run} does not replay as recorded",
            where=place if difference.seq is None else f"event {difference.seq}, {place}",
            why=f"recorded {difference.recorded}; replayed {difference.replayed}",
            hints=(f"is the record as it was written?   actum verify {run}",),
        )
    frame.screen.narrate(f"run {run}: {report.events} events, identical")
    return 0
