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
from actum.bench.report import Step
from actum.places.local import folders
from actum.places.local.interpreter import compile_ahead, this_interpreter
from actum.places.local.place import WallLevel, plan_for
from actum.places.local.process import SessionProcess
from actum.places.local.session import LocalSession
from actum.places.local.zygote_process import ZygoteProcess
from actum.records.sessions import Limits, ModuleText, OutputChunk

SCRIPT = str(Path(probed_zygote.__file__))
Times = dict[str, int]


class TimedZygote(ZygoteProcess):
    """Notes when the order leaves and when its answer is there."""

    def __init__(self, level: WallLevel, base: folders.BaseFolder, modules: Sequence[str]) -> None:
        self.times: Times = {}
        plan = plan_for(level, base, this_interpreter(), tuple(modules))
        super().__init__(msgspec.structs.replace(plan, script=SCRIPT))

    def note(self, step: str) -> None:
        """It is over now."""
        self.times[step] = time.monotonic_ns()

    def open(
        self, memory_mb: int, disk_mb: int, cpu_seconds: int, descriptors: Sequence[int]
    ) -> tuple[int, int]:
        """As any zygote does."""
        self.note("pipes and folder made")
        opened = super().open(memory_mb, disk_mb, cpu_seconds, descriptors)
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
    inside: Times = json.loads(host.told)
    return {**zygote.times, **inside}


def steps_of(timelines: Sequence[Times]) -> tuple[Step, ...]:
    """Medians, in the order in which things happen; each step against the one before it there."""
    own = set(OF_THE_ZYGOTE)
    host = {step for step in timelines[0] if step in HOST}
    middle = {
        step: figure_of([times[step] - times[""] for times in timelines if step in times]).p50 / 1e6
        for step in timelines[0]
    }
    found: list[Step] = []
    last = {
        "host": 0.0,
        "zygote": middle["pipes and folder made"],
        "session": middle["pid namespace made"],
    }
    for step in sorted(middle, key=lambda name: middle[name]):
        if not step:
            continue
        where = "host" if step in host else "zygote" if step in own else "session"
        found.append(Step(step=step, where=where, at=middle[step], ms=middle[step] - last[where]))
        last[where] = middle[step]
    return tuple(found)


HOST = (
    "pipes and folder made",
    "order answered",
    "process held",
    "session ready",
    "result there",
    "second result there",
    "closed",
)
