"""`actum resume`: go on with a run that waits or was cut off."""

from pathlib import Path

import click

from actum.assemble import Workshop
from actum.cli.files import bring_out, out_option
from actum.cli.finding import open_for_writing, run_file
from actum.cli.frame import Frame
from actum.cli.narration import Narrator
from actum.cli.run import answer_text
from actum.cli.to_the_end import approver_here, take_to_end
from actum.errors import UserMistake
from actum.journal.contract import Store
from actum.lifecycle.live import LiveRun, run_start
from actum.lifecycle.resuming import is_over


@click.command("resume")
@click.argument("run", default="last")
@click.option("--no-wait", is_flag=True, help="Refuse what would have to be asked.")
@out_option
@click.pass_obj
def command(frame: Frame, *, run: str, no_wait: bool, out: Path | None) -> int:
    """Go on with a run that waits or was cut off. Nothing that happened happens again."""
    path = run_file(frame, run)
    workshop = Workshop(frame.settings(), frame.environ)
    narrator = Narrator(frame.screen)
    is_task = False

    async def opening() -> tuple[LiveRun, Store]:
        nonlocal is_task
        store = open_for_writing(path)
        end = is_over(store.events())
        if end is not None:
            await store.close()
            raise UserMistake(
                f"run {store.run} is over: {end.status}",
                hints=(f"see it again, offline:   actum replay {store.run}",),
            )
        is_task = run_start(store.events())[1].entry == "task"
        live, notes = await workshop.resume(
            store,
            approver=approver_here(frame.screen, no_wait=no_wait),
            listener=None if is_task else narrator.output,
        )
        for note in notes:
            frame.screen.notice(note)
        return live, store

    ending, store = take_to_end(frame.screen, opening)
    bring_out(frame.screen, out, ending, store, path)
    if is_task and ending.status == "done" and not frame.screen.as_json:
        frame.screen.data(answer_text(ending.output))
    return ending.exit
