"""Fifth guard: what the rules leave to a person.

Rows gather until the program is quiescent, then they are asked about as one table. With nobody
there the run parks; the rows stand in the record, and the answer may come days later.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import msgspec

from actum.gate.contract import Passage, Proceed, Ruling
from actum.gate.policy import refusal
from actum.records.call_events import PendingRow
from actum.records.calls import CallResult, ToolFailure, ToolRefusal
from actum.records.events import ApprovalDecision
from actum.records.values import JSON, mark, unmark

Approver = Callable[[Sequence[PendingRow]], Awaitable[Sequence[ApprovalDecision]]]
Recheck = Callable[[str, dict[str, object]], dict[str, object]]


class Parked(Exception):
    """Rows wait for a person and nobody is there."""

    def __init__(self, rows: Sequence[PendingRow]) -> None:
        super().__init__(f"{len(rows)} calls wait for an approval")
        self.rows = tuple(rows)


class ApprovalLog(Protocol):
    """Where questions and answers are written down."""

    def held(self, row: PendingRow) -> None:
        """A row has begun to wait."""
        ...

    async def requested(self, rows: Sequence[PendingRow]) -> None:
        """Record the question, on disk when this returns."""
        ...

    async def decided(self, decisions: Sequence[ApprovalDecision]) -> None:
        """Record the answers, on disk when this returns."""
        ...


class Approvals:
    """The rows that wait, the answers that are there, and who can be asked."""

    def __init__(
        self,
        log: ApprovalLog,
        *,
        approver: Approver | None = None,
        recheck: Recheck,
        decided: dict[str, ApprovalDecision] | None = None,
        requested: set[str] | None = None,
        rest: set[tuple[int, str, str]] | None = None,
    ) -> None:
        self._log = log
        self._approver = approver
        self._recheck = recheck
        self._decided = dict(decided or {})
        self._requested = set(requested or ())
        self._waiting: dict[str, tuple[PendingRow, asyncio.Future[ApprovalDecision]]] = {}
        self._rest = set(rest or ())

    @property
    def waiting(self) -> list[PendingRow]:
        """The rows that nobody has answered."""
        return [row for row, _ in self._waiting.values()]

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Let an allowed call go on; hold any other until it is decided."""
        ruling = passage.ruling or Ruling(decide="ask", rule="default")
        if ruling.decide == "allow":
            return await proceed(passage)
        decision = await self._decision(passage, ruling)
        if decision.decision != "allow":
            return _denied(passage, ruling, decision)
        if decision.arguments is None:
            return await proceed(passage)
        return await self._edited(passage, decision, proceed)

    async def answer(self, row: PendingRow) -> ApprovalDecision:
        """The decision about this row, asked for with the others at the next quiescent point."""
        known = self._decided.get(row.call)
        if known is not None:
            return known
        future: asyncio.Future[ApprovalDecision] = asyncio.get_running_loop().create_future()
        self._waiting[row.call] = (row, future)
        self._log.held(row)
        try:
            return await future
        finally:
            # Whoever gives up waiting asks nothing any more.
            self._waiting.pop(row.call, None)

    async def ask(self) -> None:
        """Put every waiting row to whoever is there. Raises `Parked` where nobody is."""
        rows = self.waiting
        fresh = [row for row in rows if row.call not in self._requested]
        if fresh:
            await self._log.requested(fresh)
            self._requested.update(row.call for row in fresh)
        if self._approver is None:
            raise Parked(rows)
        decisions = await self._approver(rows)
        if not decisions:
            raise Parked(rows)
        await self._log.decided(decisions)
        for decision in decisions:
            self._settle(decision)

    def _settle(self, decision: ApprovalDecision) -> None:
        self._decided[decision.call] = decision
        waiting = self._waiting.pop(decision.call, None)
        if waiting is None:
            return
        row, future = waiting
        if decision.rest:
            self._rest.add((_step(row.call), row.tool, row.scope))
        if not future.done():
            future.set_result(decision)

    async def _decision(self, passage: Passage, ruling: Ruling) -> ApprovalDecision:
        call = passage.call
        known = self._decided.get(call.id)
        if known is not None:
            return known
        same = (call.step, call.tool, passage.tool.scope)
        if same in self._rest and passage.tool.effect != "destructive":
            rest = ApprovalDecision(call=call.id, tool=call.tool, decision="allow", how="rest")
            self._decided[call.id] = rest
            await self._log.decided([rest])
            return rest
        arguments = {name: as_data(value) for name, value in passage.arguments.items()}
        return await self.answer(
            PendingRow(
                call=call.id,
                tool=call.tool,
                arguments=arguments,
                effect=passage.tool.effect,
                line=call.line,
                rule=ruling.rule,
                why=ruling.why,
                scope=passage.tool.scope,
            )
        )

    async def _edited(
        self, passage: Passage, decision: ApprovalDecision, proceed: Proceed
    ) -> CallResult:
        edited = {name: unmark(value) for name, value in (decision.arguments or {}).items()}
        try:
            arguments = self._recheck(passage.call.tool, edited)
        except Exception as mistake:  # noqa: BLE001 -- whatever a source's check says is told
            return ToolFailure(message=f"the edited call: {mistake}", status="arguments")
        return await proceed(msgspec.structs.replace(passage, arguments=arguments, edited=True))


def as_data(value: object) -> JSON:
    """A checked argument as data for a table: what a tool was given, as JSON has it."""
    return mark(msgspec.to_builtins(value, builtin_types=(bytes,)))


def _step(call: str) -> int:
    return int(call.split(".", 1)[0])


def _denied(passage: Passage, ruling: Ruling, decision: ApprovalDecision) -> ToolRefusal:
    if decision.how == "no-wait":
        told = refusal(passage, ruling)
        return msgspec.structs.replace(
            told, message=f"{passage.call.tool} needs an approval and nobody waits for one"
        )
    comment = f": {decision.comment}" if decision.comment else ""
    return ToolRefusal(
        message=f"{passage.call.tool} was denied by {decision.by or 'a person'}{comment}",
        rule="approval",
        hint=decision.comment or "do not try it again; do it another way or finish and say so",
    )
