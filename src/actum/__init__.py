"""An agent runtime in which the model's action is a Python program, and every act is on record."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actum.errors import ActumError as ActumError

__version__ = "0.1.0"

# Each public name and the room it comes from; loaded when it is first asked for, so that
# `import actum` stays light. A new name is one line here, one in the block above and in `__all__`.
_ROOMS = {
    "ActumError": "actum.errors",
}
__all__ = ["ActumError"]


def __getattr__(name: str) -> object:
    """Load a public name from its room."""
    if name not in _ROOMS:
        raise AttributeError(f"module 'actum' has no attribute {name!r}")
    room = importlib.import_module(_ROOMS[name])
    # A name may be a room itself: `from actum import runs`.
    value = getattr(room, name, room)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """What `from actum import` offers."""
    return [*__all__, "__version__"]
