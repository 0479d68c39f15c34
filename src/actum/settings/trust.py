"""A folder's own settings are used only after its user said so, and as long as they stay the same.

What is remembered is a hash of `actum.toml` and of every file that it names, with the modules that
a Python file among them imports. See docs/decisions/settings-trust-what-is-hashed.md.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from actum.errors import BadSetting
from actum.records.values import JSON
from actum.settings.homes import actum_home, home_path
from actum.settings.imports import with_imports
from actum.settings.toml_files import parse
from actum.settings.tree import Trust

_FILE = "trust.json"


class Trusted(msgspec.Struct, frozen=True):
    """What a folder looked like when it was trusted: each file with its hash."""

    files: dict[str, str]


class Book(msgspec.Struct):
    """All folders that were trusted, by their real path."""

    folders: dict[str, Trusted] = {}


def judge(file: Path, text: str, environ: Mapping[str, str]) -> tuple[Trust, tuple[str, ...]]:
    """Whether this project file may be used, and which files changed since it was trusted."""
    remembered = _read_book(environ).folders.get(_key(file))
    if remembered is None:
        return "untrusted", ()
    # Its text is read as settings only once it is known to be the one that was trusted.
    if remembered.files.get(file.name) != _digest(text.encode()):
        return "changed", (file.name,)
    now = fingerprint(file, text)
    changed = [name for name in now if now[name] != remembered.files.get(name)]
    gone = [name for name in remembered.files if name not in now]
    if changed or gone:
        return "changed", tuple(sorted({*changed, *gone}))
    return "trusted", ()


def remember(file: Path, hashes: dict[str, str], environ: Mapping[str, str]) -> None:
    """Trust this project file with the `fingerprint` that its user was shown."""
    actum_home(environ)
    # Two command lines at once may lose one of two answers; the loser is asked again.
    book = _read_book(environ)
    book.folders[_key(file)] = Trusted(files=hashes)
    _write_book(book, environ)


def fingerprint(file: Path, text: str) -> dict[str, str]:
    """The hash of the project file and of each file it names, by path below the folder."""
    hashes = {file.name: _digest(text.encode())}
    for path in named_files(file.parent, parse(text, file)):
        name = os.path.relpath(path, file.parent)
        hashes[name] = _digest(path.read_bytes())
    return hashes


def named_files(folder: Path, document: Mapping[str, JSON]) -> tuple[Path, ...]:
    """Each regular file that a text of the document names, and the modules that it imports."""
    found: dict[Path, None] = {}
    for text in _texts(dict(document)):
        path = _path(folder, text.removeprefix("scripted:"))
        if path is None:
            continue
        for file in with_imports(path) if path.suffix == ".py" else (path,):
            found[file] = None
    return tuple(sorted(found))


def _path(folder: Path, text: str) -> Path | None:
    try:
        path = folder / Path(text).expanduser()
        return path if text and path.is_file() else None
    except (OSError, ValueError, RuntimeError):
        # Not every text can be a path: too long, or with a zero character.
        return None


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _key(file: Path) -> str:
    return str(file.parent.resolve())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read_book(environ: Mapping[str, str]) -> Book:
    path = home_path(environ) / _FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Book)
    except FileNotFoundError:
        return Book()
    except (OSError, msgspec.DecodeError) as error:
        raise BadSetting(
            "the list of trusted folders cannot be read",
            where=str(path),
            why=str(error),
            hints=("begin a new one, and trust folders again:   rm " + str(path),),
        ) from error


def _write_book(book: Book, environ: Mapping[str, str]) -> None:
    home = home_path(environ)
    # `mkstemp` makes files of mode 0600, and a rename never shows half a file.
    number, name = tempfile.mkstemp(dir=home, prefix=_FILE)
    with os.fdopen(number, "wb") as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(book), indent=2))
    Path(name).replace(home / _FILE)
