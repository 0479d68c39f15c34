"""`@tool`: what the author of a function says about it."""

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

import msgspec

from actum.errors import BadTool
from actum.records.tools import CallableFrom, Effect

F = TypeVar("F", bound=Callable[..., object])
_MARK = "__actum_tool__"
RESERVED = frozenset({"search", "describe", "parallel", "ToolError", "Denied"})


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
    """
    if callable(effect):
        return _declare(effect, Declaration())
    if effect not in {None, "read", "write", "destructive"}:
        raise BadTool(
            f"there is no effect {effect!r}",
            hints=('choose one of "read", "write", "destructive"',),
        )
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


def tool_name(function: Callable[..., object], declaration: Declaration) -> str:
    """The name under the root. Refuses what no program could write."""
    plain = getattr(function, "__name__", type(function).__name__)
    name = declaration.name or plain
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        raise BadTool(
            f"{name!r} is no name that a program can write",
            hints=('give it one: @tool(name="crm.get")',),
        )
    if parts[0] in RESERVED:
        raise BadTool(
            f"the name {parts[0]!r} belongs to the tools root itself",
            hints=(f'give it another: @tool(name="my.{parts[-1]}")',),
        )
    return name


def _declare(function: F, declaration: Declaration) -> F:
    if not callable(function):
        raise BadTool(f"{function!r} cannot be called, so it cannot be a tool")
    setattr(function, _MARK, declaration)
    tool_name(function, declaration)
    return function
