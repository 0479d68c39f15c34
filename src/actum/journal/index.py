"""The runs of a home: their list, a new id, and the run that somebody means.

Made from the files themselves, so that there is nothing else to keep right.
"""

import difflib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

from actum.errors import NoSuchRun, StoreLost
from actum.journal.summary import RunSummary, summarize

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no letter is taken for a digit."""
SHORTEST = 4
TRIES = 4
_LOOKALIKES = str.maketrans("ILO", "110")
_LAST = re.compile(r"last(?:[~:](\d+))?")


def runs_folder(home: Path, project: str) -> Path:
    """Where the runs of a project stand."""
    return home / "runs" / project


def new_run_id(folder: Path) -> str:
    """An id that no other run of this folder has; its file is there, and empty, from now on."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return next(run for run in _candidates() if _reserve(folder / f"{run}.actum"))
    except OSError as error:
        raise StoreLost(
            f"The folder of the record cannot be written: {folder}",
            why=str(error),
            hints=("check its permissions, or set ACTUM_HOME to another folder",),
        ) from error


def run_files(folder: Path) -> list[Path]:
    """The files of all runs in this folder."""
    return sorted(folder.glob("*.actum"))


def list_runs(folder: Path) -> list[RunSummary]:
    """Every run of this folder, the newest started first. A file that cannot be read is listed too."""
    found = [summarize(path) for path in run_files(folder)]
    return sorted(found, key=_age, reverse=True)


def list_all_runs(home: Path) -> list[RunSummary]:
    """Every run of every project, the newest started first."""
    found = [summarize(path) for folder in _projects(home) for path in run_files(folder)]
    return sorted(found, key=_age, reverse=True)


def find_run(home: Path, project: str, reference: str) -> Path:
    """The file of the run that is meant: an id, a unique beginning of one, `last` or `last~N`.

    Sought in the project, then everywhere. Raises `NoSuchRun`.
    """
    folder = runs_folder(home, project)
    back = _LAST.fullmatch(reference)
    if back is not None:
        return _newest(folder, int(back[1] or 0))
    wanted = reference.upper().translate(_LOOKALIKES)
    here = run_files(folder)
    everywhere = [path for other in _projects(home) for path in run_files(other)]
    for files in (here, everywhere):
        found = _matching(files, reference, wanted)
        if len(found) == 1:
            return found[0]
        if found:
            raise _ambiguous(reference, found)
    raise _unknown(reference, everywhere)


def _candidates() -> Iterator[str]:
    length = SHORTEST
    while True:
        for _ in range(TRIES):
            yield "".join(secrets.choice(LETTERS) for _ in range(length))
        # So many ids of this length are taken that trying on would take long.
        length += 1


def _reserve(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True


def _projects(home: Path) -> list[Path]:
    return sorted(folder for folder in (home / "runs").glob("*") if folder.is_dir())


def _age(summary: RunSummary) -> tuple[int, str]:
    return summary.began, summary.id


def _newest(folder: Path, back: int) -> Path:
    runs = list_runs(folder)
    if back >= len(runs):
        what = "There is no run in this project yet." if not runs else None
        raise NoSuchRun(
            what or f"This project has {len(runs)} runs: none is {back} before the last.",
            hints=("see the runs of this project:   actum runs list",),
        )
    return Path(runs[back].path)


def _matching(files: list[Path], reference: str, wanted: str) -> list[Path]:
    exact = [path for path in files if path.stem in (reference, wanted)]
    if exact or not reference:
        return exact
    return [path for path in files if path.stem.startswith((reference, wanted))]


def _ambiguous(reference: str, found: list[Path]) -> NoSuchRun:
    names = ", ".join(path.stem for path in found[:5])
    return NoSuchRun(
        f"{reference} could be any of {len(found)} runs: {names}.",
        hints=("write more of the id",),
    )


def _unknown(reference: str, files: list[Path]) -> NoSuchRun:
    names = [path.stem for path in files]
    near = difflib.get_close_matches(reference.upper(), names, n=3, cutoff=0.5)
    hints = [f"did you mean {' or '.join(near)}?"] if near else []
    hints.append("see the runs of this project:   actum runs list")
    return NoSuchRun(f"There is no run {reference}.", hints=tuple(hints))
