"""Whether an action that was done again ended as its record says."""

import msgspec

from actum.records.events import ActionEnd, Event
from actum.records.outcomes import Outcome
from actum.session.difference import ProgramDiverged
from actum.session.printing import without_addresses


def compare_outcomes(step: int, event: Event, recorded: ActionEnd, replayed: Outcome) -> None:
    """Raises `ProgramDiverged` where status, value or error are not as recorded."""
    if recorded.outcome is None:
        return
    for told_recorded, told_replayed in zip(
        _facts(recorded.outcome), _facts(replayed), strict=True
    ):
        if without_addresses(told_recorded) != without_addresses(told_replayed):
            line = replayed.error.line if replayed.error else None
            raise ProgramDiverged(step, event, told_recorded, told_replayed, line)


def _facts(outcome: Outcome) -> list[str]:
    error = outcome.error
    told = f"{error.type}: {error.message} at line {error.line}" if error else "no error"
    return [
        told,
        f"the program ended as {outcome.status}",
        f"its value is {outcome.shown or repr(outcome.value)}",
        f"its figures are {_names(outcome)}",
        f"its tables are {msgspec.json.encode(outcome.tables).decode()}",
    ]


def _names(outcome: Outcome) -> str:
    pictures = [(figure.png, figure.svg) for figure in outcome.figures]
    return " ".join(each.sha256[:12] for pair in pictures for each in pair if each) or "none"
