"""What commands have in common about files: folders that go in, and files that come out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from actum.cli.screen import Screen
    from actum.journal.contract import Store
    from actum.loop.endings import Ending
    from actum.records.values import JSON

F = TypeVar("F", bound=Callable[..., object])


def mount_option(command: F) -> F:
    """`--mount PATH`, as often as there are folders."""
    return click.option(
        "--mount", multiple=True, metavar="PATH", help="A folder that programs may read."
    )(command)


def out_option(command: F) -> F:
    """`--out DIR`."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Where to write figures, and what programs leave under out/.",
    )(command)


def mount_list(mounts: tuple[str, ...]) -> JSON:
    """The folders as a setting; None where none was named."""
    return list(mounts) or None


def bring_out(screen: Screen, out: Path | None, ending: Ending, store: Store, record: Path) -> None:
    """Write the artifacts and figures of a run that has ended where the user wants them."""
    from actum.session.artifacts import left_behind, left_files

    events = store.events()
    for name, problem in left_behind(events).items():
        screen.narrate(f"out/{name} was left behind: {problem}")
    if out is None or ending.status == "paused":
        return
    from actum.journal.blobs import read_blob
    from actum.lifecycle.out_folder import write_files
    from actum.lifecycle.shown_results import picture_files

    # A file that a program itself has left under the name of a figure is the one that is wanted.
    files = {**picture_files(events), **left_files(events)}
    written = write_files(files, lambda blob: read_blob(record, blob), out)
    for name in written:
        screen.narrate(f"{out / name}")
