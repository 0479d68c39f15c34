"""Do a recorded run again, from its record alone: no model, no tools, no network."""

from collections.abc import Coroutine, Mapping, Sequence

import msgspec

from actum.errors import BlobMissing, Diverged
from actum.gate.masking import Masking
from actum.lifecycle.folders import RecordedFolders
from actum.lifecycle.live import run_start
from actum.lifecycle.parts import brief_of, session_spec
from actum.lifecycle.rebuilt_folder import Load
from actum.loop.answers import Answers
from actum.loop.endings import Ending
from actum.loop.formats.finding import open_format
from actum.loop.loop import Loop
from actum.loop.single_program import run_single_program
from actum.loop.steps import Steps
from actum.places.contract import Place
from actum.records.actions import RunCode
from actum.records.events import Event, Output, RunEnd, RunStart
from actum.records.sessions import OutputChunk
from actum.records.values import BlobRef
from actum.session.conductor import Listener
from actum.session.difference import Difference, ProgramDiverged, RecordOver
from actum.session.programs import Programs
from actum.session.recorded import RunView


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a replay."""

    identical: bool
    events: int
    difference: Difference | None = None
    remarks: tuple[str, ...] = ()


async def replay(
    events: Sequence[Event],
    place: Place,
    *,
    load: Load | None = None,
    listener: Listener | None = None,
    instead: Mapping[int, str] | None = None,
    until: int | None = None,
    masking: Masking | None = None,
) -> Report:
    """Run every program again and compare each call, value, line of output and the answer.

    `load` gives the bytes that the record names.
    `instead` holds programs that stand in for recorded ones; `until` is the last step to do.
    `masking` takes out again what it took out of the recorded output.
    """
    first, start = run_start(events)
    load = load or nothing_kept
    view = RunView(_up_to(events, until))
    folders = RecordedFolders(events, start, load)
    programs = Programs(
        place,
        session_spec(start, first.time, load),
        view,
        folders=folders,
        listener=listener,
        instead=instead,
        masking=masking,
        patience=_patience(events),
    )
    steps = Steps(view, None)
    try:
        difference, remarks = await _judged(events, _again(start, view, steps, programs))
    finally:
        await programs.close()
        folders.close()
    return Report(
        identical=difference is None,
        events=len(events),
        difference=difference,
        remarks=(*steps.remarks, *remarks),
    )


def nothing_kept(blob: BlobRef) -> bytes:
    """For a record whose bytes are not at hand."""
    raise BlobMissing(f"The content {blob.sha256[:12]} is not at hand.")


async def _judged(
    events: Sequence[Event], work: Coroutine[None, None, Ending]
) -> tuple[Difference | None, list[str]]:
    """Do the work again: the first difference from the record, and what is to be said besides."""
    try:
        return _compare_end(events, await work), []
    except RecordOver as over:
        last = events[-1].body
        if isinstance(last, RunEnd) and last.status == "done":
            return _compare_end(events, Ending(status="broken", exit=0)), []
        told = f"the record ends in step {over.step}: up to there it is the same"
        return None, [] if isinstance(last, RunEnd) else [told]
    except ProgramDiverged as diverged:
        return diverged.difference, []
    except Diverged as diverged:
        told = diverged.message
        return Difference(seq=None, step=0, line=None, recorded="the record", replayed=told), []


def replay_from_results(events: Sequence[Event], listener: Listener | None) -> Report:
    """Show a record again without running anything."""
    run_start(events)
    for event in events:
        if isinstance(event.body, Output) and listener is not None:
            listener(OutputChunk(event.body.stream, event.body.text))
    return Report(identical=True, events=len(events), remarks=("shown from the record alone",))


async def _again(start: RunStart, view: RunView, steps: Steps, programs: Programs) -> Ending:
    if start.entry == "program":
        action = view.step(1).action
        if action is None or not isinstance(action.action, RunCode):
            raise RecordOver(1)
        return await run_single_program(action.action.program, steps, programs)
    loop = Loop(
        open_format(start.action_format),
        brief_of(start),
        steps,
        programs,
        answers=Answers(start.output_schema),
    )
    return await loop.run(start.task, start.images)


def _patience(events: Sequence[Event]) -> float:
    """How long to wait for a program that was cut off: longer than the record did."""
    return 2 + 3 * (events[-1].time - events[0].time) / 1e9


def _up_to(events: Sequence[Event], until: int | None) -> list[Event]:
    if until is None:
        return list(events)
    return [event for event in events if event.step is None or event.step <= until]


def _compare_end(events: Sequence[Event], ending: Ending) -> Difference | None:
    recorded = events[-1].body
    if not isinstance(recorded, RunEnd):
        return None
    if (recorded.status, recorded.output) == (ending.status, ending.output):
        return None
    return Difference(
        seq=events[-1].seq,
        step=0,
        line=None,
        recorded=f"{recorded.status}: {recorded.output!r}",
        replayed=f"{ending.status}: {ending.output!r}",
    )
