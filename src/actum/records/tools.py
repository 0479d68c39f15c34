"""What a tool is, as data: enough to show it, check a call and decide on it."""

from typing import Literal

import msgspec

from actum.records.values import JSON

Effect = Literal["read", "write", "destructive"]
CallableFrom = Literal["direct", "code", "both"]


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter, as text for people and as a schema for machines."""

    name: str
    annotation: str = ""
    default: str | None = None
    """The default as source text; None where the parameter must be given."""
    kind: Literal["positional", "either", "keyword", "more", "more_keywords"] = "either"
    description: str = ""


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One tool. `name` is its full name under the root: `crm.get`, `orders`."""

    name: str
    effect: Effect
    original: str = ""
    """The name that its source has for it, where no program could write that."""
    declared: bool = True
    """False where nobody said what the effect is, and `write` was assumed."""
    idempotent: bool = False
    callable_from: CallableFrom = "both"
    source: str = ""
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    input_schema: dict[str, JSON] = {}
    output_schema: dict[str, JSON] | None = None
    secrets: tuple[str, ...] = ()
    cost: float | None = None
    timeout: float | None = None
    retries: int = 0
    cache: bool = False
    scope: str = ""
    """What `rest` allows of this tool, where that is less than all of it: `POST api.example.com:443`."""

    @property
    def signature(self) -> str:
        """`crm.get(i: int, full: bool = False) -> dict`."""
        arrow = f" -> {self.returns}" if self.returns else ""
        return f"{self.name}({parameters_text(self.parameters)}){arrow}"


def parameters_text(parameters: tuple[Parameter, ...]) -> str:
    """What stands between the brackets of a signature."""
    parts: list[str] = []
    starred = False
    for index, parameter in enumerate(parameters):
        if parameter.kind == "keyword" and not starred:
            parts.append("*")
            starred = True
        star = {"more": "*", "more_keywords": "**"}.get(parameter.kind, "")
        starred = starred or parameter.kind == "more"
        text = f"{star}{parameter.name}"
        if parameter.annotation:
            text += f": {parameter.annotation}"
        if parameter.default is not None:
            text += f" = {parameter.default}" if parameter.annotation else f"={parameter.default}"
        parts.append(text)
        following = parameters[index + 1 : index + 2]
        if parameter.kind == "positional" and all(p.kind != "positional" for p in following):
            parts.append("/")
    return ", ".join(parts)
