"""`@tool`: what the author of a function says about it."""

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

import msgspec

from actum.errors import BadTool
from actum.records.tools import CallableFrom, Effect

F = TypeVar("F", bound=Callable[..., object])
_MARK = "__actum_tool__"


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """What `@tool(...)` was given."""

    effect: Effect | None = None
    name: str | None = None
    idempotent: bool = False
    callable_from: CallableFrom = "both"
    cache: bool = False
    timeout: float | None = None
    retries: int = 0
    cost: float | None = None
    secrets: tuple[str, ...] = ()


@overload
def tool(effect: F, /) -> F: ...
@overload
def tool(
    effect: Effect | None = None,
    *,
    name: str | None = None,
    idempotent: bool = False,
    callable_from: CallableFrom = "both",
    cache: bool = False,
    timeout: float | None = None,
    retries: int = 0,
    cost: float | None = None,
    secrets: Sequence[str] = (),
) -> Callable[[F], F]: ...
def tool(
    effect: F | Effect | None = None,
    *,
    name: str | None = None,
    idempotent: bool = False,
    callable_from: CallableFrom = "both",
    cache: bool = False,
    timeout: float | None = None,
    retries: int = 0,
    cost: float | None = None,
    secrets: Sequence[str] = (),
) -> F | Callable[[F], F]:
    """Make a function a tool, and say what calling it does to the world.

    `effect` is `read`, `write` or `destructive`; without it a call counts as a write.
    `retries` hold for reads and idempotent tools; nothing else is ever called twice.
    """
    if callable(effect):
        return _declare(effect, Declaration())
    if effect not in {None, "read", "write", "destructive"}:
        raise BadTool(
            f"there is no effect {effect!r}",
            hints=('choose one of "read", "write", "destructive"',),
        )
    if retries < 0 or (timeout is not None and timeout <= 0):
        raise BadTool("a tool's retries are at least 0, and its time limit is more than 0")
    declaration = Declaration(
        effect=effect,
        name=name,
        idempotent=idempotent,
        callable_from=callable_from,
        cache=cache,
        timeout=timeout,
        retries=retries,
        cost=cost,
        secrets=tuple(secrets),
    )

    def declare(function: F) -> F:
        return _declare(function, declaration)

    return declare


def declaration_of(function: object) -> Declaration | None:
    """What was said about this function, where anything was."""
    # A bound method finds the mark on its function.
    found = getattr(function, _MARK, None)
    return found if isinstance(found, Declaration) else None


def _declare(function: F, declaration: Declaration) -> F:
    if isinstance(function, type):
        raise BadTool(
            f"{function.__name__} is a class, and a class is no tool",
            hints=(f'give an object of it: toolset("alias", {function.__name__}())',),
        )
    if not callable(function):
        raise BadTool(f"{function!r} cannot be called, so it cannot be a tool")
    try:
        setattr(function, _MARK, declaration)
    except AttributeError:
        raise BadTool(
            f"{function!r} cannot be marked",
            hints=("wrap it in a function of your own, and mark that",),
        ) from None
    return function
