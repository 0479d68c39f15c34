"""Where secrets are kept: a file of its own, for its user alone, or a variable of the environment."""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from actum.errors import NotSetUp, SecretMissing, UserMistake
from actum.settings.homes import actum_home, home_path

_FILE = "secrets.json"
PREFIX = "ACTUM_SECRET_"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")


class KeptSecret(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One secret: its value or the variable that holds it, and who may use it."""

    value: str = ""
    variable: str = ""
    sources: tuple[str, ...] = ()
    """The sources of tools that may use it; none named: each that declares it."""
    hosts: tuple[str, ...] = ()
    """The hosts that it may be sent to, where actum itself sends it; none named: each."""


class _Book(msgspec.Struct):
    secrets: dict[str, KeptSecret] = {}


class Vault:
    """The secrets of this user, as they are now."""

    def __init__(self, kept: Mapping[str, KeptSecret], environ: Mapping[str, str]) -> None:
        self._kept = dict(kept)
        self._environ = environ

    @property
    def names(self) -> list[str]:
        """Every name, also of those that only the environment has."""
        named = {
            _name_of(variable): variable
            for variable, value in self._environ.items()
            if variable.startswith(PREFIX) and value
        }
        known = {_variable(name) for name in self._kept}
        return sorted({*self._kept, *(n for n, variable in named.items() if variable not in known)})

    def kept(self, name: str) -> KeptSecret:
        """What is kept under a name."""
        return self._kept.get(name, KeptSecret())

    def origin(self, name: str) -> str:
        """Where its value comes from: a variable, or the file; empty where there is none."""
        kept = self.kept(name)
        for variable in (_variable(name), kept.variable):
            if variable and self._environ.get(variable):
                return variable
        return _FILE if kept.value else ""

    def values(self) -> dict[str, str]:
        """Every value by its name: for masking."""
        found = {name: self._find(name) for name in self.names}
        return {name: value for name, value in found.items() if value}

    def value(self, name: str, *, source: str, host: str | None = None) -> str:
        """The value for a source, to be sent to a host. Raises `SecretMissing`."""
        kept = self.kept(name)
        if kept.sources and source not in kept.sources:
            raise SecretMissing(
                f"the secret {name} is not for {source}, but for {', '.join(kept.sources)}",
                hints=(f"let it use it:   actum secrets use {name} --source {source}",),
            )
        if kept.hosts and host not in kept.hosts and not (host is None and kept.sources):
            where = host or "a tool that sends it by itself"
            raise SecretMissing(
                f"the secret {name} is for {', '.join(kept.hosts)}, not for {where}",
                hints=(f"let it use it:   actum secrets use {name} --source {source}",),
            )
        found = self._find(name)
        if not found:
            raise SecretMissing(
                f"there is no secret {name}", hints=(f"keep it:   actum secrets set {name}",)
            )
        return found

    def _find(self, name: str) -> str:
        kept = self.kept(name)
        found = self._environ.get(_variable(name))
        if not found and kept.variable:
            found = self._environ.get(kept.variable)
        return found or kept.value


def open_vault(environ: Mapping[str, str]) -> Vault:
    """The secrets of this user. Raises `NotSetUp` where others could read their file."""
    return Vault(_read(environ), environ)


def keep(name: str, kept: KeptSecret, environ: Mapping[str, str]) -> None:
    """Keep a secret under this name, in place of an earlier one."""
    if not _NAME.fullmatch(name):
        raise UserMistake(
            f"{name!r} is no name for a secret",
            hints=("letters, digits, dots and dashes, a letter first: stripe",),
        )
    _write({**_read(environ), name: kept}, environ)


def forget(name: str, environ: Mapping[str, str]) -> None:
    """Keep it no longer. Raises `SecretMissing` where it is not kept."""
    kept = _read(environ)
    if name not in kept:
        raise SecretMissing(f"there is no secret {name}", hints=("see all:   actum secrets list",))
    del kept[name]
    _write(kept, environ)


def _variable(name: str) -> str:
    return PREFIX + re.sub(r"[^A-Z0-9]", "_", name.upper())


def _name_of(variable: str) -> str:
    return variable.removeprefix(PREFIX).lower()


def _read(environ: Mapping[str, str]) -> dict[str, KeptSecret]:
    path = home_path(environ) / _FILE
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            content = stream.read()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise NotSetUp("the secrets cannot be read", where=str(path), why=str(error)) from error
    if os.name == "posix" and mode & 0o077:
        raise NotSetUp(
            "others on this machine can read your secrets",
            where=str(path),
            hints=(f"close it, and change what was in it:   chmod 600 {path}",),
        )
    try:
        return msgspec.json.decode(content, type=_Book).secrets
    except msgspec.DecodeError as error:
        # Not the error's own text: it may quote the file.
        raise NotSetUp(
            "the secrets cannot be read: the file is damaged", where=str(path)
        ) from error


def _write(kept: Mapping[str, KeptSecret], environ: Mapping[str, str]) -> None:
    home = actum_home(environ)
    # `mkstemp` makes files of mode 0600, and a rename never shows half a file.
    number, name = tempfile.mkstemp(dir=home, prefix=_FILE)
    with os.fdopen(number, "wb") as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(_Book(dict(kept))), indent=2))
    Path(name).replace(home / _FILE)
