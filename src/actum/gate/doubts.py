"""What is odd about rules that can be read: one that never matches, one that says nothing."""

import fnmatch
from collections.abc import Iterator, Sequence

import msgspec

from actum.gate.matchers import holds
from actum.records.policies import Condition, PolicyRule, RuleSet
from actum.records.tools import ToolSpec

_FIELDS = ("tool", "effect", "source", "caller", "principal")
_WILD = set("*?[")


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """One rule, and what is odd about it."""

    origin: str
    rule: int
    what: str


def rule_doubts(rule_sets: Sequence[RuleSet], specs: Sequence[ToolSpec] = ()) -> list[Doubt]:
    """Everything odd in these files. Tools that are known are compared with too."""
    return [
        Doubt(origin=rule_set.origin, rule=number, what=what)
        for rule_set in rule_sets
        for number, rule in enumerate(rule_set.rules, 1)
        for what in (
            *_covered(rule, rule_set.rules[: number - 1]),
            *_contradictions(rule),
            *_beside_the_tools(rule, specs),
        )
    ]


def _covered(rule: PolicyRule, earlier: Sequence[PolicyRule]) -> Iterator[str]:
    for number, other in enumerate(earlier, 1):
        if _covers(other, rule):
            yield f"it can never match: rule {number} matches everything that it would"
            return


def _covers(other: PolicyRule, rule: PolicyRule) -> bool:
    """Whether whatever this rule matches is matched by the other one before it."""
    return (
        all(_wider(getattr(other, name), getattr(rule, name)) for name in _FIELDS)
        and other.when.items() <= rule.when.items()
    )


def _wider(pattern: str | None, value: str | None) -> bool:
    if pattern is None or pattern == value:
        return True
    if value is None:
        return pattern == "*"
    # A pattern within a pattern: `crm.*` covers `crm.get` and `crm.get_*`.
    is_prefix = pattern.endswith("*") and _WILD.isdisjoint(pattern[:-1])
    if not _WILD.isdisjoint(value):
        return is_prefix and _literal_start(value).startswith(pattern[:-1])
    return fnmatch.fnmatchcase(value, pattern)


def _literal_start(pattern: str) -> str:
    ends = [at for at, character in enumerate(pattern) if character in _WILD]
    return pattern[: ends[0]] if ends else pattern


def _contradictions(rule: PolicyRule) -> Iterator[str]:
    for name, condition in rule.when.items():
        if condition == Condition():
            yield f"the condition on {name} is empty, and so always holds"
            continue
        impossible = _impossible(condition)
        if impossible:
            yield f"it can never match: {name} {impossible}"


def _impossible(condition: Condition) -> str | None:
    tests = [name for name in condition.__struct_fields__ if _is_given(condition, name)]
    if condition.absent and len(tests) > 1:
        return f"cannot be absent and have {tests[0]}"
    if condition.one_of is not None and not condition.one_of:
        return "is one of nothing"
    low, high = condition.min, condition.max
    if low is not None and high is not None and low > high:
        return f"cannot be at least {low:g} and at most {high:g}"
    values = () if condition.one_of is None else condition.one_of
    if condition.equals is not msgspec.UNSET:
        values = (condition.equals,)
    if values and not any(holds(condition, value) for value in values):
        return "cannot have its values and meet the other conditions"
    if not values and _asks_text(condition) and (low is not None or high is not None):
        return "cannot be text and a number"
    return None


def _is_given(condition: Condition, name: str) -> bool:
    value = getattr(condition, name)
    return value is not None and value is not msgspec.UNSET


def _asks_text(condition: Condition) -> bool:
    return any(_is_given(condition, name) for name in ("starts_with", "ends_with", "glob"))


def _beside_the_tools(rule: PolicyRule, specs: Sequence[ToolSpec]) -> Iterator[str]:
    if not specs:
        return
    named = [s for s in specs if rule.tool is None or fnmatch.fnmatchcase(s.name, rule.tool)]
    if not named:
        yield f"no tool that is known here is called {rule.tool}"
        return
    meant = [spec for spec in named if rule.effect in {None, spec.effect}]
    if not meant:
        effects = ", ".join(sorted({spec.effect for spec in named}))
        yield f"its effect is {rule.effect}, and what it names is: {effects}"
        return
    for name in rule.when:
        if not any(_takes(spec, name) for spec in meant):
            yield f"none of the tools that it names takes an argument {name}"


def _takes(spec: ToolSpec, name: str) -> bool:
    return any(p.name == name or p.kind == "more_keywords" for p in spec.parameters)
