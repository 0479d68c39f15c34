"""Which folders a run may be shown: named, found, and refused early where they cannot be."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from actum.errors import UserMistake
from actum.lifecycle.folder_trees import Tree, recent_tree
from actum.records.run_events import RunStart
from actum.records.sessions import Mount
from actum.settings.homes import home_path

HERE = "here"
RESERVED = ("out", ".tmp", ".shm")
MOST = 8


def checked_mounts(mounts: Sequence[Mount], folder: Path) -> tuple[Mount, ...]:
    """Each with its name, and its path from the root on. `folder` is what paths are meant from."""
    found: dict[str, Mount] = {}
    for mount in mounts:
        path = Path(folder, Path(mount.path).expanduser())
        name = mount.name or Path(*_plain_parts(path)).name
        problem = _problem_with(name)
        if problem is None and name in found:
            problem = f"{found[name].path} has that name too"
        if problem is not None:
            raise UserMistake(
                f"{mount.path} cannot be mounted as {name!r}",
                why=problem,
                hints=('give it another name, in Python: Mount("path", "name")',),
            )
        found[name] = Mount(_real(mount.path, path), name)
        checked_tree(found[name])
    if len(found) > MOST:
        raise UserMistake(
            f"{len(found)} folders are mounted, and {MOST} is the most",
            hints=("mount the folder that holds them",),
        )
    return tuple(found.values())


def here_mount(folder: Path, environ: Mapping[str, str]) -> tuple[Mount | None, str]:
    """The current folder as `here/`; or None, and why not."""
    real = folder.resolve()
    if real == real.parent:
        return None, "it is the root of this machine"
    if real == Path(environ.get("HOME") or Path.home()).resolve():
        return None, "it is your home folder"
    if home_path(environ).resolve().is_relative_to(real):
        return None, "it holds actum's own data"
    return Mount(str(real), HERE), ""


def with_here(
    start: RunStart, folder: Path, environ: Mapping[str, str], *, can: bool = True
) -> tuple[RunStart, str]:
    """A run with the current folder as `here/`; where it cannot be, the line that says so.

    `can`: whether the place of the run shows folders at all.
    """
    if start.action_format == "json" or any(mount.name == HERE for mount in start.mounts):
        return start, ""
    mount, why_not = here_mount(folder, environ) if can else (None, "the place cannot")
    if mount is not None:
        try:
            checked_tree(mount)
        except (UserMistake, OSError) as problem:
            mount, why_not = None, str(problem)
    if mount is None:
        return start, f"the current folder is not shown to programs: {why_not}"
    return msgspec.structs.replace(start, mounts=(mount, *start.mounts)), ""


def checked_tree(mount: Mount) -> Tree:
    """What is below a folder. Raises where a program could speak through something there."""
    tree = recent_tree(mount.path)
    special = tree.special()
    if special is not None:
        raise UserMistake(
            f"{mount.path} cannot be mounted: {special} is a pipe or a device",
            why="a program could read and write through it",
            hints=("mount a folder without it",),
        )
    return tree


def _plain_parts(path: Path) -> list[str]:
    """The parts with `..` taken by the word: the name is what the user sees, not where a link leads."""
    parts: list[str] = []
    for part in path.absolute().parts:
        if part == "..":
            parts = parts[:-1] or parts
        else:
            parts.append(part)
    return parts


def _problem_with(name: str) -> str | None:
    if not name or name in {".", ".."}:
        return "there is no last part of the path to name it by"
    if name in RESERVED or name.startswith(".actum"):
        return "the working folder has one of that name"
    if "/" in name or not name.isprintable() or len(name.encode()) > 255:
        return "that is no name for a folder"
    return None


def _real(told: str, path: Path) -> str:
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError) as problem:
        why = getattr(problem, "strerror", None) or str(problem)
        raise UserMistake(f"the folder {told} cannot be mounted", why=why) from None
    if not real.is_dir():
        raise UserMistake(
            f"{told} is a file, and only folders are mounted",
            hints=(f"mount its folder:   --mount {path.parent}",),
        )
    if not str(real).isprintable():
        raise UserMistake(f"the path of {told!r} is no plain text")
    return str(real)
