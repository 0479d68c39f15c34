"""Measure many things by turns, so that each meets the same machine."""

import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec

Once = Callable[[], Awaitable[float]]
"""Does the thing once and says what it took, in the unit of its figure."""

HEAD = 1
"""Rounds that only warm up."""


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to measure."""

    what: str
    once: Once
    every: int = 1
    """Slow things are done in each so-manieth round, from the first that counts."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one thing."""

    best: float
    """The least: what it costs where nothing else wants the machine."""
    p50: float
    p95: float
    samples: int


async def take_turns(measures: Sequence[Measure], rounds: int, seed: int) -> dict[str, Figure]:
    """Do each once a round, in an order that is drawn anew each time."""
    chance = random.Random(seed)  # noqa: S311 -- an order, not a secret
    seen: dict[str, list[float]] = {measure.what: [] for measure in measures}
    for number in range(HEAD + rounds):
        order = list(measures)
        chance.shuffle(order)
        for measure in order:
            if (number - HEAD) % measure.every:
                continue
            took = await measure.once()
            if number >= HEAD:
                seen[measure.what].append(took)
    return {what: figure_of(samples) for what, samples in seen.items()}


def figure_of(samples: Sequence[float]) -> Figure:
    """The middle, and what nineteen of twenty stay below."""
    ordered = sorted(samples)
    return Figure(
        best=ordered[0],
        p50=statistics.median(ordered),
        p95=ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))],
        samples=len(ordered),
    )


async def seconds_of(doing: Awaitable[object]) -> float:
    """How long it takes by the clock on the wall."""
    before = time.perf_counter()
    await doing
    return time.perf_counter() - before


async def milliseconds_of(doing: Awaitable[object]) -> float:
    """The same in milliseconds."""
    return await seconds_of(doing) * 1000
