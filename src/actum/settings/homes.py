"""Which folders actum uses: the user's data and settings, and the project of a folder."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from actum.errors import NotSetUp

FILE_NAME = "actum.toml"


def home_path(environ: Mapping[str, str]) -> Path:
    """Where actum keeps its own data. Touches nothing."""
    chosen = environ.get("ACTUM_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    return _xdg(environ, "XDG_DATA_HOME", ".local/share") / "actum"


def actum_home(environ: Mapping[str, str]) -> Path:
    """Where actum keeps its own data; made, for its user alone, where it is not there."""
    home = home_path(environ)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _no_home(home, error.strerror or str(error)) from error
    if not os.access(home, os.W_OK | os.X_OK):
        raise _no_home(home, "it is not writable")
    return home


def user_file(environ: Mapping[str, str]) -> Path:
    """The user's own `actum.toml`, whether it is there or not."""
    return _xdg(environ, "XDG_CONFIG_HOME", ".config") / "actum" / FILE_NAME


def project_folder(folder: Path) -> Path:
    """The nearest folder upwards with `actum.toml` or `.git`, else the folder itself."""
    here = folder.absolute()
    for candidate in (here, *here.parents):
        if (candidate / FILE_NAME).is_file() or (candidate / ".git").exists():
            return candidate
    return here


def project_key(folder: Path) -> str:
    """The name under which a project's data is kept: its own name, and 8 digits of its place."""
    real = folder.resolve()
    digits = hashlib.sha256(os.fsencode(real)).hexdigest()[:8]
    return f"{real.name or 'root'}-{digits}"


def runs_folder(environ: Mapping[str, str], folder: Path) -> Path:
    """Where the runs of this folder's project are kept; made where it is not there."""
    runs = actum_home(environ) / "runs" / project_key(project_folder(folder))
    try:
        for part in (runs.parent, runs):
            part.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _no_home(runs, error.strerror or str(error)) from error
    return runs


def environments_folder(environ: Mapping[str, str]) -> Path:
    """Where package sets are kept. They can all be built again, so it is a cache."""
    if environ.get("ACTUM_HOME"):
        return home_path(environ) / "environments"
    return _xdg(environ, "XDG_CACHE_HOME", ".cache") / "actum" / "environments"


def _xdg(environ: Mapping[str, str], variable: str, otherwise: str) -> Path:
    chosen = environ.get(variable, "")
    # The specification says that a relative path here counts as none.
    if chosen and Path(chosen).is_absolute():
        return Path(chosen)
    # A variable `HOME` that is missing is no reason to stop: the system knows it too.
    return Path(environ.get("HOME") or Path.home()) / otherwise


def _no_home(folder: Path, why: str) -> NotSetUp:
    return NotSetUp(
        "there is no folder that actum can keep its data in",
        where=str(folder),
        why=why,
        hints=("choose another folder:   export ACTUM_HOME=/some/folder",),
    )
