"""What a run says while it goes on: its output as it comes, or events as JSON lines."""

import sys
from collections.abc import Sequence

import msgspec

from actum.cli.approval_table import choices, row_document, table_text
from actum.cli.screen import Screen, somebody_there
from actum.journal.contract import Store
from actum.lifecycle.shown_results import figures_in, named, tables_in
from actum.loop.endings import Ending
from actum.records.call_events import PendingRow
from actum.records.events import Event
from actum.records.sessions import Environment, OutputChunk
from actum.records.values import JSON
from actum.session.artifacts import left_files


class Narrator:
    """Shows one run on one screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def output(self, chunk: OutputChunk) -> None:
        """What the program prints, where it printed it."""
        if self._screen.as_json:
            self._screen.event({"event": "output", "stream": chunk.stream, "text": chunk.text})
            return
        if chunk.stream == "stdout":
            self._screen.write(chunk.text)
            return
        sys.stderr.write(chunk.text)
        sys.stderr.flush()

    def waiting(self, run: str, rows: Sequence[PendingRow]) -> None:
        """What the run waits for, and how to decide it."""
        if self._screen.as_json:
            for number, row in enumerate(rows, 1):
                self._screen.event({"event": "approval", **row_document(run, number, row)})
            return
        if not somebody_there():
            self._screen.narrate(table_text(rows))
        self._screen.narrate(
            f"run {run} waits.   decide: actum approve {run} {choices(rows)}"
            f"   then: actum resume {run}"
        )

    def end(self, store: Store, ending: Ending) -> None:
        """The last line of a run for scripts."""
        if self._screen.as_json:
            self._screen.event(end_document(store, ending))


def end_document(store: Store, ending: Ending) -> dict[str, JSON]:
    """`{"event": "end", ...}`, as scripts read it."""
    from actum.loop.spending import usage_of

    events = store.events()
    return {
        "event": "end",
        "run": store.run,
        "status": ending.status,
        "output": ending.output,
        "reason": ending.reason,
        "exit": ending.exit,
        "usage": msgspec.structs.asdict(usage_of(events)),
        "artifacts": artifacts(events),
        "figures": named(figures_in(events), "figure"),
        "tables": named(tables_in(events), "table"),
    }


def artifacts(events: Sequence[Event]) -> list[JSON]:
    """The files that programs left, as they are at the end."""
    return [
        {"name": name, "size": blob.size, "sha256": blob.sha256}
        for name, blob in left_files(events).items()
    ]


def wall_text(environment: Environment) -> str:
    """`place local: full (no Landlock)`."""
    landlock = environment.layers.get("landlock", "")
    tail = "" if environment.level != "full" or landlock.startswith("ok") else " (no Landlock)"
    return f"place {environment.place}: {environment.level}{tail}"
