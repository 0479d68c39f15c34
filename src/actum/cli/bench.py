"""`actum bench NAME`: what actum costs, beside baselines in the same run."""

import asyncio
import secrets
from collections.abc import Sequence

import click
import msgspec

from actum.bench.models import bench_models
from actum.bench.report import Report, Result, Step
from actum.bench.thread import bench_thread
from actum.cli.frame import Frame

BENCHES = {"models": bench_models, "thread": bench_thread}
ROUNDS = 30
LONGEST_SEED = 2**31


@click.command("bench")
@click.argument("name", type=click.Choice(list(BENCHES)))
@click.option(
    "--rounds", type=click.IntRange(min=1), default=ROUNDS, help="How often each is done."
)
@click.option("--seed", type=int, help="Draws the order; as an earlier report names it.")
@click.pass_obj
def command(frame: Frame, *, name: str, rounds: int, seed: int | None) -> None:
    """Measure what actum costs, and what one could use in its place, by turns.

    Ratios count: milliseconds are those of this machine, as busy as it is now.
    """
    seed = secrets.randbelow(LONGEST_SEED) if seed is None else seed
    frame.screen.narrate(
        f"{rounds} rounds, about {rounds * 2} seconds. Leave the machine alone meanwhile."
    )
    report = asyncio.run(BENCHES[name](rounds, seed))
    if frame.screen.as_json:
        frame.screen.document(msgspec.to_builtins(report))
        return
    for line in (*head_of(report), "", *table_of(report.figures), *openings_of(report)):
        frame.screen.data(line)
    for note in report.notes:
        frame.screen.narrate(f"note: {note}")


def head_of(report: Report) -> list[str]:
    """What the figures were made on."""
    versions = ", ".join(f"{name} {version or 'none'}" for name, version in report.versions.items())
    before, after = (", ".join(f"{value:.2f}" for value in load) for load in report.load.values())
    return [
        f"{versions}",
        f"{report.machine['system']}, {report.machine['cores']} cores; commit {report.commit or 'none'}",
        f"load {before} before, {after} after; {report.rounds} rounds, seed {report.seed}",
    ]


def table_of(results: Sequence[Result]) -> list[str]:
    """One line for each figure and base."""
    rows = [("what", "best", "p50", "p95", "", "ratio", "at best", "to", "target", "")]
    rows += [
        (
            result.what,
            number(result.best),
            number(result.p50),
            number(result.p95),
            result.unit,
            number(result.ratio) if result.ratio is not None else "",
            number(result.best_ratio) if result.best_ratio is not None else "",
            result.base or "",
            result.target,
            result.verdict,
        )
        for result in results
    ]
    return aligned(rows, numbers={1, 2, 3, 5, 6})


def openings_of(report: Report) -> list[str]:
    """Where the time of `open` goes."""
    said: list[str] = []
    for kind, steps in report.opening.items():
        said += ["", f"the way to the result of 1+1: {kind} "]
        said.append("    since       step        cpu  ms")
        said += [step_line(step) for step in steps]
    return said


def step_line(step: Step) -> str:
    """One step, in the column of its process."""
    return f"{step.at:9.3f}  {step.ms:9.3f}  {step.cpu:9.3f}  {step.where:8} {step.step}"


def aligned(rows: Sequence[tuple[str, ...]], numbers: set[int]) -> list[str]:
    """Columns: words to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def number(value: float) -> str:
    """Three digits that say something."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}" if value < 0.1 else f"{value:.2f}"
