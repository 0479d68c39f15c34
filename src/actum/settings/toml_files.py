"""Reading a TOML file, and knowing on which line a key stands."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from actum.errors import BadSetting, NoSuchFile
from actum.records.values import JSON

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def read_text(path: Path) -> str:
    """The text of a settings file."""
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        raise NoSuchFile(
            f"there is no file {path}",
            hints=("see which files are read:   actum config path",),
        ) from error
    except UnicodeDecodeError as error:
        raise BadSetting("this is not UTF-8 text", where=str(path)) from error
    except OSError as error:
        raise BadSetting("this file cannot be read", where=str(path), why=str(error)) from error


def parse(text: str, path: Path) -> dict[str, JSON]:
    """The document in this text."""
    try:
        return cast("dict[str, JSON]", tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        line = int(found.group(1)) if found else text.count("\n") + 1
        what = _AT_LINE.sub("", str(error)).replace("(at end of document)", "at its end").strip()
        raise BadSetting(
            "this is not TOML",
            where=f"{path}, line {line}",
            why=what,
            hints=('text stands in quotes:   name = "local"',),
        ) from error


def place_of(text: str, path: Path, key: str) -> str:
    """Where a key stands, for a message: `actum.toml, line 3`. An unknown line is left out."""
    lines = dict(reversed([(found, number) for number, found in key_lines(text)]))
    wanted = key
    while wanted:
        if wanted in lines:
            return f"{path}, line {lines[wanted]}"
        wanted = wanted.rpartition(".")[0]
    return str(path)


def key_lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line that begins a key or a table, with its full name: `budget.calls`, `policy[0].tool`.

    A guess where text of several lines looks like TOML; who edits by it checks the result.
    """
    section = ""
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header:
            section = _plain(header.group(2))
            if header.group(1) == "[[":
                counts[section] = counts.get(section, -1) + 1
                section = f"{section}[{counts[section]}]"
            yield number, section
            continue
        key = _KEY.match(line)
        if key:
            name = _plain(key.group(1))
            yield number, f"{section}.{name}" if section else name


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
