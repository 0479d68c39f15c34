"""A task on its way, for a person: each step with its program, calls, time, tokens and cost."""

from typing import TextIO

from actum.loop.formats.shown_results import results_text
from actum.records.actions import RunCode
from actum.records.events import (
    ActionEnd,
    ActionStart,
    Event,
    ModelResponse,
    Output,
    ToolAttempted,
)
from actum.records.messages import Usage

LINES_SHOWN = 12


class Teller:
    """Sees every event of a run as it is written, and tells what a person wants to know."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._usage = Usage()
        self._calls = 0
        self._began = 0

    def see(self, event: Event) -> None:
        """Show one event."""
        body = event.body
        match body:
            case ModelResponse():
                self._usage = body.reply.usage
            case ActionStart(action=action):
                self._calls, self._began = 0, event.time
                if isinstance(action, RunCode):
                    self._say(_program(event.step, action.program))
            case ToolAttempted():
                self._calls += 1
            case Output():
                self._say(_indented(body.text))
            case ActionEnd():
                if body.outcome is not None:
                    self._say("".join(map(_indented, results_text(body.outcome))))
                self._say(self._step_line(event))
            case _:
                return

    def _step_line(self, event: Event) -> str:
        calls = f"{self._calls} call{'s' if self._calls != 1 else ''}"
        seconds = (event.time - self._began) / 1e9
        usd = self._usage.usd
        cost = "" if usd is None else f"  ${usd:.3f}"
        left = f"▸ {event.step}  {calls}  {seconds:.2f} s"
        return f"{left:<60}{self._usage.tokens:>8,} tok{cost}\n"

    def _say(self, text: str) -> None:
        self._stream.write(_plain(text))
        self._stream.flush()


def _program(step: int | None, source: str) -> str:
    lines = source.splitlines()
    shown = [f"  {number:>2} {line}" for number, line in enumerate(lines[:LINES_SHOWN], 1)]
    if len(lines) > LINES_SHOWN:
        shown.append(f"     ... {len(lines) - LINES_SHOWN} more lines")
    return "\n".join([f"step {step}", *shown]) + "\n"


def _indented(text: str) -> str:
    return "".join(f"     {line}\n" for line in text.splitlines())


def _plain(text: str) -> str:
    """Text that cannot move the cursor: a model or a program wrote it."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )
