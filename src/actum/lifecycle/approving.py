"""What paused runs wait for, and deciding it from outside."""

from collections.abc import Sequence

from actum.errors import NothingToDecide
from actum.journal.contract import Store
from actum.records.call_events import Decision, PendingRow
from actum.records.events import ApprovalDecision, Draft, Event
from actum.records.values import JSON
from actum.session.recorded import RunView


def pending_rows(events: Sequence[Event]) -> list[PendingRow]:
    """The rows of a run that nobody has decided, in the order of `--select`."""
    return RunView(events).pending


async def decide(store: Store, decisions: Sequence[ApprovalDecision]) -> None:
    """Write decisions into the record of a run that is not running."""
    for decision in decisions:
        step = int(decision.call.split(".", 1)[0])
        store.append(Draft(body=decision, step=step))
    await store.sync()


class Choice:
    """What a person has chosen, as decisions about rows."""

    def __init__(self, rows: Sequence[PendingRow], by: str, how: str = "actum approve") -> None:
        self._rows = list(rows)
        self._by = by
        self._how = how

    def all(self, *, rest: bool = False) -> list[ApprovalDecision]:
        """Allow every approval but the destructive ones, which need their own number."""
        rows = [r for r in self._approvals() if r.effect != "destructive"]
        if not rows:
            raise NothingToDecide(
                "no row can be approved together",
                why="destructive calls and unknown outcomes are decided one by one",
                hints=("see the rows:   actum approve",),
            )
        return [self._decision(row, "allow", rest=rest) for row in rows]

    def select(self, numbers: Sequence[int]) -> list[ApprovalDecision]:
        """Allow the rows of these numbers; the other approvals of the table stay open."""
        return [self._decision(self._row(number, "approval"), "allow") for number in numbers]

    def deny(self, numbers: Sequence[int] | None = None) -> list[ApprovalDecision]:
        """Refuse these rows, or every approval."""
        rows = (
            self._approvals()
            if numbers is None
            else [self._row(number, "approval") for number in numbers]
        )
        if not rows:
            raise NothingToDecide("no approval waits", hints=("see the rows:   actum approve",))
        return [self._decision(row, "deny") for row in rows]

    def unknown(
        self, number: int, decision: Decision, value: JSON = None
    ) -> list[ApprovalDecision]:
        """Say what became of a call that left and never came back."""
        return [self._decision(self._row(number, "unknown"), decision, value=value)]

    def edited(self, number: int, arguments: dict[str, JSON]) -> list[ApprovalDecision]:
        """Allow a row with other arguments."""
        return [self._decision(self._row(number, "approval"), "allow", arguments=arguments)]

    def _approvals(self) -> list[PendingRow]:
        return [row for row in self._rows if row.kind == "approval"]

    def _row(self, number: int, kind: str) -> PendingRow:
        if not 1 <= number <= len(self._rows):
            raise NothingToDecide(
                f"there is no row {number}", hints=("see the rows:   actum approve",)
            )
        row = self._rows[number - 1]
        if row.kind != kind:
            told = (
                "--retry, --happened or --fail" if row.kind == "unknown" else "--select or --deny"
            )
            raise NothingToDecide(
                f"row {number} is {_KINDS[row.kind]}", hints=(f"decide it with {told}",)
            )
        return row

    def _decision(
        self,
        row: PendingRow,
        decision: Decision,
        *,
        rest: bool = False,
        value: JSON = None,
        arguments: dict[str, JSON] | None = None,
    ) -> ApprovalDecision:
        return ApprovalDecision(
            call=row.call,
            tool=row.tool,
            decision=decision,
            value=value,
            arguments=arguments,
            by=self._by,
            how=self._how,
            rest=rest,
            scope=row.scope,
        )


_KINDS = {"approval": "an approval", "unknown": "an unknown outcome", "question": "a question"}
