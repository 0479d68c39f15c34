"""What a folder of installed packages holds, as the packages' own lists say it."""

import csv
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

WRITTEN_BY_INSTALLERS = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json", "uv_cache.json"}
_SEPARATORS = re.compile(r"[-_.]+")


class Locked(msgspec.Struct, frozen=True, order=True):
    """One installed package: what to ask an installer for, and a hash over its files."""

    requirement: str
    contents: str


class PackageSet(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of packages that is never changed."""

    key: str
    """A hash over the interpreter, the platform and the lock."""
    folder: str
    """What goes on a program's path."""
    asked: tuple[str, ...]
    names: tuple[str, ...]
    """Modules of the packages that were asked for by name."""
    python: str
    lock: tuple[Locked, ...]


def lock_of(folder: Path) -> tuple[Locked, ...]:
    """Every package in a folder."""
    found = folder.glob("*.dist-info")
    return tuple(sorted(Locked(_requirement(info), _contents(info)) for info in found))


def modules_of(folder: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """What can be imported of these packages."""
    wanted = {_normal(name) for name in names}
    modules: dict[str, None] = {}
    for info in sorted(folder.glob("*.dist-info")):
        if _normal(info.name.split("-")[0]) in wanted:
            modules |= dict.fromkeys(_modules(info))
    return tuple(modules)


def _modules(info: Path) -> Iterator[str]:
    for path, _ in _files(info):
        first, *rest = path.split("/")
        if first.isidentifier() and rest == ["__init__.py"]:
            yield first
        elif not rest and first.endswith(".py"):
            yield first.removesuffix(".py")


def _requirement(info: Path) -> str:
    name, _, version = info.name.removesuffix(".dist-info").partition("-")
    direct = info / "direct_url.json"
    if direct.is_file():
        return f"{_normal(name)} @ {json.loads(direct.read_bytes())['url']}"
    return f"{_normal(name)}=={version}"


def _contents(info: Path) -> str:
    """Whoever installed it and wherever, the same package has the same hash."""
    return hashlib.sha256(json.dumps(sorted(_files(info))).encode()).hexdigest()


def _files(info: Path) -> Iterator[tuple[str, str]]:
    with (info / "RECORD").open(encoding="utf-8", newline="") as lines:
        for row in csv.reader(lines):
            path, digest = row[0], row[1]
            own = path.startswith(f"{info.name}/") and path.split("/")[1] in WRITTEN_BY_INSTALLERS
            # Scripts name the interpreter they were installed for.
            if digest and not own and not path.startswith(("bin/", "../")):
                yield path, digest


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()
