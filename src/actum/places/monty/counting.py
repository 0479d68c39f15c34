"""What one program takes of its limits, and why it was killed."""

import time

import msgspec

from actum.places.contract import Host
from actum.records.outcomes import Limit, Outcome, ProgramError
from actum.records.sessions import Limits, OutputChunk, Program

FLOOD = 64 << 20
SAID: dict[Limit, str] = {
    "seconds": "the program was stopped at its time limit of {limits.seconds:g} seconds",
    "memory": "the program was stopped: it took more than {limits.memory_mb:,} MB of memory",
    "output": "the program was stopped: it wrote more than 64 MB",
    "calls": "the program was stopped: it made more than {limits.calls:,} calls",
}


class Killed(Exception):
    """The program ends here, and its session with it."""

    def __init__(self, limit: Limit | None = None, message: str = "", kind: str = "") -> None:
        super().__init__(message)
        self.limit: Limit | None = limit
        self.message = message
        self.kind = kind


class Counting:
    """Time, calls and output of one program."""

    def __init__(self, limits: Limits, program: Program, host: Host) -> None:
        self.limits = limits
        if program.seconds is not None:
            self.limits = msgspec.structs.replace(limits, seconds=program.seconds)
        self._limited = program.seconds is not None
        self._host = host
        self._began = time.monotonic()
        self._thought = host.thought
        self._calls = 0
        self._written = 0
        self._kept = 0
        self._cut = False

    def elapsed(self) -> float:
        """Seconds since it began, without those that people took."""
        return time.monotonic() - self._began - (self._host.thought - self._thought)

    def left(self) -> float | None:
        """Seconds that it may still take."""
        return max(0.0, self.limits.seconds - self.elapsed()) if self._limited else None

    def call(self) -> int:
        """The number of a new call."""
        self._calls += 1
        if self._calls > self.limits.calls:
            raise Killed("calls")
        return self._calls

    def wrote(self, chunk: OutputChunk) -> None:
        """Pass output on up to its limit, and say where it was cut."""
        self._written += len(chunk.text)
        if self._written > FLOOD:
            raise Killed("output")
        if self._cut:
            return
        text, room = chunk.text, self.limits.output_bytes - self._kept
        if len(text) > room:
            text = f"{text[:room]}\n[output cut at {self.limits.output_bytes} bytes]\n"
            self._cut = True
        self._kept += len(text)
        self._host.output(OutputChunk(chunk.stream, text))

    def outcome_of(self, killed: Killed) -> Outcome:
        """What a killed program is said to be."""
        limit = killed.limit
        if limit is None:
            error = ProgramError(type=killed.kind or "Killed", message=killed.message)
            return Outcome(status="killed", error=error)
        message = killed.message or SAID[limit].format(limits=self.limits)
        return Outcome(
            status="killed", limit=limit, error=ProgramError(type="LimitReached", message=message)
        )
