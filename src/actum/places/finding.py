"""Places by the names that users type."""

import importlib.util
import sys
from collections.abc import Callable

from actum.errors import NoWall, UserMistake
from actum.places.contract import Place
from actum.places.packages.wishes import Wish

Preload = tuple[str, ...] | None


def _local(preload: Preload, packages: Wish | None) -> Place:
    from actum.places.local.place import Local

    return Local(preload=preload, packages=packages)


def _monty(_preload: Preload, packages: Wish | None) -> Place:
    if not _has_monty():
        raise NoWall("Monty is not installed.", hints=("install it:   pip install 'actum[monty]'",))
    from actum.places.monty.place import Monty

    return Monty(packages)


def _has_monty() -> bool:
    return importlib.util.find_spec("pydantic_monty") is not None


def _best(preload: Preload, packages: Wish | None) -> Place:
    """Monty stands in where no wall can be raised, and where it can do what is asked for."""
    if packages is not None or not _has_monty():
        return _local(preload, packages)
    if sys.platform != "linux":
        return _monty(preload, packages)
    from actum.places.best import Best

    return Best(_local(preload, packages), lambda: _monty(preload, packages))


_PLACES: dict[str, Callable[[Preload, Wish | None], Place]] = {"local": _local, "monty": _monty}


def place_names() -> tuple[str, ...]:
    """Every name that `open_place` knows."""
    return tuple(sorted(_PLACES))


def open_place(name: str, *, preload: Preload = None, packages: Wish | None = None) -> Place:
    """The place of this name; `auto` is the best that this machine has.

    `preload` names the libraries that sessions find loaded; None is what programs usually want.
    `packages` is what they may import beside what is installed.
    """
    make = _best if name == "auto" else _PLACES.get(name)
    if make is None:
        names = ", ".join((*place_names(), "auto"))
        raise UserMistake(f"There is no place '{name}'.", hints=(f"choose one of {names}",))
    return make(preload, packages)
