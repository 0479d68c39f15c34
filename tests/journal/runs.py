"""Real runs, recorded as a session records them."""

import asyncio
from pathlib import Path

from actum.journal.recording import Recording
from actum.journal.sqlite import SqliteStore
from actum.records.actions import CallTools, RunCode, WantedCall
from actum.records.call_events import PendingRow
from actum.records.events import (
    ActionEnd,
    ActionStart,
    AnyBody,
    ApprovalDecision,
    ApprovalRequest,
    Artifact,
    Divergence,
    Draft,
    ModelRequest,
    ModelResponse,
    ModuleLoad,
    Output,
    ProgramInterrupted,
    Replied,
    RunEnd,
    RunPause,
    RunResume,
    RunStart,
    TimerFired,
    ToolAttempted,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.file_events import InputOpened, Mounted
from actum.records.messages import Reply, Text, Usage, said
from actum.records.outcomes import Outcome
from actum.records.sessions import Environment
from actum.records.values import JSON, BlobRef

SMALL = b"figure" * 50
LARGE = b"table" * 300_000
ENVIRONMENT = Environment(id="e", place="local", level="full", python="3.11")


def bodies(store: SqliteStore) -> list[AnyBody]:
    """One of every kind, in an order that a run could have."""
    reply = Reply(parts=(Text("```python\nprint(1)\n```"),), usage=Usage(requests=1, usd=0.25))
    mark: JSON = {"$blob": blob_mark(store, LARGE)}
    row = PendingRow(call="1.2", tool="mail.send", arguments={"to": "a@example.com"})
    return [
        RunStart(run=store.run, task="count é", model="scripted:x", environment=ENVIRONMENT),
        ModelRequest(model="scripted:x", digest="d", added=(said("user", "count"),), count=1),
        ModelResponse(reply=reply),
        ActionStart(action=RunCode(program="from tools import crm\nprint(1)")),
        ModuleLoad(name="tools.crm", text="def get(): ..."),
        ToolCalled(number=1, tool="crm.get", kwargs={"i": 1}, effect="read", key="k"),
        ToolAttempted(number=1),
        ToolResult(number=1, value=mark),
        ToolCalled(number=2, tool="mail.send", effect="write"),
        ApprovalRequest(rows=(row,)),
        RunPause(reason="approval"),
        RunResume(actum="0"),
        Replied(text="and now?"),
        Mounted(name="sales", path="/data/sales", tree=store.put(SMALL, "image/png")),
        InputOpened(mount="sales", path="a.csv", size=0, sha256="0" * 64, modified=1),
        ApprovalDecision(call="1.2", decision="allow", by="me"),
        ToolErred(number=2, message="no such box"),
        ToolRefused(number=3, message="denied", rule="rule 1"),
        TimerFired(),
        ProgramInterrupted(),
        Output(stream="stdout", text="1\n"),
        Artifact(name="figure.png", blob=store.put(SMALL, "image/png")),
        Divergence(at=3, recorded="a", replayed="b"),
        ActionEnd(outcome=Outcome(status="done", value=1), observation="1"),
        RunEnd(status="done", output="1", usage=Usage(requests=1, calls=3, usd=0.5, seconds=2.0)),
    ]


def blob_mark(store: SqliteStore, content: bytes) -> JSON:
    """What stands behind `$blob` in data."""
    blob = store.put(content)
    return {"sha256": blob.sha256, "size": blob.size, "type": blob.type}


def a_model_that_names_bytes() -> ActionStart:
    """What a model wrote looks like a mark, and is none."""
    blob: JSON = {"sha256": "0" * 64, "size": 3, "type": "text/plain"}
    marked: JSON = {"$blob": blob}
    call = WantedCall(id="1", tool="crm.get", arguments={"file": marked})
    return ActionStart(action=CallTools(calls=(call,)))


def artifact_of(recording: Recording) -> BlobRef:
    """The blob of the file that the program left."""
    named = (e.body.blob for e in recording.events if isinstance(e.body, Artifact))
    return next(blob for blob in named if blob is not None)


def record(folder: Path, run: str, drafts: list[Draft]) -> Path:
    """A file with these events."""

    async def scene() -> Path:
        store = SqliteStore.create(folder, run)
        for draft in drafts:
            store.append(draft)
        await store.close()
        return store.path

    return asyncio.run(scene())


def record_every_kind(folder: Path, run: str = "R001") -> Path:
    """The file of a run in which everything happened once."""

    async def scene() -> Path:
        store = SqliteStore.create(folder, run)
        for place, body in enumerate(bodies(store)):
            inside = 3 < place < 23
            store.append(
                Draft(
                    body=body,
                    parent=4 if inside else None,
                    step=1 if 2 < place < 24 else None,
                    line=2 if inside else None,
                )
            )
        await store.close()
        return store.path

    return asyncio.run(scene())
