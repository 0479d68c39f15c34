"""One parameter of a function: its type, its default, and what is told of it."""

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from actum.errors import BadTool
from actum.records.tools import Parameter
from actum.tools import pydantic_types
from actum.tools.hints import convert
from actum.tools.results import as_data
from actum.tools.type_texts import type_text

Kind = Literal["positional", "either", "keyword", "more", "more_keywords"]
_KINDS: dict[str, Kind] = {
    "POSITIONAL_ONLY": "positional",
    "POSITIONAL_OR_KEYWORD": "either",
    "KEYWORD_ONLY": "keyword",
    "VAR_POSITIONAL": "more",
    "VAR_KEYWORD": "more_keywords",
}


class TakenParameter:
    """One parameter, as the function has it."""

    def __init__(self, parameter: inspect.Parameter, hint: object) -> None:
        self.name = parameter.name
        self.kind: Kind = _KINDS[parameter.kind.name]
        self._default: Any = parameter.default
        self._hint: Any = typing.Any if hint is None else hint
        if pydantic_types.is_field(self._default):
            # `x: int = Field(5, gt=0)`: its rules belong to the type.
            self._hint = typing.Annotated[self._hint, self._default]
        self.required = self._is_required()
        self.has_default_to_show = not self.required and self._default_is_data()
        self.shown = Parameter(
            name=self.name,
            annotation="" if hint is None else type_text(hint),
            default=None if self.required or self.is_rest else self._default_text(),
            kind=self.kind,
            description=described(self._hint),
        )

    @property
    def more(self) -> bool:
        """`*names`."""
        return self.kind == "more"

    @property
    def more_keywords(self) -> bool:
        """`**names`."""
        return self.kind == "more_keywords"

    @property
    def is_rest(self) -> bool:
        """It takes what no other parameter takes."""
        return self.more or self.more_keywords

    @property
    def takes_position(self) -> bool:
        """It can be given by position."""
        return self.kind in {"positional", "either"}

    @property
    def wanted(self) -> object:
        """The type of what is kept under its name."""
        return list[self._hint] if self.more else self._hint

    def convert(self, value: object, name: str) -> object:
        """The value as the function wants it. Raises `DoesNotFit`."""
        # What `**names` takes is kept under names of its own, each of the one type.
        return convert(value, self.wanted if name == self.name else self._hint)

    def default(self) -> object:
        """What it is where it is not given."""
        if pydantic_types.is_field(self._default):
            return self._default.get_default(call_default_factory=True)
        return self._default

    def _is_required(self) -> bool:
        if pydantic_types.is_field(self._default):
            return bool(self._default.is_required())
        return self._default is inspect.Parameter.empty and not self.is_rest

    def _default_is_data(self) -> bool:
        """Whether the default can stand in a record; else the function itself puts it in."""
        if self.is_rest:
            return False
        try:
            as_data(self.default())
        except (TypeError, ValueError):
            return False
        return True

    def _default_text(self) -> str:
        default = self.default()
        plain = default is None or type(default) in {bool, int, float, str}
        return repr(default) if plain or default in ((), [], {}) else "..."


def taken_parameters(
    name: str, function: Callable[..., object], hints: dict[str, object]
) -> dict[str, TakenParameter]:
    """The parameters by name, in order."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError) as error:
        raise BadTool(
            f"{name}: its parameters cannot be read: {error}",
            hints=("wrap it in a function of your own, with hints",),
        ) from error
    return {key: TakenParameter(p, hints.get(key)) for key, p in parameters.items()}


def hints_of(name: str, function: Callable[..., object]) -> dict[str, object]:
    """The hints by name, read; `return` among them."""
    target: Callable[..., object] = function
    while isinstance(target, functools.partial):
        target = target.func
    if not inspect.isroutine(target):
        target = type(target).__call__
    try:
        return typing.get_type_hints(target, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise BadTool(
            f"{name}: its type hints cannot be read: {error}",
            hints=("import the names that its hints use where the function is defined",),
        ) from error


def described(hint: object) -> str:
    """The words in `Annotated[int, "how many"]`, `Meta(description=...)` or `Field(description=...)`."""
    if typing.get_origin(hint) is not typing.Annotated:
        return ""
    for extra in typing.get_args(hint)[1:]:
        if isinstance(extra, str):
            return extra
        if isinstance(extra, msgspec.Meta) or pydantic_types.is_field(extra):
            told = getattr(extra, "description", None)
            if isinstance(told, str) and told:
                return told
    return ""
