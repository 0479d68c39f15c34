"""The place itself: what it is, what it cannot do, and its sessions."""

import hashlib
import importlib.metadata
from pathlib import Path

from actum.errors import NoWall, UserMistake
from actum.places.contract import Capability
from actum.places.monty.session import MontySession
from actum.places.monty.worker import Worker
from actum.places.packages.wishes import Wish
from actum.records.sessions import Environment, SessionSpec

LACKS = (
    "This sandbox is Monty, a subset of Python, and not CPython. It has no packages, and of the"
    " standard library asyncio, dataclasses, datetime, decimal, json, math, os, pathlib, random, re,"
    " time and some more. Classes have no bases. No threads: for calls side by side write"
    " `await asyncio.gather(...)` or use the module's `parallel`. Results of tools are plain dicts:"
    ' r["name"], not r.name. A call that fails raises RuntimeError, a refused one PermissionError.'
)
"""What the model is told."""


class Monty:
    """Sessions in worker processes of Monty. Nothing runs before the first of them is opened."""

    name = "monty"
    capabilities: frozenset[Capability] = frozenset()

    def __init__(self, packages: Wish | None = None) -> None:
        if packages is not None:
            raise UserMistake(
                "the place monty has no packages",
                why="it runs a subset of Python of its own, which no package fits",
                hints=("leave packages out, or choose another place",),
            )
        self._sessions: set[MontySession] = set()

    async def environment(self) -> Environment:
        """What sessions run in."""
        version = importlib.metadata.version("pydantic-monty")
        digest = hashlib.sha256(f"monty {version}\0{_digest_of_code()}".encode()).hexdigest()
        return Environment(
            id=digest,
            place=self.name,
            level="subset",
            python=f"Monty {version}",
            layers={"language": "a subset of Python", "worker": "a process without a wall"},
            details={"packages": [], "preload": [], "lacks": LACKS},
        )

    async def open(self, spec: SessionSpec) -> MontySession:
        """A fresh session, in a process of its own."""
        _require(spec)
        session = MontySession(await Worker.start(spec), spec)
        self._sessions.add(session)
        return session

    async def close(self) -> None:
        """End every session."""
        sessions, self._sessions = self._sessions, set()
        for session in sessions:
            await session.close()


def _require(spec: SessionSpec) -> None:
    if spec.minimum_level not in {None, "subset"}:
        raise NoWall(
            f"Monty is of level 'subset', and '{spec.minimum_level}' is the least allowed.",
            hints=("see what is missing for a wall:   actum doctor",),
        )
    if spec.imports is not None:
        raise UserMistake(
            "the place monty cannot choose imports", why="it has no packages that could be imported"
        )
    if spec.mounts:
        raise UserMistake(
            "the place monty shows no folders",
            why="what a program reads there could not be recorded",
            hints=("hand the files in: files=[...]",),
        )
    tables = [one.name for one in spec.given if one.kind in {"array", "table"}]
    if tables:
        raise UserMistake(
            f"the place monty has no tables and arrays: {', '.join(tables)}",
            hints=("hand in a list: frame.to_dict('records'), array.tolist()",),
        )


def _digest_of_code() -> str:
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()
