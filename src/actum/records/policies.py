"""A rule of a policy, as files and Python write it."""

from typing import Annotated, Literal

import msgspec

from actum.records.calls import Caller
from actum.records.tools import Effect
from actum.records.values import JSON

Decide = Literal["allow", "deny", "ask"]


class Condition(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """What one argument must be. Everything that is given must hold."""

    equals: JSON | msgspec.UnsetType = msgspec.UNSET
    one_of: tuple[JSON, ...] | None = None
    starts_with: str | None = None
    ends_with: str | None = None
    glob: str | None = None
    min: float | None = None
    max: float | None = None
    max_length: Annotated[int, msgspec.Meta(ge=0)] | None = None
    absent: bool | None = None


class PolicyRule(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One `[[policy]]`: what it matches, and what then happens. What is not given matches all."""

    decide: Decide
    tool: str | None = None
    """A name or a glob: `crm.get`, `github.delete_*`."""
    effect: Effect | None = None
    source: str | None = None
    caller: Caller | None = None
    principal: str | None = None
    when: dict[str, Condition] = {}
    why: str = ""


class RuleSet(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one file, in order; the first match is that file's opinion."""

    origin: str
    """How messages name it: `actum.toml`."""
    rules: tuple[PolicyRule, ...]
