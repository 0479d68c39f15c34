"""Take a run to its end on this terminal: signals, narration, exit code."""

import asyncio
from collections.abc import Awaitable, Callable

from actum.cli.narration import Narrator
from actum.cli.screen import Screen, somebody_there
from actum.cli.signals import stopped_by_signals
from actum.gate.approval import Approver
from actum.journal.contract import Store
from actum.lifecycle.approving import pending_rows
from actum.lifecycle.live import LiveRun
from actum.lifecycle.resuming import is_over
from actum.loop.endings import Ending
from actum.loop.loop import Steer
from actum.records.events import ActionEnd

Opening = Callable[[], Awaitable[tuple[LiveRun, Store]]]


def approver_here(screen: Screen, *, no_wait: bool = False) -> Approver | None:
    """Who can be asked: the person at the terminal, a standing no, or nobody."""
    if no_wait:
        from actum.gate.no_wait import refuse_all

        return refuse_all
    if screen.as_json or not somebody_there():
        return None
    from actum.cli.asking import ask_at_terminal

    return ask_at_terminal


def steerer_here(screen: Screen) -> Steer | None:
    """Who can say what to do instead of a program that was stopped."""
    if screen.as_json or not somebody_there():
        return None
    from actum.cli.asking import ask_what_instead

    return ask_what_instead


def take_to_end(screen: Screen, opening: Opening) -> tuple[Ending, Store]:
    """Open a run and go on with it until it is over or has to wait."""
    if screen.as_json:
        screen.stream()
    ending, store = asyncio.run(_take_to_end(opening))
    narrator = Narrator(screen)
    if ending.status == "paused":
        narrator.waiting(store.run, pending_rows(store.events()))
    elif ending.status != "done" and not screen.as_json:
        screen.narrate(_bad_end(store, ending))
    narrator.end(store, ending)
    return ending, store


async def _take_to_end(opening: Opening) -> tuple[Ending, Store]:
    live, store = await opening()
    try:
        with stopped_by_signals(live):
            ending = await live.go()
    except asyncio.CancelledError:
        # By a signal, and by nothing else: the record says how it ended.
        over = is_over(store.events())
        if over is None:
            raise
        ending = Ending(status=over.status, exit=over.exit, reason=over.reason)
    finally:
        await live.close()
        await store.close()
    return ending, store


def _bad_end(store: Store, ending: Ending) -> str:
    lines = [f"{_WORDS.get(ending.status, ending.status)}: {ending.reason}"]
    outcomes = [e.body.outcome for e in store.events() if isinstance(e.body, ActionEnd)]
    error = outcomes[-1].error if outcomes and outcomes[-1] is not None else None
    if error is not None:
        lines.extend(
            f"  --> line {frame.line} in {frame.function}:   {frame.source}"
            for frame in error.frames
        )
        if not error.frames and error.line is not None:
            lines.append(f"  --> line {error.line}")
        lines.extend(f"      {name} = {text}" for name, text in error.names.items())
    lines.append(f"  hint: see what happened:   actum runs show {store.run}")
    return "\n".join(lines)


_WORDS = {
    "failed": "the program failed",
    "denied": "denied",
    "limit": "stopped at a limit",
    "cancelled": "stopped",
}
