"""Where `actum` begins and ends: reads the command line, and turns every end into an exit code."""

import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from types import FrameType

import click

from actum.cli.frame import Frame, VerbGroup, add_shared_options
from actum.cli.screen import BROKEN_PIPE, ReaderGone, Screen
from actum.errors import ActumError, UserMistake

INTERRUPTED = 130
TERMINATED = 143


class Terminated(SystemExit):
    """Somebody asked the process to end. Cleanups run on its way out."""


class Internal(ActumError):
    """A mistake of actum itself."""

    code = "internal"


@click.group(
    cls=VerbGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.pass_context
def actum(context: click.Context) -> None:
    """Run agents whose action is a Python program, with every act on record.

    actum "some task" gives a task to an agent.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line to its end, and give its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    screen = Screen()
    # An error in the command line itself comes before its options are read.
    screen.as_json = "--json" in words[: words.index("--")] if "--" in words else "--json" in words
    signal.signal(signal.SIGTERM, _terminate)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without a character shows its code; it never ends a run.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(words, screen)
    except ActumError as error:
        screen.error(error)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Terminated:
        return TERMINATED
    except ReaderGone:
        return BROKEN_PIPE
    except Exception as error:  # noqa: BLE001 - the last place where it can be told
        screen.error(_internal(error))
        return Internal.exit_code


def _run(words: list[str], screen: Screen) -> int:
    try:
        result = actum.main(words, prog_name="actum", standalone_mode=False, obj=Frame(screen))
    except click.ClickException as error:
        raise _usage(error) from error
    return result if isinstance(result, int) else 0


def _usage(error: click.ClickException) -> UserMistake:
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "actum"
    message = error.format_message()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        message = f"{path} needs one of its commands"
    return UserMistake(
        message[:1].lower() + message[1:].rstrip("."),
        hints=(f"see how it is used:   {path} --help",),
    )


def _internal(error: Exception) -> Internal:
    """One line about a mistake of ours, and where the rest of it stands."""
    text = "".join(traceback.format_exception(error))
    message = f"{type(error).__name__}: {error}"
    if os.environ.get("ACTUM_DEBUG"):
        print(text, file=sys.stderr)
        return Internal(message)
    return Internal(
        message,
        where=_write_down(text),
        why="this is a mistake of actum itself, not of yours",
        hints=("see the whole of it at once:   ACTUM_DEBUG=1 actum ...",),
    )


def _write_down(text: str) -> str:
    from actum.settings.homes import actum_home

    try:
        path = actum_home(os.environ) / "last-crash.txt"
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
    except (ActumError, OSError):
        return ""
    return str(path)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated(TERMINATED)


add_shared_options(actum)
