"""From files, environment and flags to one frozen tree: a later word goes over an earlier one."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import msgspec

from actum.records.values import JSON
from actum.settings.checking import check
from actum.settings.environment import from_environment, variable
from actum.settings.homes import FILE_NAME, project_folder, user_file
from actum.settings.toml_files import parse, place_of, read_text
from actum.settings.tree import (
    NAMED,
    TABLES,
    Origin,
    PolicyFile,
    PolicyRule,
    Project,
    Settings,
    Tree,
    setting_keys,
)
from actum.settings.trust import judge

_NAMED = tuple(f"{name}." for name in NAMED)


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """What one file, the environment or the flags say: values by dotted key."""

    origin: Origin
    values: dict[str, JSON]
    path: Path | None = None
    rules: tuple[PolicyRule, ...] = ()


def load_settings(
    folder: Path,
    *,
    config: Path | None = None,
    flags: Mapping[str, JSON] | None = None,
    environ: Mapping[str, str],
) -> Settings:
    """The settings of this folder: file < environment < flags.

    `config` stands in for the project's file, and is the user's own word. `flags` are by dotted
    key; None counts as not given. Raises `BadSetting` or `NoSuchFile`.
    """
    project, text = find_project(folder, config=config, environ=environ)
    layers: list[Layer] = []
    own = user_file(environ)
    if own.is_file():
        layers.append(file_layer("user", own, read_text(own)))
    if project.file is not None and project.trusted:
        layers.append(file_layer("project", project.file, text))
    layers.append(_words("environment", from_environment(environ), folder))
    given: dict[str, JSON] = {
        key: value for key, value in (flags or {}).items() if value is not None
    }
    layers.append(_words("flag", given, folder))
    return _together(layers, project, _notices(project, folder))


def find_project(
    folder: Path, *, config: Path | None, environ: Mapping[str, str]
) -> tuple[Project, str]:
    """The project of a folder, whether its file may be used, and the text of that file."""
    home = project_folder(folder)
    if config is not None:
        chosen = (folder / config.expanduser()).absolute()
        return Project(folder=home, file=chosen, trust="given"), read_text(chosen)
    file = home / FILE_NAME
    own = user_file(environ)
    if not file.is_file() or (own.is_file() and own.samefile(file)):
        return Project(folder=home), ""
    text = read_text(file)
    trust, changed = judge(file, text, environ)
    return Project(folder=home, file=file, trust=trust, changed=changed), text


def file_layer(origin: Origin, path: Path, text: str) -> Layer:
    """What a file says, checked. Paths in it are meant from its own folder."""
    document = parse(text, path)
    tree = check(document, lambda key: place_of(text, path, key))
    values = flatten({name: value for name, value in document.items() if name != "policy"})
    return Layer(origin=origin, values=absolute(values, path.parent), path=path, rules=tree.policy)


def flatten(document: Mapping[str, JSON], table: str = "") -> dict[str, JSON]:
    """Values by dotted key. A server or a description is one value."""
    values: dict[str, JSON] = {}
    for name, value in document.items():
        key = f"{table}.{name}" if table else name
        if isinstance(value, dict) and (key in TABLES or key in NAMED):
            values |= flatten(value, key)
        else:
            values[key] = value
    return values


def nest(values: Mapping[str, JSON]) -> dict[str, JSON]:
    """The reverse of `flatten`."""
    document: dict[str, JSON] = {}
    for key, value in values.items():
        inner = document
        *tables, name = key.split(".", 1) if key.startswith(_NAMED) else key.split(".")
        for table in tables:
            inner = cast("dict[str, JSON]", inner.setdefault(table, {}))
        inner[name] = value
    return document


def absolute(values: dict[str, JSON], folder: Path) -> dict[str, JSON]:
    """The same values, with their paths from the root on."""
    result = dict(values)
    for key, value in values.items():
        if key == "packages" and isinstance(value, list):
            result[key] = [_from(folder, t) if _is_file(str(t)) else t for t in value]
        elif key == "mounts" and isinstance(value, list):
            result[key] = [_from(folder, str(path)) for path in value]
        elif key == "tools" and isinstance(value, list):
            # A tools entry without a suffix is the alias of a source.
            result[key] = [_from(folder, t) if str(t).endswith(".py") else t for t in value]
        elif key == "model" and isinstance(value, str) and value.startswith("scripted:"):
            result[key] = "scripted:" + _from(folder, value.removeprefix("scripted:"))
        elif key.startswith("openapi.") and isinstance(value, dict) and value.get("file"):
            result[key] = {**value, "file": _from(folder, value["file"])}
    return result


def _is_file(package: str) -> bool:
    """Whether a package is a wheel or a file of requirements."""
    return package.endswith((".whl", ".txt", ".lock")) and "://" not in package


def _from(folder: Path, path: JSON) -> str:
    return str((folder / Path(str(path)).expanduser()).absolute())


def _words(origin: Origin, values: dict[str, JSON], folder: Path) -> Layer:
    """What variables or flags say, checked one by one so that each error names its own."""
    for key, value in values.items():
        where = f"the environment: {variable(key)}" if origin == "environment" else f"flag: {key}"
        check(nest({key: value}), lambda _key, where=where: where)
    return Layer(origin=origin, values=absolute(values, folder))


def _together(layers: list[Layer], project: Project, notices: tuple[str, ...]) -> Settings:
    values: dict[str, JSON] = {}
    origins: dict[str, Origin] = dict.fromkeys(setting_keys(), "default")
    for layer in layers:
        values |= layer.values
        origins |= dict.fromkeys(layer.values, layer.origin)
    tree = msgspec.convert(nest(values), Tree)
    policies = tuple(
        PolicyFile(origin=layer.origin, path=layer.path, rules=layer.rules)
        for layer in layers
        if layer.path is not None and layer.rules
    )
    return Settings(
        **{name: getattr(tree, name) for name in Tree.__struct_fields__},
        project=project,
        origins=origins,
        policies=policies,
        notices=notices,
    )


def setting_values(settings: Settings) -> dict[str, JSON]:
    """Every value by its dotted key, as plain data."""
    plain = cast("dict[str, JSON]", msgspec.to_builtins(settings, enc_hook=str))
    document = {name: plain[name] for name in Tree.__struct_fields__}
    return flatten(document)


def _notices(project: Project, folder: Path) -> tuple[str, ...]:
    if project.file is None or project.trusted:
        return ()
    here = "here" if project.folder == folder.absolute() else f"in {project.folder}"
    if project.trust == "untrusted":
        return (f"{FILE_NAME} {here} is not trusted and not used: actum trust",)
    what = ", ".join(project.changed)
    return (f"{what} changed since {FILE_NAME} {here} was trusted; not used: actum trust",)
