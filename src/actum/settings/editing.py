"""Setting one key in the text of a TOML file, leaving everything else as it stands."""

import json
import tomllib
from pathlib import Path

from actum.errors import BadSetting
from actum.records.values import JSON
from actum.settings.load import file_layer
from actum.settings.toml_files import key_lines, parse


def with_value(text: str, key: str, value: JSON, path: Path) -> str:
    """The text with this key set. Raises `BadSetting` where it cannot be done by one line."""
    before = parse(text, path)
    lines = text.splitlines()
    written = _written(value)
    numbers = {name: number for number, name in reversed(list(key_lines(text)))}
    if key in numbers:
        start = numbers[key] - 1
        end = _end_of_value(lines, start)
        left = lines[start].split("=", 1)[0].rstrip()
        lines[start:end] = [f"{left} = {written}{_comment(lines[start])}"]
    else:
        _insert(lines, key, written, numbers)
    after = "\n".join(lines) + "\n"
    _make_sure(before, after, key, value, path)
    file_layer("user", path, after)
    return after


def _insert(lines: list[str], key: str, written: str, numbers: dict[str, int]) -> None:
    """Put a new key at the top of its table; a new table goes to the end of the file."""
    table, _, name = key.rpartition(".")
    # `day.usd` may stand in the table `budget`, and usually does.
    while table and table not in numbers and "." in table:
        table, _, first = table.rpartition(".")
        name = f"{first}.{name}"
    if not table:
        lines.insert(0, f"{name} = {written}")
    elif table in numbers:
        lines.insert(numbers[table], f"{name} = {written}")
    else:
        lines.extend([*([""] if lines else []), f"[{table}]", f"{name} = {written}"])


def _make_sure(before: dict[str, JSON], after: str, key: str, value: JSON, path: Path) -> None:
    """The edit works on lines; whether it did what was meant is seen by reading it again."""
    wanted = json.loads(json.dumps(before, default=str))
    inner = wanted
    *tables, name = key.split(".")
    for table in tables:
        inner = inner.setdefault(table, {})
    inner[name] = value
    try:
        found = json.loads(json.dumps(tomllib.loads(after), default=str))
    except tomllib.TOMLDecodeError:
        found = None
    if found != wanted:
        raise BadSetting(
            f"{key!r} cannot be set without touching the lines around it",
            where=str(path),
            hints=(f"write it there by hand:   {key} = {_written(value)}",),
        )


def _end_of_value(lines: list[str], start: int) -> int:
    """The line after a value, which may take several."""
    for end in range(start + 1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[start:end]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    return start + 1


def _comment(line: str) -> str:
    """What follows the value on its line: the first `#` that stands outside of it."""
    for index, character in enumerate(line):
        if character == "#":
            try:
                tomllib.loads(line[:index])
            except tomllib.TOMLDecodeError:
                continue
            return "  " + line[index:]
    return ""


def _written(value: JSON) -> str:
    """The value as TOML. JSON writes texts, numbers, booleans and lists the same way."""
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)
