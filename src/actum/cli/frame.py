"""What every verb is given, and how `actum` finds the verb that was meant."""

from __future__ import annotations

import difflib
import importlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from actum.cli.screen import Screen, confirm, somebody_there
from actum.cli.verbs import VERBS
from actum.errors import UserMistake

if TYPE_CHECKING:
    from actum.records.values import JSON
    from actum.settings.tree import Settings


class Frame:
    """What every verb is given: the screen, the folder, the environment, the settings."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.config: Path | None = None
        self.folder = Path.cwd()
        self.environ: Mapping[str, str] = os.environ

    def settings(self, flags: Mapping[str, JSON] | None = None) -> Settings:
        """The settings of this folder. What was left out of them is said on the screen."""
        settings = self._load(flags)
        if settings.project.trust == "changed" and self._trusted_again(settings):
            settings = self._load(flags)
        for text in settings.notices:
            self.screen.notice(text)
        return settings

    def _load(self, flags: Mapping[str, JSON] | None) -> Settings:
        from actum.settings.load import load_settings

        return load_settings(self.folder, config=self.config, flags=flags, environ=self.environ)

    def _trusted_again(self, settings: Settings) -> bool:
        """Ask whether a folder that changed is still trusted."""
        from actum.settings.load import find_project
        from actum.settings.trust import fingerprint, remember

        if self.screen.as_json or not somebody_there():
            return False
        project, text = find_project(self.folder, config=None, environ=self.environ)
        if project.file is None:
            return False
        hashes = fingerprint(project.file, text)
        what = ", ".join(settings.project.changed)
        self.screen.narrate(f"{what} changed since this folder was trusted: actum trust --show")
        if not confirm("Use it as it is now?"):
            return False
        remember(project.file, hashes, self.environ)
        return True


class VerbGroup(click.Group):
    """The verbs, each loaded when it is used. What is no verb is a task."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"actum.cli.{cmd_name}").command
        add_shared_options(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs from the table: loading them all would take its time."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = _first_word(args)
        if at is not None and args[at] == "--version":
            args = [*args[:at], "version", *args[at + 1 :]]
        elif at is not None and args[at] not in VERBS:
            _refuse_a_slip(args[at])
            args = [*args[:at], "run", *args[at:]]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            # Click would take any broken pipe for a reader who left, and end in silence.
            raise RuntimeError("a pipe to another process broke") from error


def _first_word(args: list[str]) -> int | None:
    """Where the verb or the task stands, after the options that belong to `actum` itself."""
    at = 0
    while at < len(args):
        word = args[at]
        if word == "--config":
            at += 2
        elif word == "--json" or word.startswith("--config="):
            at += 1
        elif word in {"-h", "--help"}:
            return None
        else:
            return at
    return None


def _refuse_a_slip(word: str) -> None:
    """A single word that looks like a verb is a slip, not a task to spend money on."""
    near = () if any(c.isspace() for c in word) else difflib.get_close_matches(word, VERBS, n=1)
    as_task = (f'as a task:   actum run "{word}"',) if "run" in VERBS else ()
    if near:
        hints = (f"did you mean {near[0]}?   actum {near[0]}", *as_task)
        raise UserMistake(f"there is no command {word!r}", hints=hints)
    if "run" not in VERBS or not word:
        message = f"there is no command {word!r}" if word else "the task is empty"
        raise UserMistake(message, hints=("see what there is:   actum --help",))


def add_shared_options(command: click.Command) -> None:
    """Every command takes `--json` and `--config`, wherever they are written."""
    names = {parameter.name for parameter in command.params}
    command.params.extend(o for o in _shared_options() if o.name not in names)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            add_shared_options(inner)


def _shared_options() -> list[click.Option]:
    return [
        click.Option(
            ["--json", "json"],
            is_flag=True,
            expose_value=False,
            callback=_when_given(_take_json),
            help="Answer as JSON.",
        ),
        click.Option(
            ["--config", "config"],
            metavar="FILE",
            type=click.Path(path_type=Path),
            expose_value=False,
            callback=_when_given(_take_config),
            help="Use this file as the project's settings.",
        ),
    ]


def _when_given(
    take: Callable[[Frame, object], None],
) -> Callable[[click.Context, click.Parameter, object], None]:
    def callback(context: click.Context, _parameter: click.Parameter, value: object) -> None:
        # Given before the verb it stays given, though the verb itself was not told.
        if value:
            take(context.find_root().obj, value)

    return callback


def _take_json(frame: Frame, _value: object) -> None:
    frame.screen.as_json = True


def _take_config(frame: Frame, value: object) -> None:
    frame.config = Path(str(value))
