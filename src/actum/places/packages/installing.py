"""Putting packages into a folder, with uv or with pip. Wheels only: nothing of them is executed."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from actum.errors import NotSetUp

PIPS_OWN = (
    "PIP_CONFIG_FILE",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_NO_INDEX",
)
"""Whoever says in these where packages come from says it to pip, and to no other."""
_BROKEN = re.compile(r"after connection broken by '\w+\(.*?'?\)?([^:>]+?)'?\)': /")
"""How pip tells of an index that it does not reach, before it says that there is no such package."""
SHARED = ("--only-binary", ":all:", "--quiet")


def install(arguments: Sequence[str], folder: Path, *, with_dependencies: bool = True) -> None:
    """Put these packages and what they need into a folder. Raises `NotSetUp`, with the last word."""
    more = [] if with_dependencies else ["--no-deps"]
    command = [*_installer(), *SHARED, *more, "--target", str(folder), *arguments]
    done = subprocess.run(
        command,
        cwd=folder.parent,  # no project's own settings, and no module of its, are read
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        umask=0o022,
    )
    if done.returncode:
        asked = " ".join(argument for argument in arguments if argument != "-r")
        raise NotSetUp(
            f"the packages could not be installed: {asked}",
            why=_last_word(done.stderr) or f"the installer ended with {done.returncode}",
            hints=(
                "are the names right, and is there a wheel for this Python?",
                "is the package index reachable? It is the one that pip or uv is set up for",
            ),
        )


def _installer() -> list[str]:
    pip = importlib.util.find_spec("pip") is not None
    uv = shutil.which("uv")
    if uv is not None and not (pip and any(os.environ.get(name) for name in PIPS_OWN)):
        return [uv, "pip", "install", "--compile-bytecode", "--python", sys.executable]
    if pip:
        return [sys.executable, "-m", "pip", "install", "--no-user", "--no-warn-script-location"]
    raise NotSetUp(
        "there is nothing to install packages with",
        why="neither uv nor pip is here",
        hints=("install one of them:   python -m ensurepip",),
    )


def _last_word(text: str) -> str:
    """What is wrong, in one line: pip says it last, uv first and then its cause."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    errors = [line for line in lines if line.lower().startswith("error:")] or lines
    said = _after_colon(errors[-1])
    if lines[-1].startswith("cause:"):
        return f"{said}: {_after_colon(lines[-1])}"
    broken = _BROKEN.search(text)
    return said if broken is None else f"{said} (the index did not answer: {broken[1].strip()})"


def _after_colon(line: str) -> str:
    word, _, rest = line.partition(": ")
    return rest if word.lower() in {"error", "cause"} else line
