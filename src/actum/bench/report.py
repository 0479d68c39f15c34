"""What a bench has found: figures, ratios, and whether they are what was promised."""

from typing import Literal

import msgspec

from actum.bench.measuring import Figure

Unit = Literal["ms", "MB", "x"]
Verdict = Literal["met", "missed", ""]
Where = Literal["host", "zygote", "session"]


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be told of one measured thing."""

    what: str
    base: str | None = None
    """The measured thing that it is divided by. Without one, the figure itself is compared."""
    most: float | None = None
    unit: Unit = "ms"

    @property
    def target(self) -> str:
        """As people read it."""
        if self.most is None:
            return ""
        bound = f"<= {self.most:g}"
        return f"{bound} x {self.base}" if self.base else f"{bound} {self.unit}"


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a report."""

    what: str
    unit: Unit
    best: float
    p50: float
    p95: float
    samples: int
    base: str | None
    ratio: float | None
    """Of the middles; the verdict is about this one."""
    best_ratio: float | None
    """Of the least: what is left of it when the load is not."""
    target: str
    verdict: Verdict


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the way to an open session."""

    step: str
    where: Where
    at: float
    """Milliseconds since the beginning."""
    ms: float
    """Milliseconds since the step before it in the same process."""
    cpu: float
    """Milliseconds of the processor among them: these do not grow with the load."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a bench says."""

    bench: str
    commit: str | None
    versions: dict[str, str | None]
    machine: dict[str, str | int]
    load: dict[str, list[float]]
    rounds: int
    seed: int
    figures: tuple[Result, ...]
    opening: dict[str, tuple[Step, ...]]
    """Where the time of `open` goes, for each kind of session."""
    notes: tuple[str, ...] = ()


def result_of(line: Line, figures: dict[str, Figure]) -> Result | None:
    """A line with its figures; None where the thing was not measured."""
    figure = figures.get(line.what)
    if figure is None:
        return None
    base = figures.get(line.base) if line.base else None
    ratio = figure.p50 / base.p50 if base else None
    compared = ratio if line.base else figure.p50
    return Result(
        what=line.what,
        unit=line.unit,
        best=figure.best,
        p50=figure.p50,
        p95=figure.p95,
        samples=figure.samples,
        base=line.base if base else None,
        ratio=ratio,
        best_ratio=figure.best / base.best if base else None,
        target=line.target,
        verdict=verdict_of(line, compared),
    )


def verdict_of(line: Line, value: float | None) -> Verdict:
    """Whether a bound holds; nothing where there is none, or nothing to compare with."""
    if value is None or line.most is None:
        return ""
    return "met" if value <= line.most else "missed"
