"""How a place comes to its packages: not before it needs them, and off the event loop."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from actum.errors import NotSetUp
from actum.places.packages.asked import Asked
from actum.places.packages.contents import Locked, PackageSet
from actum.places.packages.shelf import Shelf
from actum.records.values import JSON


class Wish(Protocol):
    """Answers with a set; may take minutes the first time. Raises `NotSetUp`."""

    def __call__(self) -> PackageSet:
        """The set."""
        ...


class Asking:
    """Packages that somebody asked for."""

    def __init__(self, shelf: Shelf, asked: Asked) -> None:
        self._shelf = shelf
        self._asked = asked

    def __call__(self) -> PackageSet:
        """The set for this wish, built if need be."""
        return self._shelf.provide(self._asked)


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says of the packages of its run."""

    key: str
    asked: tuple[str, ...]
    lock: tuple[Locked, ...]


class Recalling:
    """The very packages of a record."""

    def __init__(self, shelf: Shelf, recorded: Recorded, *, rebuild: bool) -> None:
        self._shelf = shelf
        self._recorded = recorded
        self._rebuild = rebuild

    def __call__(self) -> PackageSet:
        """The recorded set, built again only where that was asked for."""
        recorded = self._recorded
        if self._rebuild:
            return self._shelf.again(
                Asked(requirements=recorded.asked), recorded.key, recorded.lock
            )
        found = self._shelf.find(recorded.key)
        if found is None:
            raise missing(recorded)
        return found


def record_of(packages: PackageSet) -> dict[str, JSON]:
    """What goes into the record."""
    recorded = Recorded(key=packages.key, asked=packages.asked, lock=packages.lock)
    plain: dict[str, JSON] = msgspec.to_builtins(recorded)
    return plain


def recorded_in(details: dict[str, JSON]) -> Recorded | None:
    """What a record's environment says of packages; None where there are none of its own."""
    said = details.get("package_set")
    return msgspec.convert(said, Recorded) if said is not None else None


def missing(recorded: Recorded) -> NotSetUp:
    """The set is not here, or no more."""
    return NotSetUp(
        f"the packages of this run are not on this machine: {shown(recorded.asked)}",
        why=f"there is no package set {recorded.key}",
        hints=("build them again as recorded:   actum replay RUN --rebuild-env",),
    )


def shown(asked: Sequence[str]) -> str:
    """Requirements in one line."""
    return ", ".join(asked)
