"""`actum approve`: decide what paused runs wait for. It never goes on with a run: `resume` does."""

import asyncio
import getpass
import json
from collections.abc import Sequence
from pathlib import Path

import click

from actum.cli.approval_table import choices, row_document, table_text
from actum.cli.finding import open_for_writing, recorded_events, run_file
from actum.cli.frame import Frame
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
@click.option("--deny", is_flag=True, help="Refuse every row; with --select, those rows.")
@click.option("--edit", metavar="N=JSON", help="Allow a row with other arguments.")
@click.option("--rest", is_flag=True, help="Allow these and later calls of the same tools.")
@click.option("--retry", type=int, metavar="N", help="Unknown outcome: call it again.")
@click.option(
    "--happened", metavar="N=JSON", help="Unknown outcome: it happened, with this result."
)
@click.option("--fail", type=int, metavar="N", help="Unknown outcome: give it up.")
@click.pass_obj
def command(frame: Frame, *, run: str | None, **given: str | int | bool | None) -> None:
    """List what waits, or decide it. Go on afterwards with `actum resume`."""
    chosen = {name: value for name, value in given.items() if value not in {None, False}}
    if len(chosen) > 1 and set(chosen) != {"deny", "select"}:
        raise UserMistake("more than one choice at once", hints=("give one of them a time",))
    paths = [run_file(frame, run)] if run else _paused(frame)
    waiting = [(path, rows) for path in paths if (rows := pending_rows(recorded_events(path)))]
    if not chosen:
        _show(frame, waiting)
        return
    path, rows = _the_one(waiting, run)
    decisions = _decisions(Choice(rows, by=getpass.getuser()), chosen)
    asyncio.run(_write(path, decisions))
    _told(frame, path.stem, decisions, len(rows) - len(decisions))


def _decisions(
    choice: Choice, chosen: dict[str, str | int | bool | None]
) -> list[ApprovalDecision]:
    """What was typed, as decisions about rows."""
    match chosen:
        case {"deny": True, "select": str(numbers)}:
            return choice.deny(_numbers(numbers))
        case {"deny": True}:
            return choice.deny()
        case {"select": str(numbers)}:
            return choice.select(_numbers(numbers))
        case {"edit": str(text)}:
            number, value = _numbered_json("--edit", text)
            return choice.edited(number, value if isinstance(value, dict) else {})
        case {"retry": int(number)}:
            return choice.unknown(number, "retry")
        case {"fail": int(number)}:
            return choice.unknown(number, "fail")
        case {"happened": str(text)}:
            number, value = _numbered_json("--happened", text)
            return choice.unknown(number, "happened", value)
        case _:
            return choice.all(rest="rest" in chosen)


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
        rows = [row for _, found in waiting for row in found]
        frame.screen.narrate(f"decide: actum approve RUN {choices(rows)}")
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
        f"{len(waiting)} runs wait: {names}",
        hints=("say which one, with its choice:   actum approve RUN ...",),
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


def _numbered_json(option: str, text: str) -> tuple[int, JSON]:
    number, sign, value = text.partition("=")
    try:
        if sign and number.isdigit():
            return int(number), json.loads(value)
    except ValueError as error:
        raise _not_json(value) from error
    raise UserMistake(
        f"{option} takes N=JSON, not {text!r}", hints=("like this: --happened 1='\"sent\"'",)
    )


def _not_json(value: str) -> ActumError:
    return UserMistake(
        f"{value!r} is no JSON", hints=("text needs quotes: --happened 1='\"sent\"'",)
    )
