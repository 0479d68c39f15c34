"""Second guard: what the rules say of a call.

Each file's rules are read apart, first match wins; a file with no matching rule has no opinion;
of several opinions the stricter one holds. With no opinion the defaults decide.
"""

import fnmatch
from collections.abc import Sequence

import msgspec

from actum.gate.contract import Passage, Proceed, Ruling, Verdict
from actum.gate.matchers import holds
from actum.records.calls import CallResult, ToolCall, ToolRefusal
from actum.records.policies import PolicyRule, RuleSet
from actum.records.tools import Effect, ToolSpec

DEFAULTS: dict[Effect, Verdict] = {"read": "allow", "write": "ask", "destructive": "ask"}
_STRICTNESS: dict[Verdict, int] = {"allow": 0, "ask": 1, "deny": 2}


class Policy:
    """The rules of a run. A resumed run has two generations: as recorded, and as of today."""

    def __init__(self, *generations: Sequence[RuleSet], principal: str | None = None) -> None:
        self._generations = generations or ((),)
        self._principal = principal

    def rule_on(self, spec: ToolSpec, call: ToolCall, arguments: dict[str, object]) -> Ruling:
        """The strictest opinion of all files, or the default of the tool's effect."""
        return strictest(
            [self._of(rule_sets, spec, call, arguments) for rule_sets in self._generations]
        )

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Refuse what is denied; hand on the rest with its ruling."""
        ruling = self.rule_on(passage.tool, passage.call, passage.arguments)
        if ruling.decide == "deny":
            return refusal(passage, ruling)
        return await proceed(msgspec.structs.replace(passage, ruling=ruling))

    def _of(
        self,
        rule_sets: Sequence[RuleSet],
        spec: ToolSpec,
        call: ToolCall,
        arguments: dict[str, object],
    ) -> Ruling:
        opinions = [
            ruling
            for rule_set in rule_sets
            if (ruling := self._opinion(rule_set, spec, call, arguments)) is not None
        ]
        return strictest(opinions) if opinions else default_ruling(spec)

    def _opinion(
        self, rule_set: RuleSet, spec: ToolSpec, call: ToolCall, arguments: dict[str, object]
    ) -> Ruling | None:
        for number, rule in enumerate(rule_set.rules, 1):
            if matches(rule, spec, call, arguments, self._principal):
                name = f"rule {number} of {rule_set.origin}"
                return Ruling(decide=rule.decide, rule=name, why=rule.why)
        return None


def matches(
    rule: PolicyRule,
    spec: ToolSpec,
    call: ToolCall,
    arguments: dict[str, object],
    principal: str | None,
) -> bool:
    """Whether everything that the rule gives is so of this call."""
    return (
        (rule.tool is None or fnmatch.fnmatchcase(spec.name, rule.tool))
        and rule.effect in {None, spec.effect}
        and (rule.source is None or fnmatch.fnmatchcase(spec.source, rule.source))
        and rule.caller in {None, call.caller}
        and rule.principal in {None, principal}
        and all(holds(condition, arguments.get(name)) for name, condition in rule.when.items())
    )


def default_ruling(spec: ToolSpec) -> Ruling:
    """What holds where no rule speaks."""
    return Ruling(decide=DEFAULTS[spec.effect], rule=f"default: {spec.effect}")


def strictest(rulings: Sequence[Ruling]) -> Ruling:
    """Deny before ask before allow."""
    return max(rulings, key=lambda ruling: _STRICTNESS[ruling.decide])


def refusal(passage: Passage, ruling: Ruling) -> ToolRefusal:
    """What a denied call is told: the rule, its reason, and where to look."""
    why = f": {ruling.why}" if ruling.why else ""
    return ToolRefusal(
        message=f"{passage.call.tool} was denied by {ruling.rule}{why}",
        rule=ruling.rule,
        hint="do it another way, or finish and say what could not be done",
    )
