"""Places by the names that users type."""

from collections.abc import Callable

from actum.errors import UserMistake
from actum.places.contract import Place


def _local() -> Place:
    from actum.places.local.place import Local

    return Local()


_PLACES: dict[str, Callable[[], Place]] = {"local": _local}


def place_names() -> tuple[str, ...]:
    """Every name that `open_place` knows."""
    return tuple(sorted(_PLACES))


def open_place(name: str) -> Place:
    """The place of this name; `auto` is the best that this machine has."""
    make = _PLACES.get("local" if name == "auto" else name)
    if make is None:
        names = ", ".join((*place_names(), "auto"))
        raise UserMistake(f"There is no place '{name}'.", hints=(f"choose one of {names}",))
    return make()
