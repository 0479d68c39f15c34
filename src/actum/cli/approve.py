"""`actum approve`: decide what paused runs wait for. It never goes on with a run: `resume` does."""

import asyncio
import getpass
import json
from collections.abc import Sequence
from pathlib import Path

import click

from actum.cli.finding import open_for_writing, recorded_events, run_file
from actum.cli.frame import Frame
from actum.cli.narration import row_document, table_text
from actum.errors import ActumError, NothingToDecide, UserMistake
from actum.journal.index import list_runs
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision
from actum.records.values import JSON
from actum.settings.homes import runs_folder


@click.command("approve")
@click.argument("run", required=False)
@click.option("--all", "every", is_flag=True, help="Allow every row but the destructive ones.")
@click.option("--select", metavar="1,3", help="Allow these rows.")
@click.option("--deny", is_flag=False, flag_value="all", metavar="[2]", help="Refuse rows, or all.")
@click.option("--rest", is_flag=True, help="Allow these and later calls of the same tools.")
@click.option("--retry", type=int, metavar="N", help="Unknown outcome: call it again.")
@click.option(
    "--happened", metavar="N=JSON", help="Unknown outcome: it happened, with this result."
)
@click.option("--fail", type=int, metavar="N", help="Unknown outcome: give it up.")
@click.pass_obj
def command(
    frame: Frame,
    *,
    run: str | None,
    every: bool,
    select: str | None,
    deny: str | None,
    rest: bool,
    retry: int | None,
    happened: str | None,
    fail: int | None,
) -> None:
    """List what waits, or decide it. Go on afterwards with `actum resume`."""
    wanted = [every, select, deny, rest, retry, happened, fail]
    count = sum(choice not in (None, False) for choice in wanted)
    if count > 1:
        raise UserMistake("more than one choice at once", hints=("give one of them a time",))
    paths = [run_file(frame, run)] if run else _paused(frame)
    waiting = [(path, rows) for path in paths if (rows := pending_rows(recorded_events(path)))]
    if not count:
        _show(frame, waiting)
        return
    path, rows = _the_one(waiting, run)
    choice = Choice(rows, by=getpass.getuser())
    if every or rest:
        decisions = choice.all(rest=rest)
    elif select is not None:
        decisions = choice.select(_numbers(select))
    elif deny is not None:
        decisions = choice.deny(None if deny == "all" else _numbers(deny))
    elif retry is not None:
        decisions = choice.unknown(retry, "retry")
    elif fail is not None:
        decisions = choice.unknown(fail, "fail")
    else:
        number, value = _happened(happened or "")
        decisions = choice.unknown(number, "happened", value)
    asyncio.run(_write(path, decisions))
    _told(frame, path.stem, decisions, len(rows) - len(decisions))


def _paused(frame: Frame) -> list[Path]:
    runs = list_runs(runs_folder(frame.environ, frame.folder))
    return [
        Path(run.path) for run in runs if run.status in {"paused", "broken"} and not run.problem
    ]


def _show(frame: Frame, waiting: Sequence[tuple[Path, list[PendingRow]]]) -> None:
    if frame.screen.as_json:
        frame.screen.document(
            [
                row_document(path.stem, number, row)
                for path, rows in waiting
                for number, row in enumerate(rows, 1)
            ]
        )
        return
    for path, rows in waiting:
        frame.screen.data(f"run {path.stem}\n{table_text(rows)}")
    if waiting:
        frame.screen.narrate("decide: actum approve RUN --all | --select 1,3 | --deny | --rest")
    else:
        frame.screen.narrate("nothing waits for a decision in this project")


def _the_one(
    waiting: Sequence[tuple[Path, list[PendingRow]]], run: str | None
) -> tuple[Path, list[PendingRow]]:
    if len(waiting) == 1:
        return waiting[0]
    if not waiting:
        what = f"run {run} waits for nothing" if run else "nothing waits in this project"
        raise NothingToDecide(what, hints=("see the runs:   actum runs list",))
    names = ", ".join(path.stem for path, _ in waiting)
    raise NothingToDecide(
        f"{len(waiting)} runs wait: {names}", hints=("say which one:   actum approve RUN --all",)
    )


async def _write(path: Path, decisions: Sequence[ApprovalDecision]) -> None:
    store = open_for_writing(path)
    try:
        await decide(store, decisions)
    finally:
        await store.close()


def _told(frame: Frame, run: str, decisions: Sequence[ApprovalDecision], left: int) -> None:
    if frame.screen.as_json:
        frame.screen.document({"run": run, "decided": len(decisions), "open": left})
        return
    for decision in decisions:
        frame.screen.data(f"{decision.decision}  call {decision.call}  {decision.tool}")
    still = f"{left} still open; " if left else ""
    frame.screen.narrate(f"{still}go on with it:   actum resume {run}")


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.replace(",", " ").split()]
    except ValueError as error:
        raise UserMistake(f"{text!r} is no list of numbers", hints=("like this: 1,3",)) from error


def _happened(text: str) -> tuple[int, JSON]:
    number, sign, value = text.partition("=")
    try:
        if sign and number.isdigit():
            return int(number), json.loads(value)
    except ValueError as error:
        raise _not_json(value) from error
    raise UserMistake(
        f"--happened takes N=JSON, not {text!r}", hints=("like this: --happened 1='\"sent\"'",)
    )


def _not_json(value: str) -> ActumError:
    return UserMistake(
        f"{value!r} is no JSON", hints=("text needs quotes: --happened 1='\"sent\"'",)
    )
