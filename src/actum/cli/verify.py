"""`actum verify`: prove that a record is as it was written."""

import click
import msgspec

from actum.cli.finding import run_file
from actum.cli.frame import Frame
from actum.errors import DoesNotVerify
from actum.journal.index import run_files
from actum.journal.verify import Verdict, verify
from actum.settings.homes import runs_folder


@click.command("verify")
@click.argument("run", default="last")
@click.option("--all", "every", is_flag=True, help="Every run of this project.")
@click.pass_obj
def command(frame: Frame, *, run: str, every: bool) -> int:
    """Check every row, hash and blob of a run. Exit 7 where one is not as it was written."""
    paths = run_files(runs_folder(frame.environ, frame.folder)) if every else [run_file(frame, run)]
    verdicts = [verify(path) for path in paths]
    if frame.screen.as_json:
        frame.screen.document(msgspec.to_builtins(verdicts))
    else:
        for verdict in verdicts:
            frame.screen.data(_line(verdict))
    return 0 if all(verdict.intact for verdict in verdicts) else DoesNotVerify.exit_code


def _line(verdict: Verdict) -> str:
    if verdict.problem is None:
        tail = "whole" if verdict.complete else "not ended"
        return f"{verdict.run}  intact, {verdict.events} events, {tail}; not sealed"
    problem = verdict.problem
    place = "" if problem.seq is None else f"event {problem.seq}"
    kind = f" ({problem.kind})" if problem.kind else ""
    return f"{verdict.run}  NOT intact  {place}{kind}: {problem.what}"
