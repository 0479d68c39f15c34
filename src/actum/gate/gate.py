"""The whole security story in one line, and the unknown outcomes beside it."""

from actum.catalog.catalog import Catalog
from actum.gate.approval import Approvals
from actum.gate.call_budget import CallBudget
from actum.gate.contract import AttemptLog, Passage, Proceed, stack
from actum.gate.edited import RuleOnEdited
from actum.gate.execute import Execute
from actum.gate.ledger import Ledger
from actum.gate.policy import Policy
from actum.gate.secrets import Secrets
from actum.gate.validate import Validate
from actum.records.call_events import PendingRow
from actum.records.calls import CallResult, ToolAnswer, ToolCall, ToolFailure, ToolRefusal


class Gate:
    """Every tool call of a run goes through here, once."""

    def __init__(
        self,
        catalog: Catalog,
        policy: Policy,
        budget: CallBudget,
        approvals: Approvals,
        log: AttemptLog,
        *,
        ledger: Ledger,
        secrets: Secrets,
    ) -> None:
        self.approvals = approvals
        self.ledger = ledger
        self._way: Proceed = stack(
            Validate(catalog),
            policy,
            ledger,
            budget,
            approvals,
            RuleOnEdited(policy),
            secrets,
            Execute(catalog, log),
        )
        # A person has already decided on a call whose outcome is unknown: only the last steps are left.
        self._again: Proceed = stack(Validate(catalog), secrets, Execute(catalog, log))

    async def handle(self, call: ToolCall, key: str) -> CallResult:
        """Answer a call that nobody has checked yet."""
        return await self._way(Passage(call=call, key=key))

    async def repeat(self, call: ToolCall, key: str) -> CallResult:
        """Carry out again, with the same key, what was let through before."""
        return await self._again(Passage(call=call, key=key))

    async def unknown_outcome(
        self, call: ToolCall, key: str, row: PendingRow
    ) -> tuple[CallResult, bool]:
        """Ask what became of a call that left and never came back. True: the tool answered itself."""
        decision = await self.approvals.answer(row)
        if decision.decision == "retry":
            return await self.repeat(call, key), True
        if decision.decision == "happened":
            return ToolAnswer(value=decision.value), False
        message = decision.comment or f"{call.tool} was given up: its outcome is not known"
        if decision.decision == "fail":
            return ToolFailure(message=message, status="unknown-outcome"), False
        return ToolRefusal(message=message, rule="approval"), False
