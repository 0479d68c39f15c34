"""An agent runtime in which the model's action is a Python program, and every act is on record."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actum import runs as runs
    from actum.agent.agent import Agent as Agent
    from actum.agent.fields import Policy as Policy
    from actum.agent.run import Run as Run
    from actum.errors import ActumError as ActumError
    from actum.errors import NoOutput as NoOutput
    from actum.models.scripted import scripted as scripted
    from actum.records.sessions import Mount as Mount
    from actum.settings.tree import Budget as Budget
    from actum.tools.declaration import tool as tool
    from actum.tools.python_functions import toolset as toolset
    from actum.tools.secrets import secret as secret

from actum.records import release

__version__ = release.VERSION

# Each public name and the room it comes from; loaded when it is first asked for, so that
# `import actum` stays light. A new name is one line here, one in the block above and in `__all__`.
_ROOMS = {
    "ActumError": "actum.errors",
    "Agent": "actum.agent.agent",
    "Budget": "actum.settings.tree",
    "Mount": "actum.records.sessions",
    "NoOutput": "actum.errors",
    "Policy": "actum.agent.fields",
    "Run": "actum.agent.run",
    "runs": "actum.runs",
    "scripted": "actum.models.scripted",
    "secret": "actum.tools.secrets",
    "tool": "actum.tools.declaration",
    "toolset": "actum.tools.python_functions",
}
__all__ = [
    "ActumError",
    "Agent",
    "Budget",
    "Mount",
    "NoOutput",
    "Policy",
    "Run",
    "runs",
    "scripted",
    "secret",
    "tool",
    "toolset",
]


def __getattr__(name: str) -> object:
    """Load a public name from its room."""
    if name not in _ROOMS:
        _tell_ours(name)
        raise AttributeError(f"module 'actum' has no attribute {name!r}")
    room = importlib.import_module(_ROOMS[name])
    # A name may be a room itself: `from actum import runs`.
    value = getattr(room, name, room)
    globals()[name] = value
    return value


def _tell_ours(name: str) -> None:
    """A name that people know from elsewhere gets ours as its hint."""
    from actum.agent.elsewhere import CLASSES

    if name in CLASSES:
        from actum.errors import UserMistake

        raise UserMistake(
            f"actum has no {name}",
            hints=(f"here it is: {CLASSES[name]}", "from actum import Agent"),
        )


def __dir__() -> list[str]:
    """What `from actum import` offers."""
    return [*__all__, "__version__"]
