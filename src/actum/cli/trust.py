"""`actum trust`: see what a folder's own settings would do, and let them."""

import click
import msgspec

from actum.cli.frame import Frame
from actum.cli.screen import confirm, somebody_there
from actum.errors import UserMistake
from actum.records.policies import PolicyRule
from actum.records.values import JSON
from actum.settings.checking import check
from actum.settings.load import find_project, flatten
from actum.settings.toml_files import parse, place_of
from actum.settings.tree import FileTree, Project
from actum.settings.trust import fingerprint, remember

_WORDS = {
    "trusted": "trusted, in use",
    "untrusted": "not trusted, not used",
    "changed": "changed since it was trusted, not used",
}


@click.command("trust")
@click.option("--yes", is_flag=True, help="Trust it without a question.")
@click.option("--show", is_flag=True, help="Only show what would take effect.")
@click.pass_obj
def command(frame: Frame, *, yes: bool, show: bool) -> int:
    """Let this folder's own settings take effect.

    They are used until `actum.toml`, or a file that it names, changes.
    """
    if yes and show:
        raise UserMistake("--yes and --show contradict each other", hints=("choose one of them",))
    project, text = find_project(frame.folder, config=None, environ=frame.environ)
    if project.file is None:
        raise UserMistake(
            "there is no actum.toml to trust here",
            where=str(project.folder),
            hints=("see which files are read:   actum config path",),
        )
    path = project.file
    tree = check(parse(text, path), lambda key: place_of(text, path, key))
    # Taken before the question: what is trusted is what was shown.
    hashes = fingerprint(path, text)
    names = sorted(hashes)
    if not frame.screen.as_json:
        say = frame.screen.data if show else frame.screen.narrate
        say("\n".join(_lines(project, tree, names)))
    agreed = not show and (yes or project.trusted or _agreed(frame))
    if agreed:
        remember(path, hashes, frame.environ)
    if frame.screen.as_json:
        frame.screen.document(_document(project, tree, names, trusted=agreed or project.trusted))
    elif agreed:
        frame.screen.narrate(f"{path} is trusted, until it or a file that it names changes")
    elif not show:
        frame.screen.narrate("nothing is trusted, and nothing of it is used")
    return 0


def _agreed(frame: Frame) -> bool:
    if frame.screen.as_json or not somebody_there():
        raise UserMistake(
            "nobody is there to say whether this folder is trusted",
            hints=(
                "see what would take effect:   actum trust --show",
                "trust it without a question:   actum trust --yes",
            ),
        )
    return confirm("Trust this folder?")


def _lines(project: Project, tree: FileTree, names: list[str]) -> list[str]:
    lines = [f"{project.file}: {_WORDS[project.trust]}"]
    if project.changed:
        lines.append(f"  changed   {', '.join(project.changed)}")
    for number, rule in enumerate(tree.policy, start=1):
        lines.append(f"  policy    rule {number}: {_rule(rule)}")
    for word, values in _effects(tree).items():
        lines.extend(f"  {word:<9} {value}" for value in values)
    lines.append(f"  files     {', '.join(names)}")
    return lines


def _effects(tree: FileTree) -> dict[str, list[str]]:
    """What the file would open, and everything else that it sets."""
    effects = {
        "mount": list(tree.mounts),
        "tools": list(tree.tools),
        "host": list(tree.network.allow),
        "server": [
            f"{name}: {server.url or ' '.join(server.command)}" for name, server in tree.mcp.items()
        ],
        "api": [f"{name}: {api.file or api.url}" for name, api in tree.openapi.items()],
        "package": list(tree.packages),
    }
    secrets = [*(s.secrets for s in tree.mcp.values()), *(a.auth for a in tree.openapi.values())]
    effects["secret"] = sorted({name for names in secrets for name in names.values()})
    effects["setting"] = _other_settings(tree)
    return effects


def _other_settings(tree: FileTree) -> list[str]:
    """Every other value that differs from the default."""
    usual: dict[str, JSON] = flatten(msgspec.to_builtins(FileTree()))
    mine: dict[str, JSON] = flatten(msgspec.to_builtins(tree))
    shown = {"policy", "mounts", "tools", "network", "mcp", "openapi", "packages"}
    return [
        f"{key} = {value}"
        for key, value in mine.items()
        if key.partition(".")[0] not in shown and usual.get(key) != value
    ]


def _rule(rule: PolicyRule) -> str:
    plain: dict[str, JSON] = msgspec.to_builtins(rule)
    decide = plain.pop("decide")
    conditions = ", ".join(f"{key} {value}" for key, value in plain.items() if key != "why")
    return f"{conditions or 'everything'}: {decide}"


def _document(
    project: Project, tree: FileTree, names: list[str], *, trusted: bool
) -> dict[str, JSON]:
    effects: dict[str, JSON] = {word: list(values) for word, values in _effects(tree).items()}
    policy: JSON = msgspec.to_builtins(tree.policy)
    return {
        "file": str(project.file),
        "trusted": trusted,
        "changed": list(project.changed),
        "files": list(names),
        "policy": policy,
        "effects": effects,
    }
