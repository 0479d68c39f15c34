"""What was asked for: requirements, wheels and lock files, as people write them."""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from actum.errors import NoSuchFile, UserMistake

WHEEL = ".whl"
LOCKS = (".txt", ".lock")
_BETWEEN = re.compile(r",(?![^\[]*\])(?=\s*(?:[A-Za-z0-9./]|~/))")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*\s*(\[[^\]]*\])?\s*([<>=!~(;@].*)?", re.DOTALL)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Requirements in an order of their own: equal wishes are equal."""

    requirements: tuple[str, ...]
    files: dict[str, str] = {}
    """The hash of each file among them."""

    def arguments(self) -> list[str]:
        """As both installers take them."""
        return [
            argument
            for text in self.requirements
            for argument in (["-r", text] if text.endswith(LOCKS) else [text])
        ]

    def names(self) -> tuple[str, ...]:
        """The projects that were asked for by name, or as a wheel."""
        plain = [text for text in self.requirements if not text.endswith(LOCKS)]
        wheels = [Path(text).name.split("-")[0] if is_file(text) else text for text in plain]
        found = [_NAME.match(text) for text in wheels]
        return tuple(match.group() for match in found if match is not None)

    def digest(self, *beside: str) -> str:
        """One text for equal wishes under equal circumstances."""
        facts = json.dumps([self.requirements, self.files, beside], sort_keys=True)
        return hashlib.sha256(facts.encode()).hexdigest()


def split(text: str) -> tuple[str, ...]:
    """`a,b[x,y]>=1,<2` is two: a comma before a name divides, one before an operator does not."""
    return tuple(part.strip() for part in _BETWEEN.split(text) if part.strip())


def is_file(text: str) -> bool:
    """Whether a requirement is a wheel or a lock file, by the end of its name."""
    return text.endswith((WHEEL, *LOCKS)) and "://" not in text


def absolute(text: str, folder: Path) -> str:
    """A file from this folder on; other requirements as they are."""
    return str((folder / Path(text).expanduser()).absolute()) if is_file(text) else text


def read(requirements: Sequence[str], folder: Path) -> Asked:
    """What was asked for, checked. Files are meant from `folder`."""
    checked = {_checked(text.strip(), folder) for text in requirements}
    files = {text: _digest_of(text) for text in checked if is_file(text)}
    return Asked(requirements=tuple(sorted(checked)), files=files)


def _checked(text: str, folder: Path) -> str:
    if is_file(text):
        return absolute(text, folder)
    if _REQUIREMENT.fullmatch(text) is None or "\n" in text:
        raise UserMistake(
            f"{text!r} names no package",
            hints=("write it as pip does: polars, 'polars==1.*', ./own.whl, requirements.txt",),
        )
    return text


def _digest_of(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise NoSuchFile(
            f"the packages of {path} cannot be read",
            why=error.strerror or str(error),
            hints=("name a wheel, or a file of requirements",),
        ) from error
