"""Where package sets are kept: each in a folder of its own, named by what it holds.

A set is built under another name and renamed, so that no half one is ever seen; and under one
lock, so that two command lines that want the same build it once.
"""

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path

import msgspec

from actum.errors import NotSetUp, UserMistake
from actum.places.packages.asked import Asked
from actum.places.packages.contents import Locked, PackageSet, lock_of, modules_of
from actum.places.packages.installing import install

BUILDING = ".building-"
DESCRIPTION, SITE, REQUESTS = "set.json", "site", "requests"


class Shelf:
    """The sets of one user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def known(self, asked: Asked) -> PackageSet | None:
        """The set that this wish was answered with before, if it is still here."""
        try:
            key = self._answer(asked).read_text(encoding="utf-8")
        except OSError:
            return None
        return self.find(key)

    def find(self, key: str) -> PackageSet | None:
        """The set of this key."""
        try:
            described = (self.folder / key / DESCRIPTION).read_bytes()
        except OSError:
            return None
        return msgspec.json.decode(described, type=PackageSet)

    def provide(self, asked: Asked) -> PackageSet:
        """The set for this wish: the one from before, or one that is built now."""
        return self.known(asked) or self.build(asked, anew=False)

    def build(self, asked: Asked, *, anew: bool = True) -> PackageSet:
        """Build it, with the newest packages that fit the wish."""
        with self._alone():
            # Whoever had the lock before us may have built it.
            found = None if anew else self.known(asked)
            if found is None:
                found = self._build(asked, asked.arguments(), with_dependencies=True)
                self._remember(asked, found)
        return found

    def again(self, asked: Asked, key: str, lock: Sequence[Locked]) -> PackageSet:
        """Build a recorded set again. Raises `NotSetUp` where other files come than were recorded."""
        found = self.find(key)
        if found is not None:
            return found
        with self._alone():
            found = self._build(asked, [each.requirement for each in lock], with_dependencies=False)
        changed = sorted(each.requirement for each in set(lock) - set(found.lock))
        if changed:
            raise NotSetUp(
                "the packages that come now are not the recorded ones",
                why=f"the files differ: {', '.join(changed)}",
                hints=("show the record alone:   actum replay RUN --fast",),
            )
        if found.key != key:
            raise NotSetUp(
                "the recorded packages were installed for another interpreter",
                why=f"here it is Python {platform.python_version()} on {sysconfig.get_platform()}",
            )
        return found

    def all(self) -> list[PackageSet]:
        """Every set, by the names of its packages."""
        folders = self.folder.iterdir() if self.folder.is_dir() else ()
        sets = [self.find(folder.name) for folder in folders]
        return sorted((each for each in sets if each is not None), key=lambda each: each.asked)

    def remove(self, beginning: str) -> PackageSet:
        """Remove the one set whose key begins so."""
        with self._alone():
            found = [each for each in self.all() if each.key.startswith(beginning)]
            if len(found) != 1:
                many = f"{len(found)} package sets begin with" if found else "no package set is"
                raise UserMistake(f"{many} {beginning!r}", hints=("see them:   actum env list",))
            shutil.rmtree(self.folder / found[0].key)
        return found[0]

    def _build(
        self, asked: Asked, arguments: Sequence[str], *, with_dependencies: bool
    ) -> PackageSet:
        self._sweep()
        building = Path(tempfile.mkdtemp(prefix=BUILDING, dir=self.folder))
        try:
            site = building / SITE
            site.mkdir()
            install(arguments, site, with_dependencies=with_dependencies)
            lock = lock_of(site)
            built = PackageSet(
                key=_key(lock),
                folder=str(self.folder / _key(lock) / SITE),
                asked=asked.requirements,
                names=modules_of(site, asked.names()),
                python=platform.python_version(),
                lock=lock,
            )
            (building / DESCRIPTION).write_bytes(msgspec.json.encode(built))
            # Sessions may run as another account, and only read.
            for folder in (building, site):
                folder.chmod(0o755)
            return self._keep(building, built)
        finally:
            shutil.rmtree(building, ignore_errors=True)

    def _keep(self, building: Path, built: PackageSet) -> PackageSet:
        there = self.find(built.key)
        if there is None:
            building.rename(self.folder / built.key)
        return there or built

    def _sweep(self) -> None:
        """Remove what builders that were killed left behind; nobody else builds now."""
        for left in self.folder.glob(f"{BUILDING}*"):
            shutil.rmtree(left, ignore_errors=True)

    def _answer(self, asked: Asked) -> Path:
        return self.folder / REQUESTS / asked.digest(*_circumstances())

    def _remember(self, asked: Asked, built: PackageSet) -> None:
        answer = self._answer(asked)
        answer.parent.mkdir(exist_ok=True)
        answer.write_text(built.key, encoding="utf-8")

    @contextlib.contextmanager
    def _alone(self) -> Generator[None]:
        """One builder at a time, over all processes."""
        import fcntl

        try:
            _make_private(self.folder.parent)
            self.folder.mkdir(mode=0o755, exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise NotSetUp(
                "there is no folder that packages can be kept in",
                where=str(self.folder),
                why=error.strerror or str(error),
                hints=("choose another folder:   export ACTUM_HOME=/some/folder",),
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _make_private(folder: Path) -> None:
    """Folders of a user's own, where they are not there yet."""
    if not folder.exists():
        _make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _circumstances() -> tuple[str, ...]:
    """What decides, beside the wish, which wheels fit."""
    return (sys.version, str(sys.implementation.cache_tag), sysconfig.get_platform())


def _key(lock: Sequence[Locked]) -> str:
    facts = msgspec.json.encode([_circumstances(), lock])
    return hashlib.sha256(facts).hexdigest()[:32]
