"""`actum bench thread`: one run from end to end, and each of its parts, beside what one could use instead."""

import itertools
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from actum.bench.around import around_us, load_now
from actum.bench.baselines import FreshPython, WarmProcess
from actum.bench.commands import exec_once
from actum.bench.full_run import tools
from actum.bench.kinds import Kind, kinds_here
from actum.bench.measuring import Figure, Measure, figure_of, milliseconds_of, take_turns
from actum.bench.monty import CALLS, Monty
from actum.bench.opening import profile
from actum.bench.records import Records
from actum.bench.report import Line, Report, result_of
from actum.bench.sessions import LOOP, ROUND_TRIPS, OneKind, each

PROFILED = 15
SLOW, SLOWEST = 4, 8
"""What takes long is done in each fourth, or each eighth, round."""
IMPORTS = "import numpy, pandas"


async def bench_thread(rounds: int, seed: int) -> Report:
    """Measure everything by turns, then profile."""
    before = load_now()
    async with AsyncExitStack() as stack:
        kinds, notes, folder = await stack.enter_async_context(kinds_here())
        measured = await prepare(stack, kinds, folder)
        monty = await Monty.start()
        if monty is None:
            notes.append("Monty is not installed: what is compared with it has no ratio")
        else:
            stack.push_async_callback(monty.close)
        measures = [*measured.measures(), *await baselines(stack, kinds), *monty_measures(monty)]
        figures = await take_turns(measures, rounds, seed)
        figures |= await measured.memory(notes)
    opening = {
        kind.name: await profile(kind.level, kind.libraries, min(rounds, PROFILED))
        for kind in kinds
    }
    return Report(
        bench="thread",
        **around_us(),
        load={"before": before, "after": load_now()},
        rounds=rounds,
        seed=seed,
        figures=tuple(r for line in lines(kinds) if (r := result_of(line, figures)) is not None),
        opening=opening,
        notes=tuple(notes),
    )


class Measured:
    """What is ours, ready to be measured."""

    def __init__(
        self, each_kind: list[tuple[Kind, OneKind]], records: Records, folder: Path
    ) -> None:
        self._each_kind = each_kind
        self._records = records
        self._folder = folder

    def measures(self) -> Iterator[Measure]:
        """Each thing of each kind, then the journal, then a whole command."""
        for kind, one in self._each_kind:
            yield from measures_of(kind, one)
        yield Measure(what="journal: file of a new run", once=self._records.create)
        yield Measure(what="journal: event", once=self._records.event)
        yield Measure(what="journal: event on the disk", once=self._records.on_disk)
        yield Measure(
            what="actum exec, whole command", once=lambda: exec_once(self._folder), every=SLOWEST
        )

    async def memory(self, notes: list[str]) -> dict[str, Figure]:
        """Measured at the end, one kind after another."""
        found: dict[str, Figure] = {}
        for kind, one in self._each_kind:
            try:
                found[f"memory of an idle session: {kind.name}"] = figure_of([await one.memory()])
            except PermissionError:
                notes.append(f"memory cannot be read here: {kind.name}")
        return found


async def prepare(stack: AsyncExitStack, kinds: list[Kind], folder: Path) -> Measured:
    """Open the sessions and records that stay open."""
    catalog = await tools()
    each_kind: list[tuple[Kind, OneKind]] = []
    for kind in kinds:
        one = OneKind(kind, catalog, folder)
        await one.begin()
        stack.push_async_callback(one.end)
        each_kind.append((kind, one))
    records = Records(folder)
    stack.push_async_callback(records.end)
    return Measured(each_kind, records, folder)


