"""Where the time of `open` goes: one timeline of host, zygote and session."""

import contextlib
import json
import time
from collections.abc import Generator, Sequence
from pathlib import Path

import msgspec

from actum.bench import probed_zygote
from actum.bench.hosts import AnswersAtOnce, program, spec
from actum.bench.measuring import figure_of
from actum.bench.probed_zygote import OF_THE_ZYGOTE
from actum.bench.report import Step, Where
from actum.places.local import folders
from actum.places.local.interpreter import compile_ahead, this_interpreter
from actum.places.local.place import WallLevel, plan_for
from actum.places.local.process import SessionProcess
from actum.places.local.session import LocalSession
from actum.places.local.zygote_process import ZygoteProcess
from actum.records.sessions import Limits, ModuleText, OutputChunk

SCRIPT = str(Path(probed_zygote.__file__))
Times = dict[str, tuple[int, int]]
"""When each step was over, and the processor time of its main thread until then, in nanoseconds."""


class TimedZygote(ZygoteProcess):
    """Notes when the order leaves and when its answer is there."""

    def __init__(self, level: WallLevel, base: folders.BaseFolder, modules: Sequence[str]) -> None:
        self.times: Times = {}
        plan = plan_for(level, base, this_interpreter(), tuple(modules))
        super().__init__(msgspec.structs.replace(plan, script=SCRIPT))

    def note(self, step: str) -> None:
        """It is over now."""
        self.times[step] = (time.monotonic_ns(), time.thread_time_ns())

    def open(
        self,
        memory_mb: int,
        disk_mb: int,
        cpu_seconds: int,
        descriptors: Sequence[int],
        folders: int = 0,
    ) -> tuple[int, int]:
        """As any zygote does."""
        self.note("pipes and folder made")
        opened = super().open(memory_mb, disk_mb, cpu_seconds, descriptors, folders)
        self.note("order answered")
        return opened


class Collects(AnswersAtOnce):
    """Keeps what the session says of itself."""

    def __init__(self) -> None:
        super().__init__(lambda _: ModuleText())
        self.told = ""

    def output(self, chunk: OutputChunk) -> None:
        self.told += chunk.text


@contextlib.contextmanager
def timed_zygote(
    level: WallLevel, modules: Sequence[str]
) -> Generator[tuple[TimedZygote, folders.BaseFolder]]:
    """A zygote with a clock in it, and the folder of its sessions."""
    compile_ahead()
    base = folders.BaseFolder()
    try:
        zygote = TimedZygote(level, base, modules)
        try:
            zygote.wait_until_ready()
            yield zygote, base
        finally:
            zygote.close()
    finally:
        base.remove()


async def profile(level: WallLevel, modules: Sequence[str], rounds: int) -> tuple[Step, ...]:
    """The median timeline of opening a session and getting the result of `1+1`."""
    with timed_zygote(level, modules) as (zygote, base):
        await open_once(zygote, base)
        timelines = [await open_once(zygote, base) for _ in range(rounds)]
    return steps_of(timelines)


async def open_once(zygote: TimedZygote, base: folders.BaseFolder) -> Times:
    """One session, from nothing to its first result; when each step was over."""
    zygote.times.clear()
    zygote.note("")
    process = SessionProcess(zygote, base, Limits())
    zygote.note("process held")
    session = LocalSession(process, spec())
    await session.begin()
    zygote.note("session ready")
    host = Collects()
    await session.run(program("1+1"), host)
    zygote.note("result there")
    await session.run(msgspec.structs.replace(program("1+1"), step=2), host)
    zygote.note("second result there")
    await session.close()
    zygote.note("closed")
    inside = {step: (at, cpu) for step, (at, cpu) in json.loads(host.told).items()}
    return {**zygote.times, **inside}


def steps_of(timelines: Sequence[Times]) -> tuple[Step, ...]:
    """Medians, in the order in which things happen; each step against the one before it there."""
    # A busy machine may let the session tell its times before the zygote has noted its last.
    longest = max(len(times) for times in timelines)
    whole = [times for times in timelines if len(times) == longest]
    found: list[Step] = []
    for where in ("host", "zygote", "session"):
        before, *steps = in_order(whole[0], where)
        for step in steps:
            found.append(step_of(whole, before, step))
            before = step
    return tuple(sorted(found, key=lambda step: step.at))


def step_of(timelines: Sequence[Times], before: str, step: str) -> Step:
    """One step, from the end of that before it."""
    return Step(
        step=step,
        where=where_is(step),
        at=median([times[step][0] - times[""][0] for times in timelines]),
        ms=median([times[step][0] - times[before][0] for times in timelines]),
        cpu=median([used(times, before, step) for times in timelines]),
    )


def in_order(times: Times, where: Where) -> list[str]:
    """The steps of one process as they follow each other, behind that which they begin with."""
    first = {"host": "", "zygote": "pipes and folder made", "session": "pid namespace made"}[where]
    steps = [step for step in times if step and where_is(step) == where]
    return [first, *sorted(steps, key=lambda step: times[step])]


def where_is(step: str) -> Where:
    """The process that a step belongs to."""
    if step in OF_THE_HOST:
        return "host"
    return "zygote" if step in OF_THE_ZYGOTE else "session"


def used(times: Times, before: str, step: str) -> int:
    """Processor time of a step. A session's begins with its first step, as its process does."""
    where = where_is(step)
    if not before or where_is(before) == where:
        return times[step][1] - times[before][1]
    return times[step][1] if where == "session" else 0


def median(nanoseconds: Sequence[int]) -> float:
    """In milliseconds."""
    return figure_of(nanoseconds).p50 / 1e6


OF_THE_HOST = (
    "pipes and folder made",
    "order answered",
    "process held",
    "session ready",
    "result there",
    "second result there",
    "closed",
)
