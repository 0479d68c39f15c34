"""How a run can end, and what its status and exit code are."""

import msgspec

from actum.records.outcomes import Outcome, ProgramError
from actum.records.run_events import RunStatus
from actum.records.values import JSON

DONE, FAILED, USAGE, SETUP, DENIED, BUDGET, TIME, BROKEN, PAUSED = range(9)
INTERRUPTED = 130
TERMINATED = 143
_TIME_LIMITS = {"seconds", "cpu"}


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """A run is over, or waits."""

    status: RunStatus
    exit: int
    output: JSON = None
    reason: str = ""


STOPPED = Ending(status="cancelled", exit=INTERRUPTED, reason="interrupted")


def was_stopped(outcome: Outcome) -> bool:
    """Whether a person ended the program: at a quiescent point, or by force after the grace time."""
    if outcome.status == "killed":
        return outcome.error is not None and outcome.error.type == "Killed"
    return outcome.status == "interrupted"


def ending_of_program(outcome: Outcome) -> Ending:
    """What the end of its one program means for a run that is only that program."""
    error = outcome.error
    reason = _reason(error) if error is not None else ""
    if was_stopped(outcome):
        return STOPPED
    match outcome.status:
        case "done" | "finished":
            return Ending(status="done", exit=DONE, output=outcome.value)
        case "killed" | "interrupted":
            return ending_of_limit(outcome)
        case "failed":
            if error is not None and error.rule:
                return Ending(status="denied", exit=DENIED, reason=reason)
            return Ending(status="failed", exit=FAILED, reason=reason)


def ending_of_limit(outcome: Outcome) -> Ending:
    """A program that was ended from outside."""
    reason = outcome.error.message if outcome.error else f"the limit of {outcome.limit}"
    if outcome.limit in _TIME_LIMITS:
        return Ending(status="limit", exit=TIME, reason=reason)
    if outcome.limit == "calls":
        return Ending(status="limit", exit=BUDGET, reason=reason)
    return Ending(status="failed", exit=FAILED, reason=reason)


def _reason(error: ProgramError) -> str:
    """A refusal speaks for itself; other errors have a type."""
    if error.type == "Denied" or not error.message:
        return error.message or error.type
    return f"{error.type}: {error.message}"
