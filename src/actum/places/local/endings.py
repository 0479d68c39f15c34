"""How a program ended that did not say so itself: what to call it."""

import signal

import msgspec

from actum.records.outcomes import Limit, Outcome, ProgramError

OVER_LIMIT: dict[Limit, str] = {
    "seconds": "the program was stopped at its time limit of {limits.seconds:g} seconds",
    "cpu": "the session used up its processor time",
    "memory": "the program was stopped: it took more than {limits.memory_mb:,} MB of memory",
    "output": "the program was stopped: it wrote more than 64 MB",
    "disk": "the program was stopped: it took more than {limits.disk_mb:,} MB on the disk",
    "threads": "the program was stopped: it made too many threads",
    "calls": "the program was stopped: it made more than {limits.calls:,} calls",
}
SIGNAL_BASE = 128


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """Why the host killed a session."""

    limit: Limit | None = None
    type: str = ""
    message: str = ""


def over_limit(cause: Cause, message: str) -> Outcome:
    """A limit was reached."""
    return Outcome(
        status="killed",
        limit=cause.limit,
        error=ProgramError(type="LimitReached", message=message),
    )


def killed_by_host(cause: Cause) -> Outcome:
    """Somebody stopped it, or it broke the wire."""
    return Outcome(status="killed", error=ProgramError(type=cause.type, message=cause.message))


def ended_itself(code: int | None) -> Outcome:
    """It is gone by its own doing: `code` is as `os.waitstatus_to_exitcode` says it."""
    if code is None:
        return Outcome(status="killed", error=error("the program's process ended"))
    if code >= 0:
        message = f"the program ended its own process with status {code}"
        return Outcome(status="killed", exit_code=code, error=error(message))
    number = -code
    name = signal_name(number)
    if number == signal.SIGKILL:
        message = f"the program was killed from outside with signal {number} ({name}): the machine may be out of memory"
    elif number == signal.SIGXCPU:
        return Outcome(
            status="killed",
            limit="cpu",
            exit_code=SIGNAL_BASE + number,
            error=error(OVER_LIMIT["cpu"]),
        )
    else:
        message = f"the program crashed with signal {number} ({name})"
    return Outcome(status="killed", exit_code=SIGNAL_BASE + number, error=error(message))


def error(message: str) -> ProgramError:
    """What the model is told."""
    return ProgramError(type="ProcessEnded", message=message)


def signal_name(number: int) -> str:
    """`SIGSEGV`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
