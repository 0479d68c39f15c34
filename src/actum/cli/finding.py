"""The run that a user means, opened for what is to be done with it."""

from pathlib import Path

from actum.cli.frame import Frame
from actum.journal.index import find_run
from actum.journal.recording import read_run
from actum.journal.sqlite import SqliteStore
from actum.records.events import Event
from actum.settings.homes import actum_home, project_folder, project_key


def run_file(frame: Frame, reference: str) -> Path:
    """The file of a run by id, beginning of an id, `last` or `last~1`."""
    key = project_key(project_folder(frame.folder))
    return find_run(actum_home(frame.environ), key, reference)


def recorded_events(path: Path) -> list[Event]:
    """Everything that a run has recorded, read without disturbing it. Raises `DoesNotVerify`."""
    return list(read_run(path).events)


def open_for_writing(path: Path) -> SqliteStore:
    """The record of a run, verified, to go on with. Raises `RunBusy`, `DoesNotVerify`."""
    return SqliteStore.open(path)
