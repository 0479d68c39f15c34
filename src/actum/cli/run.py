"""`actum run`, and `actum "task"`: a task for an agent."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import click

from actum.assemble import Workshop
from actum.cli.answer_types import answer_schema
from actum.cli.files import bring_out, mount_list, mount_option, out_option
from actum.cli.frame import Frame
from actum.cli.narration import wall_text
from actum.cli.package_options import package_list, packages_option, tell_of_packages
from actum.cli.progress import Progress
from actum.cli.to_the_end import approver_here, steerer_here, take_to_end
from actum.journal.contract import Store
from actum.lifecycle.live import LiveRun
from actum.lifecycle.mounts import with_here
from actum.lifecycle.observed import ObservedStore
from actum.lifecycle.starting import (
    environment_for,
    native_tools,
    refuse_oversights,
    start_task,
)
from actum.loop.endings import Ending
from actum.loop.many_tools import left_out
from actum.loop.spending import usage_of
from actum.records.events import RunStart
from actum.records.values import JSON


@click.command("run")
@click.argument("task")
@click.option("--tools", multiple=True, type=click.Path(path_type=Path), metavar="FILE")
@click.option("--tools-as", default="tools", metavar="NAME", help="The name to import tools from.")
@click.option("--model", metavar="MODEL", help="provider:name, a URL with #name, or scripted:FILE.")
@click.option("--format", "action_format", type=click.Choice(["auto", "code", "json"]))
@click.option("--net", multiple=True, metavar="HOST", help="A host that programs may reach.")
@click.option("--place", metavar="PLACE", help="Where programs run.")
@packages_option
@mount_option
@out_option
@click.option("--usd", type=float, help="What the run may cost.")
@click.option("--seconds", type=float, help="How long the run may take.")
@click.option(
    "--output", metavar="TYPE", help="What the answer must be: list[dict], int, a schema."
)
@click.option("--no-wait", is_flag=True, help="Refuse what would have to be asked.")
@click.pass_obj
def command(
    frame: Frame,
    *,
    task: str,
    tools: tuple[Path, ...],
    tools_as: str,
    model: str | None,
    action_format: str | None,
    net: tuple[str, ...],
    place: str | None,
    packages: tuple[str, ...],
    mount: tuple[str, ...],
    out: Path | None,
    usd: float | None,
    seconds: float | None,
    output: str | None,
    no_wait: bool,
) -> int:
    """Give a task to an agent. The answer goes to stdout, everything else to stderr."""
    flags: dict[str, JSON] = {
        "format": action_format,
        "place.name": place,
        "packages": package_list(packages),
        "mounts": mount_list(mount),
        "budget.usd": usd,
        "budget.seconds": seconds,
    }
    workshop = Workshop(frame.settings(flags), frame.environ, network=net)
    tell_of_packages(frame.screen, workshop)
    schema = None if output is None else answer_schema(output)
    start = workshop.start(task, tools_root=tools_as, no_wait=no_wait, output_schema=schema)
    opening = _Opening(frame, workshop, start, model=model, tools=tools)
    ending, store = take_to_end(frame.screen, opening)
    bring_out(frame.screen, out, ending, store, workshop.record(store.run))
    if not frame.screen.as_json:
        _last_lines(frame, ending, store)
    return ending.exit


class _Opening:
    """Opens the run, and says first what it will use."""

    def __init__(
        self,
        frame: Frame,
        workshop: Workshop,
        start: RunStart,
        *,
        model: str | None,
        tools: tuple[Path, ...],
    ) -> None:
        self._frame = frame
        self._workshop = workshop
        self._start = start
        self._model = model
        self._tools = tools

    async def __call__(self) -> tuple[LiveRun, Store]:
        """Put its parts together, and begin its record."""
        workshop, notice = self._workshop, self._frame.screen.notice
        model, why = workshop.model(self._model)
        _say(notice, workshop.price_notice(model))
        approver = approver_here(self._frame.screen, no_wait=self._start.no_wait)
        parts = await workshop.parts(
            sources=workshop.sources(self._tools),
            model=model,
            approver=approver,
            steer=steerer_here(self._frame.screen),
        )
        if approver is None:
            refuse_oversights(self._start, parts)
        environment = await environment_for(self._start, parts)
        can = "mounts" in parts.place.capabilities
        start, unmounted = with_here(self._start, Path.cwd(), self._frame.environ, can=can)
        _say(notice, unmounted)
        wall = "no programs, JSON calls" if environment is None else wall_text(environment)
        file = workshop.store()
        notice(
            f"model {model.name} ({why}) · {_at_most(workshop)} · {wall}"
            f"{_files(start)} · record {file.run} stays on this machine"
        )
        _say(notice, left_out(parts.catalog.specs, native_tools(start, parts)))
        store = ObservedStore(file, Progress(self._frame.screen, sys.stderr).see)
        return await start_task(store, start, parts), store


def _say(notice: Callable[[str], None], text: str | None) -> None:
    if text:
        notice(text)


def _last_lines(frame: Frame, ending: Ending, store: Store) -> None:
    """The answer, and what it took."""
    if ending.status == "done":
        frame.screen.data(answer_text(ending.output))
    usage = usage_of(store.events())
    frame.screen.narrate(
        f"  {usage.calls} calls · {usage.requests} requests · {usage.tokens:,} tokens · "
        f"{_money(usage.usd)} · {usage.seconds:.1f} s      "
        f"again, offline: actum replay {store.run}"
    )


def answer_text(output: JSON) -> str:
    """An answer as a person reads it: words as they are, data as JSON."""
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, indent=2)


def _files(start: RunStart) -> str:
    names = ", ".join(mount.name for mount in start.mounts)
    return f" · files {names} read-only" if names else ""


def _at_most(workshop: Workshop) -> str:
    usd = workshop.settings.budget.usd
    return "no limit on its cost" if usd is None else f"at most ${usd:.2f}"


def _money(usd: float | None) -> str:
    return "price not known" if usd is None else f"${usd:.3f}"
