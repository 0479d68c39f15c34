"""`actum env`: the package sets that programs can have beside the default environment."""

from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from actum.assemble import Workshop
from actum.cli.frame import Frame
from actum.errors import UserMistake
from actum.places.packages.asked import read, split
from actum.places.packages.contents import PackageSet
from actum.places.packages.shelf import Shelf
from actum.places.packages.wishes import shown
from actum.records.values import JSON

KEY_SHOWN = 8
MEGABYTE = 1 << 20


@click.group("env")
def command() -> None:
    """List, build and remove the packages that programs can have."""


@command.command("list")
@click.pass_obj
def list_sets(frame: Frame) -> None:
    """List every package set: its key, what was asked for, how large it is."""
    shelf = _shelf(frame)
    sets = shelf.all()
    if frame.screen.as_json:
        frame.screen.document([_document(each) for each in sets])
        return
    for each in sets:
        built = datetime.fromtimestamp(_built(each), UTC).strftime("%Y-%m-%d")
        frame.screen.data(
            f"{each.key[:KEY_SHOWN]}  {shown(each.asked)}   {len(each.lock)} packages,"
            f" {_size(each) / MEGABYTE:,.1f} MB, Python {each.python}, {built}"
        )
    if not sets:
        frame.screen.narrate("no package set is built yet:   actum env build NAME")


@command.command("build")
@click.argument("packages", nargs=-1, metavar="[PACKAGE]...")
@click.pass_obj
def build(frame: Frame, *, packages: tuple[str, ...]) -> None:
    """Install packages with the newest that fit, for `--packages`. Without names: the settings'."""
    names = [name for text in packages for name in split(text)]
    workshop = Workshop(frame.settings(), frame.environ)
    asked = read(names, frame.folder) if names else workshop.packages()
    if not asked.requirements:
        raise UserMistake(
            "there is nothing to build",
            why="no package is named here, or in the settings",
            hints=("name some:   actum env build polars",),
        )
    built = workshop.shelf.build(asked)
    if frame.screen.as_json:
        frame.screen.document(_document(built))
        return
    for each in built.lock:
        frame.screen.data(each.requirement)
    frame.screen.narrate(
        f"package set {built.key[:KEY_SHOWN]} is there:   actum exec FILE"
        f" --packages '{','.join(built.asked)}'"
    )


@command.command("rm")
@click.argument("key")
@click.pass_obj
def remove(frame: Frame, *, key: str) -> None:
    """Remove a package set by the beginning of its key. Runs that had it need it to be replayed."""
    removed = _shelf(frame).remove(key)
    if frame.screen.as_json:
        frame.screen.document({"removed": removed.key})
    else:
        frame.screen.narrate(f"removed {removed.key[:KEY_SHOWN]}: {shown(removed.asked)}")


def _shelf(frame: Frame) -> Shelf:
    return Workshop(frame.settings(), frame.environ).shelf


def _document(each: PackageSet) -> dict[str, JSON]:
    lock: JSON = msgspec.to_builtins(each.lock)
    return {
        "key": each.key,
        "asked": list(each.asked),
        "lock": lock,
        "python": each.python,
        "built": _built(each),
        "bytes": _size(each),
        "folder": each.folder,
    }


def _built(each: PackageSet) -> float:
    return Path(each.folder).stat().st_mtime


def _size(each: PackageSet) -> int:
    return sum(path.lstat().st_size for path in Path(each.folder).rglob("*"))
