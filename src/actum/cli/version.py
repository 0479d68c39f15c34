"""`actum version`."""

import platform

import click

import actum
from actum.cli.frame import Frame


@click.command("version")
@click.pass_obj
def command(frame: Frame) -> None:
    """Print the version."""
    if frame.screen.as_json:
        frame.screen.document({"actum": actum.__version__, "python": platform.python_version()})
    else:
        frame.screen.data(f"actum {actum.__version__}")
