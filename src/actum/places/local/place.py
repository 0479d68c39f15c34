"""The local place: which level of wall this machine gives, and sessions behind it."""

import asyncio
import os
import threading
import weakref
from typing import Literal, get_args

import msgspec

from actum.errors import NoWall, SandboxLost
from actum.places.contract import Capability
from actum.places.local import folders, levels
from actum.places.local.identity import environment_of
from actum.places.local.interpreter import (
    USUAL_PRELOAD,
    Interpreter,
    compile_ahead,
    compile_packages,
    this_interpreter,
)
from actum.places.local.process import SessionProcess
from actum.places.local.session import LocalSession
from actum.places.local.shown_folders import ShownFolders
from actum.places.local.zygote_process import Plan, Refusal, ZygoteProcess
from actum.places.packages.wishes import Wish
from actum.records.sessions import Environment, SessionSpec

WallLevel = Literal["full", "landlock"]
ACCOUNT_OF_SESSIONS = 65521
"""What root gives to sessions: no account of this number is handed out by anybody."""
STRENGTH = {"remote": 0, "subset": 0, "landlock": 1, "full": 2}


class Local:
    """Sessions on this machine. Its zygote starts with the first of them and lives as long as we do."""

    name = "local"
    capabilities: frozenset[Capability] = frozenset(get_args(Capability))

    def __init__(
        self,
        *,
        level: WallLevel | None = None,
        preload: tuple[str, ...] | None = None,
        packages: Wish | None = None,
    ) -> None:
        self._wanted: tuple[WallLevel, ...] = (level,) if level else ("full", "landlock")
        self._preload = preload
        self._packages = packages
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._base: folders.BaseFolder | None = None
        self._zygotes: dict[tuple[str, ...], Warm] = {}
        self._sessions: weakref.WeakSet[LocalSession] = weakref.WeakSet()
        self.refusals: list[Refusal] = []
        """What better levels than the one in use were refused for."""

    async def environment(self) -> Environment:
        """What sessions run in. Raises `NoWall` where no wall can be raised."""
        return (await self._warm(())).environment

    async def open(self, spec: SessionSpec) -> LocalSession:
        """A fresh session."""
        try:
            process = await self._fork(spec)
        except SandboxLost:
            # Something killed the zygote. A new one is made once.
            process = await self._fork(spec)
        session = LocalSession(process, spec)
        self._sessions.add(session)
        await session.begin()
        return session

    async def _fork(self, spec: SessionSpec) -> SessionProcess:
        warm = await self._warm(spec.preload)
        require(warm.environment, spec)
        try:
            if not warm.zygote.ready:
                warm = await asyncio.to_thread(self._load, warm, spec.preload)
            if not spec.mounts:
                return SessionProcess(warm.zygote, warm.base, spec.limits)
            shown = await asyncio.to_thread(ShownFolders, spec.mounts, warm.zygote)
            try:
                return SessionProcess(warm.zygote, warm.base, spec.limits, shown)
            finally:
                shown.close()
        except SandboxLost:
            if self._zygotes.get(spec.preload) is warm:
                del self._zygotes[spec.preload]
            warm.zygote.close()
            raise

    def zygotes(self) -> list[int]:
        """The pids of the processes that sessions are forked from."""
        return [warm.zygote.pid for warm in self._zygotes.values()]

    async def close(self) -> None:
        """End every session, and what they were forked from."""
        for session in list(self._sessions):
            await session.close()
        with self._lock:
            zygotes, self._zygotes = self._zygotes, {}
            for warm in zygotes.values():
                warm.zygote.close()
            if self._base is not None and self._owner == os.getpid():
                self._base.remove()
            self._base = None

    async def _warm(self, more: tuple[str, ...]) -> "Warm":
        found = self._zygotes.get(more) if self._owner == os.getpid() else None
        return found or await asyncio.to_thread(self._start, more)

    def _start(self, more: tuple[str, ...]) -> "Warm":
        with self._lock:
            if self._owner != os.getpid():
                # A fork of the host: what it inherited belongs to its parent.
                self._owner, self._base, self._zygotes = os.getpid(), None, {}
            if more not in self._zygotes:
                self._zygotes[more] = self._make(self._wishes(more))
            return self._zygotes[more]

    def _wishes(self, more: tuple[str, ...]) -> tuple[str, ...]:
        usual = USUAL_PRELOAD if self._preload is None else self._preload
        return tuple(dict.fromkeys((*usual, *more)))

    def _make(self, wishes: tuple[str, ...]) -> "Warm":
        compile_ahead()
        interpreter = this_interpreter(self._packages() if self._packages is not None else None)
        preload = tuple(module for module in wishes if interpreter.has(module.split(".")[0]))
        compile_packages(interpreter, preload)
        if self._base is None:
            self._base = folders.BaseFolder()
        self.refusals = []
        for level in self._wanted:
            try:
                zygote = ZygoteProcess(plan_for(level, self._base, interpreter, preload))
            except Refusal as refusal:
                self.refusals.append(refusal)
            else:
                return Warm(zygote, environment_of(zygote, self.refusals), self._base)
        raise no_wall(self.refusals)

    def _load(self, warm: "Warm", more: tuple[str, ...]) -> "Warm":
        """Wait for the libraries. One that cannot be preloaded must not take the rest with it."""
        try:
            warm.zygote.wait_until_ready()
        except Refusal as refusal:
            if not warm.zygote.plan.preload:
                raise no_wall([refusal]) from None
            plan = msgspec.structs.replace(warm.zygote.plan, preload=())
            zygote = ZygoteProcess(plan)
            zygote.wait_until_ready()
            warm = Warm(zygote, environment_of(zygote, [], str(refusal)), warm.base)
            self._zygotes[more] = warm
        return warm


class Warm(msgspec.Struct, frozen=True):
    """A zygote, and what its sessions run in."""

    zygote: ZygoteProcess
    environment: Environment
    base: folders.BaseFolder


def plan_for(
    level: WallLevel, base: folders.BaseFolder, interpreter: Interpreter, preload: tuple[str, ...]
) -> Plan:
    """A zygote at this level."""
    return Plan(
        level=level,
        work=folders.shared_name() if level == "landlock" else folders.LINK,
        base=base.path,
        interpreter=interpreter,
        preload=preload,
        account=ACCOUNT_OF_SESSIONS if os.geteuid() == 0 else 0,
    )


def require(environment: Environment, spec: SessionSpec) -> None:
    """Refuse a lower wall than was asked for."""
    minimum = spec.minimum_level
    if minimum is not None and STRENGTH[environment.level] < STRENGTH[minimum]:
        raise NoWall(
            f"The wall here is of level '{environment.level}', and '{minimum}' is the least allowed.",
            why=environment.layers.get("namespaces", ""),
            hints=("see what is missing:   actum doctor",),
        )


def no_wall(refusals: list[Refusal]) -> NoWall:
    """Nothing here can hold a program: which step was refused at which level, and what to do."""
    fixes = tuple(dict.fromkeys(found["fix"] for found in levels.problems_of(refusals)))
    return NoWall(
        "No wall can be raised on this machine, so no program is run.",
        why="; ".join(f"level {r.level}: {r.step}: {r.why}" for r in refusals),
        hints=(
            *fixes,
            "see what is missing:   actum doctor",
            "or run a subset of Python without a wall:   pip install 'actum[monty]'",
        ),
    )
