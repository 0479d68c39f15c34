"""Checking a document against the tree: each unknown name with the nearest one, each wrong type."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import get_args

import msgspec

from actum.errors import BadSetting
from actum.records.values import JSON
from actum.settings.tree import NAMED, TABLES, FileTree, setting_keys

_COMPLAINT = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<key>.*)`)?$", re.DOTALL)
_HINT_SHOW = "see every setting and its value:   actum config show"
_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
}


def check(document: Mapping[str, JSON], place: Callable[[str], str]) -> FileTree:
    """The tree that a document says. `place` tells where a key stands, for a message."""
    for table, names in _tables(document, ""):
        fields = TABLES[_pattern(table)].__struct_fields__
        for name in names:
            if name not in fields:
                raise unknown_key(table, name, place(_dotted(_join(table, name))))
    try:
        tree = msgspec.convert(document, FileTree)
    except msgspec.ValidationError as error:
        raise _wrong_value(str(error), place) from error
    _check_limits(document, place)
    return tree


def unknown_key(table: str, name: str, where: str) -> BadSetting:
    """There is no such setting; perhaps there is one that looks like it."""
    full = _dotted(_join(table, name))
    near = nearest_key(table, name)
    hints = (f"did you mean {near}?", _HINT_SHOW) if near else (_HINT_SHOW,)
    return BadSetting(f"there is no setting {full!r}", where=where, hints=hints)


def nearest_key(table: str, name: str) -> str | None:
    """The full name of the setting that this one may have meant."""
    siblings = TABLES[_pattern(table)].__struct_fields__
    close = difflib.get_close_matches(name, siblings, n=1)
    if close:
        return _dotted(_join(table, close[0]))
    # It may be right, and stand in the wrong table: `usd` for `budget.usd`.
    keys = setting_keys()
    for key in keys:
        if key.rpartition(".")[2] == name:
            return key
    close = difflib.get_close_matches(_join(table, name), keys, n=1, cutoff=0.75)
    return close[0] if close else None


def _tables(document: Mapping[str, JSON], table: str) -> Iterator[tuple[str, list[str]]]:
    """Each table of the document that the tree knows, with the names in it."""
    yield table, list(document)
    for name, value in document.items():
        full = _join(table, name)
        pattern = _pattern(full)
        if isinstance(value, dict) and pattern in TABLES:
            yield from _tables(value, full)
        if f"{pattern}[]" not in TABLES:
            continue
        parts: list[tuple[object, JSON]] = []
        if isinstance(value, dict):
            parts = [*value.items()]
        elif isinstance(value, list):
            parts = [*enumerate(value)]
        for part, inner in parts:
            if isinstance(inner, dict):
                yield from _tables(inner, f"{full}[{part}]")


def _wrong_value(complaint: str, place: Callable[[str], str]) -> BadSetting:
    match = _COMPLAINT.match(complaint)
    what, key = (match["what"], match["key"] or "") if match else (complaint, "")
    shown = key.replace("[...]", "")
    choices = _choices(key) if what.startswith("Invalid enum value") else []
    hints = (f"choose one of {', '.join(choices)}",) if choices else ()
    return BadSetting(
        f"the value of {shown!r} cannot be" if shown else "these settings cannot be",
        where=place(shown),
        why=_in_our_words(what),
        hints=(*hints, _HINT_SHOW),
    )


def _in_our_words(complaint: str) -> str:
    words = complaint.replace("Expected", "it must be", 1).replace(", got", ", not")
    words = words.replace("Invalid enum value", "it cannot be", 1)
    words = words.replace("Object missing required field", "it lacks", 1)
    for name, word in _WORDS.items():
        words = words.replace(f"`{name} | null`", word).replace(f"`{name}`", word)
    return words.replace("`", "")


def _choices(key: str) -> list[str]:
    table, _, name = key.rpartition(".")
    kind = TABLES.get(_pattern(table), FileTree)
    for field in msgspec.structs.fields(kind):
        if field.name == name:
            return list(_literals(field.type))
    return []


def _literals(kind: object) -> Iterator[str]:
    for part in get_args(kind):
        if isinstance(part, str):
            yield part
        else:
            yield from _literals(part)


def _check_limits(document: Mapping[str, JSON], place: Callable[[str], str]) -> None:
    """What the types leave open: a limit of nothing."""
    limits = document.get("limits")
    for name, value in limits.items() if isinstance(limits, dict) else ():
        if isinstance(value, (int, float)) and not value > 0:
            raise BadSetting(
                f"the value of 'limits.{name}' cannot be",
                where=place(f"limits.{name}"),
                why="it must be more than 0",
                hints=(_HINT_SHOW,),
            )


def _pattern(key: str) -> str:
    """`mcp.github` and `policy[0]` as `TABLES` has them: `mcp[]`, `policy[]`."""
    pattern = re.sub(r"\[[^\]]*\]", "[]", key)
    for named in NAMED:
        if re.fullmatch(rf"{named}\.[^.]+", pattern):
            return f"{named}[]"
    return pattern


def _dotted(key: str) -> str:
    """`mcp[github].url` as people write it: `mcp.github.url`. Numbers keep their brackets."""
    return re.sub(r"\[([^\]\d][^\]]*)\]", r".\1", key)


def _join(table: str, name: str) -> str:
    return f"{table}.{name}" if table else name
