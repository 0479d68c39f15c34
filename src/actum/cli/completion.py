"""`actum completion`: a script that lets the shell complete verbs and options."""

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

from actum.cli.frame import Frame

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a completion script for your shell.

    For bash, once and for all: actum completion bash >> ~/.bashrc
    """
    frame: Frame = context.obj
    root = context.find_root().command
    source = _SHELLS[shell](root, {}, "actum", "_ACTUM_COMPLETE").source()
    if frame.screen.as_json:
        frame.screen.document({"shell": shell, "script": source})
    else:
        frame.screen.data(source)
