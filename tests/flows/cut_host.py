"""Hosts that are killed after each event of their run, and one that goes on with what they left.

Run as: cut_host.py FOLDER PART PARTS. FOLDER holds `tools.py` and `p.py`, or `replies.txt` for a run
of a model. The cuts of one run are dealt to PARTS processes. A cut is `event-N`, which kills the host
with N events in the file; `lost-N`, which kills it before the last of N events are committed; or
`write-N`, which kills it inside its Nth write, after the effect. For each, a line of JSON says what
came of it.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.models.scripted import scripted_file
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision, Draft, Event, ToolAttempted
from actum.tools.python_functions import load_file
from tests.flows.runs import Bench, bare_place

MOST_RESUMES = 4
EVERY_LOST = 8


def die() -> None:
    """What `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


class DyingStore(SqliteStore):
    """Kills its process when the record has so many events."""

    last = 0
    keep = True

    def append(self, draft: Draft) -> Event:
        event = super().append(draft)
        if event.seq == self.last:
            if self.keep:
                self._commit_all()
            die()
        return event

    def _commit_all(self) -> None:
        if self._flight is not None:
            self._flight.result()
            self._land()
        self._file.write_now(self._batch)


async def approve_all(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
    """Says yes to every approval; what became of a call it leaves to a witness."""
    if any(row.kind == "unknown" for row in rows):
        return []
    return Choice(rows, by="somebody", how="callback").all()


def bench_of(folder: Path, cut: str) -> Bench:
    """A host's things. The world of a cut is the folder that its tools find themselves in."""
    (folder / cut).mkdir(exist_ok=True)
    os.chdir(folder / cut)
    replies = folder / "replies.txt"
    return Bench(
        folder / cut,
        bare_place(),
        sources=[load_file(folder / "tools.py")],
        model=scripted_file(replies) if replies.exists() else None,
        approver=approve_all,
    )


def live(folder: Path, cut: str) -> None:
    """The first host. It does not come back, but where it is not to be cut at all."""
    bench = bench_of(folder, cut)
    kind, _, number = cut.partition("-")
    if kind == "write":
        os.environ["DIE_IN_WRITE"] = number
    elif kind in {"event", "lost"}:
        DyingStore.last, DyingStore.keep = int(number), kind == "event"
        bench.store = DyingStore
    program = folder / "p.py"
    if program.exists():
        asyncio.run(bench.exec(program.read_text()))
    else:
        asyncio.run(bench.task("do it"))


def in_a_child(folder: Path, cut: str) -> bool:
    """Whether a host of its own process was killed."""
    child = os.fork()
    if child == 0:
        live(folder, cut)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def world() -> str:
    """What the tools of this folder have really done."""
    file = Path("world.txt")
    return file.read_text() if file.exists() else ""


async def witness(bench: Bench) -> int:
    """Say of every open call whether it happened: the world's own file knows."""
    lines = world().splitlines()
    store = SqliteStore.open(bench.file())
    rows = pending_rows(store.events())
    choice = Choice(rows, by="a witness")
    for number, row in enumerate(rows, 1):
        happened = f"send {row.arguments['to']}" in lines
        decision = choice.unknown(number, "happened" if happened else "retry", "sent")
        await decide(store, decision)
    await store.close()
    return len(rows)


async def go_on(bench: Bench) -> dict[str, object]:
    """The second host: resumes until the run is over."""
    before = len(bench.events())
    resumes, unknown, status = 0, 0, ""
    while status != "done" and resumes < MOST_RESUMES:
        resumes += 1
        status = (await bench.resume()).status
        if status == "paused":
            unknown += await witness(bench)
    report = await bench.replay()
    return {
        "before": before,
        "status": status,
        "resumes": resumes,
        "unknown": unknown,
        "identical": report.identical,
        "difference": str(report.difference),
        "output": bench.output(),
        "world": world(),
    }


def cuts_of(events: Sequence[Event]) -> list[str]:
    """Every place where a run like this one can be cut."""
    # Start and program are one transaction, and nothing is left of a run that was cut before it.
    first, last = (3 if events[1].kind == "action.start" else 2), len(events)
    writes = sum(isinstance(e.body, ToolAttempted) and e.line is not None for e in events)
    return [
        *(f"event-{n}" for n in range(first - 1, last)),
        *(f"lost-{n}" for n in range(first, last, EVERY_LOST)),
        *(f"write-{n}" for n in range(1, writes + 1)),
    ]


async def resume_all(folder: Path, cuts: Sequence[str]) -> None:
    """Every run that was cut, one after the other, in one fresh place."""
    place = bare_place()
    for cut in cuts:
        bench = bench_of(folder, cut)
        bench.place = place
        sys.stdout.write(json.dumps({"cut": cut, **await go_on(bench)}) + "\n")
    await place.close()


def main() -> None:
    folder, part, parts = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    whole = f"whole-{part}"
    in_a_child(folder, whole)
    cuts = cuts_of(bench_of(folder, whole).events())[part::parts]
    killed = {cut for cut in cuts if in_a_child(folder, cut)}
    asyncio.run(resume_all(folder, [cut for cut in cuts if cut in killed]))


if __name__ == "__main__":
    main()
