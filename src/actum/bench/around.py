"""Where a figure comes from: without that it says nothing."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import TypedDict

import actum

NAMED = ("msgspec", "numpy", "pandas", "pydantic-monty")


class Around(TypedDict):
    """The part of a report that does not depend on what is measured."""

    commit: str | None
    versions: dict[str, str | None]
    machine: dict[str, str | int]


def around_us(named: tuple[str, ...] = NAMED) -> Around:
    """Versions, machine, and the state of the sources where they can be had."""
    installed = {name: version_of(name) for name in named}
    python = platform.python_version()
    return Around(
        commit=commit_here(),
        versions={"actum": actum.__version__, "python": python, **installed},
        machine={
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            "cores": len(os.sched_getaffinity(0)),
        },
    )


def load_now() -> list[float]:
    """How busy the machine is: over one, five and fifteen minutes."""
    return [round(value, 2) for value in os.getloadavg()]


def commit_here() -> str | None:
    """The commit of a checkout; None where actum is installed."""
    git = shutil.which("git")
    folder = Path(actum.__file__).parents[2]
    if git is None or not (folder / ".git").exists():
        return None
    told = subprocess.run(
        [git, "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12"],
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip() or None


def version_of(distribution: str) -> str | None:
    """What is installed of it; None where it is not."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
