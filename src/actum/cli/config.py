"""`actum config`: what is set, where it comes from, and setting it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from actum.cli.frame import Frame
from actum.cli.screen import faint
from actum.errors import BadSetting, UserMistake
from actum.records.values import JSON

if TYPE_CHECKING:
    from actum.settings.tree import Settings


@click.group("config")
def command() -> None:
    """Show and change settings, and where each comes from."""


@command.command("show")
@click.pass_obj
def show(frame: Frame) -> None:
    """Show every setting, its value and who set it."""
    settings = frame.settings()
    document = _document(settings)
    if frame.screen.as_json:
        frame.screen.document(document)
        return
    from actum.settings.load import setting_values

    for key, value in setting_values(settings).items():
        origin = settings.origins[key]
        line = f"{key:<24} {_shown(value):<40} {origin}"
        frame.screen.data(faint(line) if origin == "default" else line)
    for policy in settings.policies:
        frame.screen.data(f"{'policy':<24} {f'{len(policy.rules)} rules':<40} {policy.path}")


@command.command("path")
@click.pass_obj
def path(frame: Frame) -> None:
    """Show which files settings are read from."""
    from actum.settings.homes import home_path, user_file

    own = user_file(frame.environ)
    project = frame.settings().project
    if frame.screen.as_json:
        document: dict[str, JSON] = {
            "user": str(own),
            "project": str(project.file) if project.file else None,
            "trusted": project.trusted,
            "home": str(home_path(frame.environ)),
        }
        frame.screen.document(document)
        return
    frame.screen.data(f"user     {own}{'' if own.is_file() else '  (not there)'}")
    used = "" if project.trusted else "  (not trusted, not used)"
    frame.screen.data(f"project  {project.file}{used}" if project.file else "project  none")
    frame.screen.data(f"data     {home_path(frame.environ)}")


@command.command("set")
@click.argument("key")
@click.argument("value")
@click.option("--project", is_flag=True, help="Write into this project's file, not your own.")
@click.pass_obj
def set_key(frame: Frame, key: str, value: str, *, project: bool) -> None:
    """Set KEY to VALUE in your own settings: actum config set budget.usd 2.

    A list is written with commas.
    """
    from actum.settings.editing import with_value
    from actum.settings.environment import value_of
    from actum.settings.load import absolute

    file = _project_file(frame) if project else _user_file(frame)
    meant = value_of(key, value, where="KEY")
    if not project:
        # A path is meant from here, not from the folder of the user's file.
        meant = absolute({key: meant}, frame.folder)[key]
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    trusted = project and (not text or _is_trusted(frame))
    after = with_value(text, key, meant, file)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text(after, encoding="utf-8")
    except OSError as error:
        raise BadSetting("this file cannot be written", where=str(file), why=str(error)) from error
    if trusted:
        # The change is the user's own word; it must not take their trust away.
        from actum.settings.trust import fingerprint, remember

        remember(file, fingerprint(file, after), frame.environ)
    if frame.screen.as_json:
        frame.screen.document({"file": str(file), "key": key, "value": meant})
    else:
        frame.screen.narrate(f"{key} is set in {file}")


def _document(settings: "Settings") -> dict[str, JSON]:
    import msgspec

    from actum.settings.load import setting_values

    values: dict[str, JSON] = {
        key: {"value": value, "origin": settings.origins[key]}
        for key, value in setting_values(settings).items()
    }
    policies: JSON = msgspec.to_builtins(settings.policies, enc_hook=str)
    return {
        "trusted": settings.project.trusted,
        "file": str(settings.project.file) if settings.project.file else None,
        "values": values,
        "policies": policies,
    }


def _shown(value: JSON) -> str:
    if value is None:
        return "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(str(part) for part in value) or "none"
    return str(value) or '""'


def _user_file(frame: Frame) -> Path:
    from actum.settings.homes import user_file

    return user_file(frame.environ)


def _project_file(frame: Frame) -> Path:
    from actum.settings.homes import FILE_NAME, project_folder

    if frame.config is not None:
        raise UserMistake(
            "--config and --project name two files",
            hints=("leave one of them out",),
        )
    return project_folder(frame.folder) / FILE_NAME


def _is_trusted(frame: Frame) -> bool:
    from actum.settings.load import find_project

    return find_project(frame.folder, config=None, environ=frame.environ)[0].trusted
