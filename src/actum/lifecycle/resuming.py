"""Go on with a run: what its record says it needs is opened again, and compared with what is there."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from actum.errors import NotSetUp, SourceMissing
from actum.journal.contract import Store
from actum.records.events import Draft, Event, Replied, RunEnd, RunResume, RunStart
from actum.records.release import VERSION
from actum.records.run_events import SourceRecord
from actum.records.sessions import Environment

_STRENGTH = {"full": 3, "landlock": 2, "remote": 1, "subset": 0}


def last_sources(events: Sequence[Event]) -> tuple[SourceRecord, ...]:
    """The tools files as the run last saw them."""
    sources: tuple[SourceRecord, ...] = ()
    for event in events:
        if isinstance(event.body, RunStart | RunResume):
            sources = event.body.sources or sources
    return sources


def changed_files(sources: Sequence[SourceRecord]) -> list[str]:
    """The tools files that are no longer as the run last saw them. A missing one raises."""
    changed: list[str] = []
    for source in sources:
        if source.kind == "process":
            raise SourceMissing(
                f"the tools of this run were functions of a process: {source.alias}",
                why="that process is gone, and a record holds no code of tools",
                hints=("go on from Python: runs.resume(id, agent=agent)",),
            )
        path = Path(source.path)
        if not path.is_file():
            raise SourceMissing(
                f"the tools file {path} is gone",
                why="the run was started with its tools",
                hints=("put it back, or see the record alone:   actum replay RUN",),
            )
        if hashlib.sha256(path.read_bytes()).hexdigest() != source.sha256:
            changed.append(str(path))
    return changed


def check_environment(recorded: Environment, today: Environment) -> list[str]:
    """A run does not go on behind a weaker wall than it began with."""
    if _STRENGTH[today.level] < _STRENGTH[recorded.level]:
        raise NotSetUp(
            f"this run began at level {recorded.level}; here there is only {today.level}",
            hints=("see what is missing:   actum doctor",),
        )
    if recorded.id != today.id:
        return ["the environment is not the recorded one: a program may see other addresses"]
    return []


async def record_resume(
    store: Store, notes: Sequence[str], changed: Sequence[SourceRecord] = ()
) -> None:
    """Write down that somebody goes on with the run, and what has changed since.

    `changed` is every source as it is now, where one of them is not as it was.
    """
    body = RunResume(actum=VERSION, notes=tuple(notes), sources=tuple(changed))
    store.append(Draft(body=body))
    await store.sync()


async def record_reply(store: Store, text: str) -> None:
    """Write down what somebody said after the end of a run: the conversation goes on."""
    store.append(Draft(body=RunResume(actum=VERSION)))
    store.append(Draft(body=Replied(text=text)))
    await store.sync()


def is_over(events: Sequence[Event]) -> RunEnd | None:
    """The end of a run that is over."""
    last = events[-1].body if events else None
    return last if isinstance(last, RunEnd) else None
