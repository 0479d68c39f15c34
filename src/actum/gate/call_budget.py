"""Fourth guard: how many calls a run may make."""

from actum.gate.contract import Passage, Proceed
from actum.records.calls import CallResult, ToolRefusal


class CallBudget:
    """Calls are counted when they are let through; one that waits for a person holds its place."""

    def __init__(self, calls: int | None, used: int = 0) -> None:
        self._calls = calls
        self.used = used

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Count the call, or end the run at the limit."""
        if self._calls is not None and self.used >= self._calls:
            return ToolRefusal(
                message=f"the budget of {self._calls} tool calls is used up",
                rule="budget.calls",
                hint="give the run more: [budget] calls in actum.toml",
                ends_run=True,
            )
        self.used += 1
        result = await proceed(passage)
        if isinstance(result, ToolRefusal):
            self.used -= 1
        return result
