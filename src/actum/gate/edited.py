"""Fifth guard: what a person has changed is ruled on again."""

import msgspec

from actum.gate.contract import Passage, Proceed
from actum.gate.policy import Policy, refusal
from actum.records.calls import CallResult


class RuleOnEdited:
    """A yes to an edited call is a yes to what it says now, but for what the rules deny."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Refuse an edited call that is denied; hand on every other."""
        if not passage.edited:
            return await proceed(passage)
        ruling = self._policy.rule_on(passage.tool, passage.call, passage.arguments)
        if ruling.decide == "deny":
            return refusal(passage, ruling)
        return await proceed(msgspec.structs.replace(passage, ruling=ruling))
