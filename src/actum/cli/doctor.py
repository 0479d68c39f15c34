"""`actum doctor`: what this machine can do, what it lacks, and what to do about it.

It grows by its list of sections: each looks at one thing, and says what it found.
"""

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click
import msgspec

import actum
from actum.cli.frame import Frame
from actum.errors import ActumError, NotSetUp
from actum.records.values import JSON
from actum.settings.homes import actum_home, home_path, project_folder

_KEYS = (
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
)
_LITTLE_DISK_MB = 500


@dataclass(frozen=True)
class Problem:
    """Something that is not as it should be, and the way out. `stops` means: nothing can run."""

    what: str
    why: str
    fix: str
    stops: bool = False


@dataclass(frozen=True)
class Section:
    """What one look found: a line for people, fields for scripts."""

    name: str
    line: str
    fields: dict[str, JSON] = field(default_factory=dict[str, JSON])
    problems: tuple[Problem, ...] = ()


@click.command("doctor")
@click.option(
    "--canary", is_flag=True, help="Use a secret made for it, and look for it everywhere."
)
@click.pass_obj
def command(frame: Frame, *, canary: bool) -> int:
    """See what this machine can do, and what it lacks."""
    sections = [look(frame) for look in SECTIONS]
    if canary:
        sections.append(_canary(frame))
    problems = [problem for section in sections for problem in section.problems]
    if frame.screen.as_json:
        document: dict[str, JSON] = {"place": None, "level": None, "layers": {}}
        for section in sections:
            document |= section.fields
        document["problems"] = [{"what": p.what, "why": p.why, "fix": p.fix} for p in problems]
        frame.screen.document(document)
    else:
        for section in sections:
            frame.screen.data(f"{section.name:<10} {section.line}")
        for problem in problems:
            frame.screen.data(f"\n{'cannot run' if problem.stops else 'note'}: {problem.what}")
            frame.screen.data(f"  why: {problem.why}\n  fix: {problem.fix}")
    return NotSetUp.exit_code if any(problem.stops for problem in problems) else 0


def _python(_frame: Frame) -> Section:
    version = platform.python_version()
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return Section(
        name="python",
        line=f"{version} at {sys.executable}, actum {actum.__version__}, {system}",
        fields={"actum": actum.__version__, "python": version, "system": system},
    )


def _sqlite(_frame: Frame) -> Section:
    version = sqlite3.sqlite_version
    remark = ""
    if sqlite3.sqlite_version_info < (3, 51, 3):
        # Not a problem for us: each run is one file with one writer, held by a lock.
        remark = "; older than 3.51.3: let no other program write to a run while it is open"
    return Section(name="sqlite", line=f"{version}{remark}", fields={"sqlite": version})


def _home(frame: Frame) -> Section:
    path = home_path(frame.environ)
    fields: dict[str, JSON] = {"home": str(path)}
    try:
        home = actum_home(frame.environ)
    except ActumError as error:
        fix = error.hints[0] if error.hints else ""
        problem = Problem(error.message, f"{error.where}: {error.why}", fix, stops=True)
        return Section(name="home", line=f"{path}: not usable", fields=fields, problems=(problem,))
    free = shutil.disk_usage(home).free // 1_000_000
    problems: list[Problem] = []
    if free < _LITTLE_DISK_MB:
        problems.append(Problem("little disk is left", f"{free} MB at {home}", "make some room"))
    if os.name == "posix" and home.stat().st_mode & 0o077:
        why = f"{home} may be read by others on this machine"
        problems.append(Problem("your records are not private", why, f"chmod 700 {home}"))
    return Section(
        name="home",
        line=f"{home}, {free:,} MB free",
        fields={**fields, "disk_free_mb": free},
        problems=tuple(problems),
    )


def _project(frame: Frame) -> Section:
    folder = project_folder(Path(frame.folder))
    try:
        trust = frame.settings().project.trust
    except ActumError as error:
        fix = error.hints[0] if error.hints else "actum config path"
        problem = Problem(error.message, f"{error.where} {error.why}".strip(), fix, stops=True)
        return Section(name="project", line=str(folder), problems=(problem,))
    return Section(
        name="project",
        line=f"{folder}, actum.toml: {trust}",
        fields={"project": str(folder), "trust": trust},
    )


def _keys(frame: Frame) -> Section:
    # Names only: a value never leaves the environment.
    names: list[JSON] = [name for name in _KEYS if frame.environ.get(name)]
    return Section(
        name="keys",
        line=", ".join(str(name) for name in names) or "none",
        fields={"keys": names},
    )


def _place(_frame: Frame) -> Section:
    if sys.platform != "linux":
        problem = Problem("programs cannot be run here", f"{sys.platform} has no wall", "use Linux")
        return Section(name="place", line="none on this system", problems=(problem,))
    # Only Linux has what it imports.
    from actum.places.local.probing import probe

    walls = probe()
    layers = ", ".join(f"{name}: {state}" for name, state in walls.layers.items())
    level = walls.level or "no wall"
    return Section(
        name="place",
        line=f"local: {level} ({layers})",
        fields={
            "place": "local" if walls.level else None,
            "level": walls.level,
            "layers": dict(walls.layers),
        },
        problems=tuple(
            Problem(p["what"], p["why"], p["fix"], stops=walls.level is None)
            for p in walls.problems
        ),
    )


def _canary(frame: Frame) -> Section:
    from actum.cli.canary import send_a_canary

    found = send_a_canary(frame.environ)
    leaks = [sink for sink in found if sink.times]
    size = sum(sink.bytes for sink in found)
    told = ", ".join(f"{sink.sink}: {sink.times}" for sink in leaks) or "found nowhere"
    sinks: JSON = msgspec.to_builtins(found)
    return Section(
        name="canary",
        line=f"{told}; looked through {size:,} bytes of {len(found)} kinds",
        fields={"canary": {"clean": not leaks, "sinks": sinks}},
        problems=tuple(
            Problem("a secret leaks", f"it stands in: {sink.sink}", "report it", stops=True)
            for sink in leaks
        ),
    )


SECTIONS: tuple[Callable[[Frame], Section], ...] = (
    _python,
    _sqlite,
    _home,
    _project,
    _place,
    _keys,
)
