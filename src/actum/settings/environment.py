"""Settings as text: environment variables, and what is typed after `actum config set`.

`budget.usd` is `ACTUM_BUDGET_USD`. A list is written with commas.
"""

import difflib
import tomllib
from collections.abc import Mapping
from typing import cast

import msgspec

from actum.errors import BadSetting
from actum.records.values import JSON
from actum.settings.checking import unknown_key
from actum.settings.tree import NAMED, TABLES, setting_keys

PREFIX = "ACTUM_"
# Variables that are no settings: where data is kept, and how much a crash tells.
RESERVED = ("ACTUM_HOME", "ACTUM_DEBUG")


def variable(key: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + key.replace(".", "_").upper()


def from_environment(environ: Mapping[str, str]) -> dict[str, JSON]:
    """Each setting that a variable gives. An empty variable gives none."""
    keys = {variable(key): key for key in setting_keys()}
    values: dict[str, JSON] = {}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name in RESERVED or not text:
            continue
        if name in keys:
            values[keys[name]] = value_of(keys[name], text, where=f"the environment: {name}")
            continue
        # Other programs may use the prefix; what looks like a slip is worth a stop.
        near = difflib.get_close_matches(name, keys, n=1, cutoff=0.85)
        if near:
            raise BadSetting(
                f"there is no setting {name}",
                where="the environment",
                hints=(f"did you mean {near[0]}?", f"take it away:   unset {name}"),
            )
    return values


def value_of(key: str, text: str, *, where: str) -> JSON:
    """The value that this text means for a setting."""
    if key.partition(".")[0] in (*NAMED, "policy"):
        raise BadSetting(
            f"{key!r} has several parts",
            where=where,
            hints=("write it into the file by hand:   actum config path",),
        )
    if key not in setting_keys():
        table, _, name = key.rpartition(".")
        raise unknown_key(table if table in TABLES else "", name if table in TABLES else key, where)
    table, _, name = key.rpartition(".")
    fields = {field.name: field for field in msgspec.structs.fields(TABLES[table])}
    kind = fields[name].type
    if _is_list(kind):
        return cast("list[JSON]", list(_list_of(text)))
    try:
        return cast("JSON", msgspec.convert(text, kind, strict=False))
    except msgspec.ValidationError:
        # Left as text: the check of the whole tree says what is wrong, in one voice.
        return text


def _is_list(kind: object) -> bool:
    return str(kind).startswith("tuple")


def _list_of(text: str) -> tuple[str, ...]:
    if text.lstrip().startswith("["):
        try:
            return tuple(tomllib.loads(f"value = {text}")["value"])
        except tomllib.TOMLDecodeError:
            return (text,)
    return tuple(part.strip() for part in text.split(",") if part.strip())
