"""How a program that is re-executed can differ from its record."""

import msgspec

from actum.errors import Diverged
from actum.records.calls import ToolCall
from actum.records.events import Event

_SHOWN = 200


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where a replay is not its record."""

    seq: int | None
    step: int
    line: int | None
    recorded: str
    replayed: str


class ProgramDiverged(Diverged):
    """Re-execution did something else than the record says."""

    def __init__(
        self, step: int, event: Event | None, recorded: str, replayed: str, line: int | None
    ) -> None:
        seq = event.seq if event else None
        at = line if line is not None else (event.line if event else None)
        self.difference = Difference(
            seq=seq, step=step, line=at, recorded=recorded, replayed=replayed
        )
        place = f"event {seq}, step {step}" if seq is not None else f"step {step}"
        super().__init__(
            f"{place}: recorded {recorded}; replayed {replayed}",
            where=f"step {step}" + (f", line {at}" if at is not None else ""),
            hints=("the record itself is whole where `actum verify` says so",),
        )


class RecordOver(Exception):
    """A replay has come to the end of a run that did not end."""

    def __init__(self, step: int) -> None:
        super().__init__(f"the record ends in step {step}")
        self.step = step


def call_text(call: ToolCall) -> str:
    """`crm.get(1, full=True) at line 7`."""
    parts = [repr(value) for value in call.args]
    parts.extend(f"{name}={value!r}" for name, value in call.kwargs.items())
    name = f"{call.tool}.again" if call.again else call.tool
    text = f"{name}({', '.join(parts)})"
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}..."
    return f"{text} at line {call.line}" if call.line is not None else text
