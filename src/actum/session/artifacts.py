"""What the programs of a run leave under `out/`: written down once, and compared when it is re-made."""

from collections.abc import Sequence

from actum.gate.masking import Masking
from actum.places.contract import LeftFile, Session
from actum.records.events import Artifact, Event
from actum.records.outcomes import Outcome
from actum.records.values import BlobRef, blob_ref
from actum.session.difference import ProgramDiverged
from actum.session.live_calls import Desk
from actum.session.recorded import StepView

GONE = "removed"


class Artifacts:
    """The files of one session, from program to program."""

    def __init__(self, masking: Masking) -> None:
        self._masking = masking
        self._known: dict[str, str] = {}

    async def collect(
        self, session: Session, outcome: Outcome, step: StepView, desk: Desk | None
    ) -> None:
        """After a program: what it left, changed and removed.

        Raises `ProgramDiverged` where the record has it otherwise.
        """
        if outcome.status == "killed":
            return
        files = {file.name: file for file in await session.left()}
        now = {name: self._mark(file) for name, file in files.items()}
        changed = {name: mark for name, mark in now.items() if self._known.get(name) != mark}
        changed |= dict.fromkeys(self._known.keys() - now.keys(), GONE)
        self._known = now
        recorded = {body.name: _mark(body) for body in step.artifacts}
        if desk is None or step.end is not None:
            _compare(step, recorded, changed)
            return
        for name in sorted(changed):
            if recorded.get(name) != changed[name]:
                desk.record(_artifact(name, files.get(name), desk), step.number)

    def _mark(self, file: LeftFile) -> str:
        """What the record will say of it: the hash of its content, without secrets."""
        if file.content is None:
            return self._known.get(file.name, "") if file.sha256 else file.problem
        if not self._masking:
            return file.sha256
        return blob_ref(self._masking.data(file.content)).sha256


def left_files(events: Sequence[Event]) -> dict[str, BlobRef]:
    """The files under `out/` as they are at the end of a record, by name."""
    found: dict[str, BlobRef] = {}
    for event in events:
        body = event.body
        if not isinstance(body, Artifact):
            continue
        found.pop(body.name, None)
        if body.blob is not None:
            found[body.name] = body.blob
    return dict(sorted(found.items()))


def left_behind(events: Sequence[Event]) -> dict[str, str]:
    """What stands under `out/` and could not be kept, with the reason."""
    last = {event.body.name: event.body for event in events if isinstance(event.body, Artifact)}
    return {name: body.problem for name, body in sorted(last.items()) if body.problem}


def _artifact(name: str, file: LeftFile | None, desk: Desk) -> Artifact:
    if file is None:
        return Artifact(name=name)
    if file.content is None:
        return Artifact(name=name, problem=file.problem or "its content did not come")
    return Artifact(name=name, blob=desk.store.put(file.content, _type_of(name)))


def _type_of(name: str) -> str:
    import mimetypes

    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def _mark(body: Artifact) -> str:
    if body.blob is not None:
        return body.blob.sha256
    return body.problem or GONE


def _compare(step: StepView, recorded: dict[str, str], made: dict[str, str]) -> None:
    for name in sorted(recorded.keys() | made.keys()):
        was, now = recorded.get(name), made.get(name)
        if was != now:
            raise ProgramDiverged(step.number, step.end, _told(name, was), _told(name, now), None)


def _told(name: str, mark: str | None) -> str:
    return f"out/{name} left as it was" if mark is None else f"out/{name}: {mark[:64]}"
