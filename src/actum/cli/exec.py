"""`actum exec`: a program of your own, behind the same walls, with the same tools."""

import sys
from pathlib import Path

import click

from actum.assemble import Workshop, libraries_of, read_program
from actum.cli.files import bring_out, mount_list, mount_option, out_option
from actum.cli.frame import Frame
from actum.cli.narration import Narrator, wall_text
from actum.cli.package_options import package_list, packages_option, tell_of_packages
from actum.cli.progress import Progress
from actum.cli.to_the_end import approver_here, take_to_end
from actum.journal.contract import Store
from actum.lifecycle.live import LiveRun
from actum.lifecycle.observed import ObservedStore
from actum.lifecycle.starting import start_program
from actum.records.values import JSON


@click.command("exec")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--tools", multiple=True, type=click.Path(path_type=Path), metavar="FILE")
@click.option("--tools-as", default="tools", metavar="NAME", help="The name to import tools from.")
@click.option("--net", multiple=True, metavar="HOST", help="A host that programs may reach.")
@click.option("--place", metavar="PLACE", help="Where to run it.")
@packages_option
@mount_option
@out_option
@click.option("--seconds", type=float, help="How long the program may take.")
@click.option("--memory", type=int, metavar="MB", help="How much memory it may use.")
@click.option("--no-wait", is_flag=True, help="Refuse what would have to be asked.")
@click.pass_obj
def command(
    frame: Frame,
    *,
    file: Path,
    tools: tuple[Path, ...],
    tools_as: str,
    net: tuple[str, ...],
    place: str | None,
    packages: tuple[str, ...],
    mount: tuple[str, ...],
    out: Path | None,
    seconds: float | None,
    memory: int | None,
    no_wait: bool,
) -> int:
    """Run a Python program of your own behind the walls. `-` reads it from standard input."""
    source = sys.stdin.read() if str(file) == "-" else read_program(file)
    flags: dict[str, JSON] = {
        "limits.seconds": seconds,
        "limits.memory_mb": memory,
        "place.name": place,
        "packages": package_list(packages),
        "mounts": mount_list(mount),
    }
    workshop = Workshop(frame.settings(flags), frame.environ, network=net)
    narrator = Narrator(frame.screen)

    tell_of_packages(frame.screen, workshop)

    start = workshop.start(
        f"exec {file.name}", entry="program", tools_root=tools_as, no_wait=no_wait
    )

    async def opening() -> tuple[LiveRun, Store]:
        parts = await workshop.parts(
            sources=workshop.sources(tools),
            place=workshop.place(libraries_of(source)),
            approver=approver_here(frame.screen, no_wait=no_wait),
            listener=None if frame.screen.as_json else narrator.output,
        )
        environment = await parts.place.environment()
        record = workshop.store()
        store = ObservedStore(record, Progress(frame.screen, sys.stderr, shown=False).see)
        if sys.stderr.isatty() or environment.level != "full":
            frame.screen.notice(f"{wall_text(environment)} · record {store.run}")
        return await start_program(store, start, parts, source), store

    ending, store = take_to_end(frame.screen, opening)
    bring_out(frame.screen, out, ending, store, workshop.record(store.run))
    return ending.exit
