"""Why a call would be decided as it is: what each file says, and what would be so without it."""

from collections.abc import Sequence

import msgspec

from actum.gate.contract import Ruling, Verdict
from actum.gate.policy import Policy, default_ruling, matches, strictest
from actum.records.calls import ToolCall
from actum.records.policies import PolicyRule, RuleSet
from actum.records.tools import ToolSpec


class RuleAt(msgspec.Struct, frozen=True, kw_only=True):
    """A rule by its place."""

    origin: str
    number: int
    decide: Verdict
    why: str = ""
    when: tuple[str, ...] = ()
    """The arguments that it asks about and that are not known."""


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What one file says of a call: the first rule that matches, and those that might before it."""

    origin: str
    rule: RuleAt | None
    possible: tuple[RuleAt, ...] = ()
    """Rules before that one which match where an argument that is not known fits."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The decision, every file's opinion, and the default of the tool's effect."""

    ruling: Ruling
    default: Ruling
    opinions: tuple[Opinion, ...]


def explain(
    rule_sets: Sequence[RuleSet],
    spec: ToolSpec,
    call: ToolCall,
    arguments: dict[str, object],
    *,
    principal: str | None = None,
    whole: bool = True,
) -> Explanation:
    """What the rules say of a call. Not `whole`: some of its arguments are not known."""
    policy = Policy(rule_sets, principal=principal)
    opinions = tuple(
        _opinion(rule_set, spec, call, arguments, principal, whole=whole) for rule_set in rule_sets
    )
    default = default_ruling(spec)
    if whole:
        ruling = policy.rule_on(spec, call, arguments)
    else:
        certain = [_ruling(opinion.rule) for opinion in opinions if opinion.rule is not None]
        ruling = strictest(certain) if certain else default
    return Explanation(ruling=ruling, default=default, opinions=opinions)


def _opinion(
    rule_set: RuleSet,
    spec: ToolSpec,
    call: ToolCall,
    arguments: dict[str, object],
    principal: str | None,
    *,
    whole: bool,
) -> Opinion:
    possible: list[RuleAt] = []
    for number, rule in enumerate(rule_set.rules, 1):
        unknown = () if whole else tuple(name for name in rule.when if name not in arguments)
        known = {name: rule.when[name] for name in rule.when if name not in unknown}
        as_known = msgspec.structs.replace(rule, when=known)
        if not matches(as_known, spec, call, arguments, principal):
            continue
        if not unknown:
            return Opinion(
                origin=rule_set.origin,
                rule=_at(rule_set, number, rule),
                possible=tuple(possible),
            )
        possible.append(_at(rule_set, number, rule, unknown))
    return Opinion(origin=rule_set.origin, rule=None, possible=tuple(possible))


def _at(rule_set: RuleSet, number: int, rule: PolicyRule, when: tuple[str, ...] = ()) -> RuleAt:
    return RuleAt(
        origin=rule_set.origin, number=number, decide=rule.decide, why=rule.why, when=when
    )


def _ruling(rule: RuleAt) -> Ruling:
    return Ruling(decide=rule.decide, rule=f"rule {rule.number} of {rule.origin}", why=rule.why)
