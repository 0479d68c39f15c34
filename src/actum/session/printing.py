"""What a program prints, beside what its record says that it printed."""

import re

from actum.gate.masking import Masking, StreamMasking
from actum.records.sessions import OutputChunk
from actum.session.difference import ProgramDiverged
from actum.session.recorded import StepView

_ADDRESS = re.compile(r"0x[0-9a-f]{6,16}")
_SHOWN = 200


def without_addresses(text: str) -> str:
    """Addresses say nothing about a program: two that differ only there are equal."""
    return _ADDRESS.sub("0x…", text)


class Printing:
    """The output of one step, compared with the record as it comes."""

    def __init__(self, step: StepView, masking: Masking) -> None:
        self._masking = masking
        self._streams = StreamMasking(masking)
        self._step = step.number
        self._ended = step.end is not None
        self._recorded = {name: step.printed(name) for name in ("stdout", "stderr")}
        self._printed = {"stdout": "", "stderr": ""}

    @property
    def stdout(self) -> str:
        """What the program has written to stdout."""
        return self._printed["stdout"]

    def masked(self, chunk: OutputChunk) -> OutputChunk:
        """The output without secrets. What may be the beginning of one is held back."""
        if not self._masking:
            return chunk
        return OutputChunk(chunk.stream, self._streams.take(chunk.stream, chunk.text))

    def rest(self) -> list[OutputChunk]:
        """What was held back, where the program has ended."""
        return [OutputChunk(stream, text) for stream, text in self._streams.rest().items()]

    def take(self, chunk: OutputChunk) -> str:
        """Take some output; the part of it that the record does not have."""
        before = len(self._printed[chunk.stream])
        self._printed[chunk.stream] += chunk.text
        known = len(self._recorded[chunk.stream])
        return chunk.text[max(0, known - before) :]

    def check(self, *, whole: bool) -> None:
        """Raises `ProgramDiverged` where the output is not as recorded.

        `whole`: nothing may be missing either, where the record has the end of the program.
        """
        for stream, recorded in self._recorded.items():
            printed = self._printed[stream]
            size = None if whole and self._ended else min(len(recorded), len(printed))
            theirs, ours = recorded[:size], printed[:size]
            if without_addresses(theirs) != without_addresses(ours):
                was, now = _first_difference(theirs, ours), _first_difference(ours, theirs)
                raise ProgramDiverged(self._step, None, was, now, None)


def _first_difference(text: str, other: str) -> str:
    """The first line that is not as in the other text."""
    theirs = other.splitlines()
    for number, line in enumerate(text.splitlines()):
        if number >= len(theirs) or theirs[number] != line:
            return f"printed {line[:_SHOWN]!r}"
    return "printed nothing more"
