"""What of a module or an object is a tool."""

import inspect
from collections.abc import Callable
from types import ModuleType

from actum.tools.declaration import declaration_of

Function = Callable[..., object]


def functions_of(thing: object) -> dict[str, Function]:
    """The functions marked with `@tool`; where none is, all that are public."""
    if isinstance(thing, ModuleType):
        own = {k: v for k, v in vars(thing).items() if callable(v) and not isinstance(v, type)}
        marked = {k: v for k, v in own.items() if declaration_of(v) is not None}
        return marked or {
            name: value
            for name, value in own.items()
            if not name.startswith("_") and getattr(value, "__module__", None) == thing.__name__
        }
    return marked_methods(thing) or {
        name: getattr(thing, name)
        for name in dir(type(thing))
        if not name.startswith("_") and inspect.isfunction(_static(thing, name))
    }


def marked_methods(thing: object) -> dict[str, Function]:
    """The methods of an object that are marked as tools."""
    found: dict[str, Function] = {}
    for name in dir(type(thing)):
        # Looked up in the class first, so that no property runs.
        if not name.startswith("__") and declaration_of(_static(thing, name)) is not None:
            found[name] = getattr(thing, name)
    return found


def _static(thing: object, name: str) -> object:
    found = inspect.getattr_static(thing, name)
    # A static method or a class method holds its function.
    return getattr(found, "__func__", found)
