"""The answer where nobody is there and nobody is to be waited for: no."""

from collections.abc import Sequence

from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision


async def refuse_all(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
    """Refuse every row; an unknown outcome is given up, never repeated."""
    return [
        ApprovalDecision(
            call=row.call,
            tool=row.tool,
            decision="fail" if row.kind == "unknown" else "deny",
            how="no-wait",
        )
        for row in rows
    ]
