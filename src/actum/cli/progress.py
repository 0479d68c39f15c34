"""A task on its way, on stderr: each step with its program, calls, time, tokens and cost.

At a terminal a person sees it; with `--json` a script gets the events; in a pipe it is quiet.
"""

from typing import TextIO

from actum.cli.screen import Screen, plain
from actum.records.actions import RunCode
from actum.records.events import (
    ActionEnd,
    ActionStart,
    Event,
    ModelResponse,
    Output,
    ToolAttempted,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.messages import Usage
from actum.records.values import JSON

LINES_SHOWN = 12
_RESULTS = {ToolResult.kind: "result", ToolErred.kind: "failed", ToolRefused.kind: "refused"}


class Progress:
    """Sees every event of a run as it is written, and shows what a person wants to know."""

    def __init__(self, screen: Screen, stream: TextIO, *, shown: bool | None = None) -> None:
        self._screen = screen
        self._stream = stream
        self._shown = (stream.isatty() if shown is None else shown) and not screen.as_json
        self._usage = Usage()
        self._calls = 0
        self._began = 0

    def see(self, event: Event) -> None:
        """Show one event."""
        if self._screen.as_json:
            self._tell(event)
        elif self._shown:
            self._show(event)

    def _tell(self, event: Event) -> None:
        body = event.body
        told: dict[str, JSON] = {"step": event.step, "line": event.line}
        match body:
            case Output():
                told |= {"event": "output", "stream": body.stream, "text": body.text}
            case ToolCalled():
                arguments: JSON = {"args": list(body.args), "kwargs": body.kwargs}
                told |= {"event": "call", "id": f"{event.step}.{body.number}", "tool": body.tool}
                told |= {"effect": body.effect, "arguments": arguments}
            case ToolResult() | ToolErred() | ToolRefused():
                told |= {"event": _RESULTS[event.kind], "id": f"{event.step}.{body.number}"}
                told |= {} if isinstance(body, ToolResult) else {"message": body.message}
            case ActionStart(action=RunCode(program)):
                told |= {"event": "program", "program": program}
            case ActionEnd():
                told |= {"event": "step", "observation": body.observation}
            case _:
                return
        self._screen.event(told)

    def _show(self, event: Event) -> None:
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
                self._say("".join(f"     {line}\n" for line in body.text.splitlines()))
            case ActionEnd():
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
        self._stream.write(plain(text))
        self._stream.flush()


def _program(step: int | None, source: str) -> str:
    lines = source.splitlines()
    shown = [f"  {number:>2} {line}" for number, line in enumerate(lines[:LINES_SHOWN], 1)]
    if len(lines) > LINES_SHOWN:
        shown.append(f"     ... {len(lines) - LINES_SHOWN} more lines")
    return "\n".join([f"step {step}", *shown]) + "\n"
