"""What is counted while one program runs, and what it has shown so far."""

import time

import msgspec

from actum.places import wire
from actum.places.contract import Host
from actum.places.local.channel import GuestGone, Stream
from actum.places.results import MOST_FIGURES, size_of_png
from actum.places.wire import ProtocolBroken
from actum.records.calls import ToolCall
from actum.records.outcomes import Figure, Limit, Outcome
from actum.records.sessions import OutputChunk, Program, SessionSpec

FLOOD = 64 << 20
"""Bytes of output, kept or not, that end a program."""


class Overflowing(GuestGone):
    """A limit that the host counts as frames come in."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit)
        self.limit: Limit = limit


class Running:
    """What is counted while one program runs."""

    def __init__(self, spec: SessionSpec, program: Program, host: Host, cpu: float) -> None:
        self.program = program
        self.host = host
        self.open_calls = 0
        self.modules = 0
        self.limits = spec.limits
        if program.seconds is not None:
            self.limits = msgspec.structs.replace(spec.limits, seconds=program.seconds)
        self._last_call = 0
        self._calls = 0
        self._kept = 0
        self._cut = False
        self._written = 0
        self._figures: list[Figure] = []
        self._began = time.monotonic()
        self._thought_before = host.thought
        self._cpu_before = cpu

    def elapsed(self) -> float:
        """Seconds since it began, without those that people took."""
        return time.monotonic() - self._began - (self.host.thought - self._thought_before)

    def left(self) -> float | None:
        """Seconds that it may still take."""
        if self.program.seconds is None:
            return None
        return max(0.0, self.program.seconds - self.elapsed())

    def deadline(self) -> float | None:
        """When its time is over if it computes from now on, by the monotonic clock."""
        left = self.left()
        return None if left is None else time.monotonic() + left

    def hear(self, frame: wire.Called | wire.Wrote | wire.Drew | wire.Ready) -> None:
        """Take what the guest says while it goes on."""
        match frame:
            case wire.Called():
                self.call(frame)
            case wire.Wrote():
                self.wrote(frame.stream, frame.text, len(frame.text))
            case wire.Drew():
                self.drew(frame)
            case wire.Ready():
                raise ProtocolBroken("it said twice that it is ready")

    def call(self, frame: wire.Called) -> None:
        """Pass a call on."""
        if frame.number <= self._last_call:
            raise ProtocolBroken(f"it made call {frame.number} after call {self._last_call}")
        self._last_call = frame.number
        self._calls += 1
        if self._calls > self.limits.calls:
            raise Overflowing("calls")
        self.open_calls += 1
        self.host.submit(
            ToolCall(
                step=self.program.step,
                number=frame.number,
                tool=frame.tool,
                args=frame.args,
                kwargs=frame.kwargs,
                line=frame.line,
                again=frame.again,
            )
        )

    def wrote(self, stream: Stream, text: str, size: int) -> None:
        """Pass output on, up to its limit, and say where it was cut. The rest is only counted."""
        if self._written > FLOOD:
            return
        self._written += size
        if self._written > FLOOD:
            raise Overflowing("output")
        if self._cut:
            return
        room = self.limits.output_bytes - self._kept
        if len(text) > room:
            text = f"{text[:room]}\n[output cut at {self.limits.output_bytes} bytes]\n"
            self._cut = True
        self._kept += len(text)
        self.host.output(OutputChunk(stream, text))

    def drew(self, frame: wire.Drew) -> None:
        """Keep a figure for the outcome."""
        size = size_of_png(frame.picture)
        if size is None or len(self._figures) == MOST_FIGURES:
            raise ProtocolBroken(f"it drew more than {MOST_FIGURES} figures")
        png = self.host.keep(frame.picture, "image/png")
        svg = self.host.keep(frame.drawing, "image/svg+xml") if frame.drawing else None
        self._figures.append(Figure(png=png, width=size[0], height=size[1], svg=svg))

    def measured(self, outcome: Outcome, cpu: float) -> Outcome:
        """The outcome with what the host has measured."""
        return msgspec.structs.replace(
            outcome,
            figures=tuple(self._figures),
            open_calls=max(outcome.open_calls, self.open_calls),
            seconds=round(self.elapsed(), 6),
            cpu_seconds=round(max(0.0, cpu - self._cpu_before), 6),
        )