def measures_of(kind: Kind, one: OneKind) -> Iterator[Measure]:
    """All of one kind; what libraries cannot change is left out where they are loaded."""
    name = kind.name
    yield Measure(what=f"open: {name}", once=one.open_full)
    yield Measure(what=f"open, place alone: {name}", once=one.open_alone)
    yield Measure(what=f"whole run, on the disk: {name}", once=one.whole_run)
    if kind.libraries:
        return
    yield Measure(what=f"round trip: {name}", once=one.round_trip_full)
    yield Measure(what=f"round trip, place alone: {name}", once=one.round_trip_alone)
    yield Measure(what=f"call: {name}", once=one.call_full)
    yield Measure(what=f"call, scheduler alone: {name}", once=one.call_alone)
    yield Measure(what=f"write, on the disk: {name}", once=one.write_full)
    yield Measure(what=f"processor time of a loop: {name}", once=one.loop)
    yield Measure(what=f"kill after its time: {name}", once=one.killed, every=SLOW)


async def baselines(stack: AsyncExitStack, kinds: list[Kind]) -> list[Measure]:
    """A fresh Python, and a raw fork beside each kind."""
    fresh = FreshPython()
    found = [Measure(what="python -c 1", once=lambda: milliseconds_of(fresh.run("1")))]
    for loaded, libraries in {kind.loaded: kind.libraries for kind in kinds}.items():
        warm = await WarmProcess.start(libraries)
        stack.push_async_callback(warm.close)
        found.append(fork_measure(loaded, warm))
        if libraries:
            again = Measure(
                what=IMPORTS, once=lambda: milliseconds_of(fresh.run(IMPORTS)), every=SLOWEST
            )
            found.append(again)
        else:
            found.append(Measure(what="plain Python: loop", once=lambda w=warm: w.loop(LOOP)))
    return found


def fork_measure(loaded: str, warm: WarmProcess) -> Measure:
    """The strictest base: nothing around a fork."""
    return Measure(what=f"raw fork: {loaded}", once=lambda: milliseconds_of(warm.fork()))


def monty_measures(monty: Monty | None) -> list[Measure]:
    """The same of Monty."""
    if monty is None:
        return []
    return [
        Measure(what="Monty: open", once=lambda: milliseconds_of(monty.open())),
        Measure(
            what="Monty: round trip", once=lambda: each(monty.round_trips(ROUND_TRIPS), ROUND_TRIPS)
        ),
        Measure(what="Monty: call", once=lambda: each(monty.calls(), CALLS)),
        Measure(what="Monty: plain call", once=lambda: each(monty.plain_calls(), CALLS)),
    ]


def lines(kinds: list[Kind]) -> list[Line]:
    """What is told, in order, with its base and its bound."""
    ours = itertools.chain.from_iterable(lines_of(kind) for kind in kinds)
    alone = [
        Line(what="journal: file of a new run"),
        Line(what="journal: event"),
        Line(what="journal: event on the disk"),
        Line(what="actum exec, whole command", base="python -c 1"),
    ]
    bases = ["python -c 1", IMPORTS, "raw fork: bare", "raw fork: with data", "plain Python: loop"]
    monty = ["Monty: open", "Monty: round trip", "Monty: call", "Monty: plain call"]
    return [*ours, *alone, *(Line(what=base) for base in (*bases, *monty))]


def lines_of(kind: Kind) -> list[Line]:
    """The bounds of one kind."""
    name, fork = kind.name, f"raw fork: {kind.loaded}"
    return [
        Line(what=f"open: {name}", base=fork, most=2 if kind.libraries else 3),
        *([Line(what=f"open: {name}", base=IMPORTS, most=0.04)] if kind.libraries else []),
        Line(what=f"open, place alone: {name}", base=fork),
        Line(what=f"whole run, on the disk: {name}", base=fork),
        Line(what=f"round trip: {name}", base="Monty: round trip", most=1.5),
        Line(what=f"round trip, place alone: {name}", base="Monty: round trip"),
        Line(what=f"call, scheduler alone: {name}", base="Monty: call", most=1),
        Line(what=f"call: {name}", base="Monty: call", most=2),
        Line(what=f"call: {name}", base="Monty: plain call"),
        Line(what=f"write, on the disk: {name}", base="journal: event on the disk"),
        Line(what=f"processor time of a loop: {name}", base="plain Python: loop", most=1.03),
        Line(what=f"kill after its time: {name}", most=20),
        Line(what=f"memory of an idle session: {name}", most=4 if kind.libraries else 3, unit="MB"),
    ]
