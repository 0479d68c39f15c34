"""A task on its way: for a person at a terminal, for a script with `--json`; quiet in a pipe."""

from typing import TextIO

from actum.cli.screen import Screen
from actum.lifecycle.shown_results import figures_in, tables_in
from actum.lifecycle.telling import Teller
from actum.records.actions import RunCode
from actum.records.events import (
    ActionEnd,
    ActionStart,
    Event,
    Output,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.values import JSON

_RESULTS = {ToolResult.kind: "result", ToolErred.kind: "failed", ToolRefused.kind: "refused"}


class Progress:
    """Sees every event of a run as it is written."""

    def __init__(self, screen: Screen, stream: TextIO, *, shown: bool | None = None) -> None:
        self._screen = screen
        shown = stream.isatty() if shown is None else shown
        self._teller = Teller(stream) if shown else None

    def see(self, event: Event) -> None:
        """Show one event."""
        if self._screen.as_json:
            self._tell(event)
        elif self._teller is not None:
            self._teller.see(event)

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
                told |= {"figures": [*figures_in([event])], "tables": [*tables_in([event])]}
            case _:
                return
        self._screen.event(told)
