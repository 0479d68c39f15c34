"""Recorded runs: open one, do it again, go on with it."""

import os
from pathlib import Path

from actum.agent.agent import Agent
from actum.agent.own_loop import in_own_loop
from actum.agent.run import Run
from actum.assemble import Workshop
from actum.errors import UserMistake
from actum.journal.index import find_run
from actum.journal.recording import read_run
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.live import run_start
from actum.lifecycle.replay import Report
from actum.lifecycle.replay import replay as replay_events
from actum.lifecycle.resuming import is_over
from actum.loop.endings import Ending
from actum.settings.homes import actum_home, project_folder, project_key
from actum.settings.load import load_settings


def find(run: str = "last") -> Path:
    """The file of a run by id, beginning of an id, `last` or `last~1`."""
    key = project_key(project_folder(Path.cwd()))
    return find_run(actum_home(os.environ), key, run)


def open(run: str = "last") -> Run:  # noqa: A001 -- read as runs.open("7F3K")
    """A recorded run, to look at or to decide what it waits for."""
    path = find(run)
    return Run(path, read_run(path).events, go_on=_go_on)


def replay(run: str = "last") -> Report:
    """Do a run again from its record: no model, no tools, no network."""
    recording = read_run(find(run))
    events = recording.events

    async def work() -> Report:
        workshop = _workshop()
        place = workshop.place_of(run_start(events)[1])
        try:
            return await replay_events(
                events, place, load=recording.get, masking=workshop.masking()
            )
        finally:
            await place.close()

    return in_own_loop(work())


def resume(run: str = "last", agent: Agent | None = None) -> Run:
    """Go on with a run. One whose tools were functions of a process needs its agent."""
    path = find(run)
    events = read_run(path).events
    end = is_over(events)
    if end is not None:
        raise UserMistake(
            f"run {path.stem} is over: {end.status}", hints=("do it again: runs.replay(id)",)
        )
    recorded = Run(path, events, go_on=_go_on) if agent is None else agent.open(path, events)
    return recorded.resume()


async def _go_on(store: SqliteStore) -> Ending:
    try:
        live, _ = await _workshop().resume(store)
        try:
            return await live.go()
        finally:
            await live.close()
    finally:
        await store.close()


def _workshop() -> Workshop:
    return Workshop(load_settings(Path.cwd(), environ=os.environ))
