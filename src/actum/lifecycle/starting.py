"""The first moment of a run: everything that it is to be goes into its record."""

import asyncio
import secrets

import msgspec

from actum.errors import UserMistake
from actum.journal.contract import Store
from actum.lifecycle.folders import write_tree
from actum.lifecycle.live import LiveRun
from actum.lifecycle.mounts import checked_tree
from actum.lifecycle.parts import Parts
from actum.loop.many_tools import direct_tools
from actum.records.actions import RunCode
from actum.records.events import ActionStart, Draft, RunStart
from actum.records.release import VERSION
from actum.records.sessions import Environment
from actum.records.tools import ToolSpec

SHOWN = 5


async def environment_for(start: RunStart, parts: Parts) -> Environment | None:
    """What programs of this run will run in. A run of JSON calls opens no place at all."""
    return None if start.action_format == "json" else await parts.place.environment()


def native_tools(start: RunStart, parts: Parts) -> tuple[ToolSpec, ...]:
    """The tools that the model is given as native calls."""
    show_all = start.discovery == "all"
    return direct_tools(parts.catalog.specs, start.action_format, show_all=show_all)


async def start_task(store: Store, start: RunStart, parts: Parts) -> LiveRun:
    """Begin a run with a task for a model."""
    await _begin(store, start, parts)
    await store.sync()
    return LiveRun(store, parts)


async def start_program(store: Store, start: RunStart, parts: Parts, source: str) -> LiveRun:
    """Begin a run that is one program. Start and program are written together."""
    await _begin(store, start, parts)
    store.append(Draft(body=ActionStart(action=RunCode(program=source)), step=1))
    await store.sync()
    return LiveRun(store, parts)


async def _begin(store: Store, start: RunStart, parts: Parts) -> None:
    mounts = () if start.action_format == "json" else start.mounts
    trees = [await asyncio.to_thread(checked_tree, mount) for mount in mounts]
    store.hide(parts.masking)
    whole = msgspec.structs.replace(
        start,
        actum=VERSION,
        run=store.run,
        seed=secrets.token_hex(16),
        environment=await environment_for(start, parts),
        manifest=parts.catalog.manifest(start.tools_root),
        direct=native_tools(start, parts),
        sources=tuple(source.record() for source in parts.sources),
        model=parts.model.name if parts.model is not None else None,
    )
    store.append(Draft(body=whole))
    for mount, tree in zip(mounts, trees, strict=True):
        write_tree(store, mount, tree)


def refuse_oversights(start: RunStart, parts: Parts) -> None:
    """A run that could only wait for somebody who will not come is a mistake, said at once."""
    if any(rules.rules for rules in start.policy):
        return
    undeclared = [spec for spec in parts.catalog.specs if not spec.declared]
    if not undeclared:
        return
    names = ", ".join(spec.name for spec in undeclared[:SHOWN])
    more = f" and {len(undeclared) - SHOWN} more" if len(undeclared) > SHOWN else ""
    first = undeclared[0].name.rsplit(".", 1)[-1]
    raise UserMistake(
        f"nobody is there to ask, and these tools do not say what they change: {names}{more}",
        why="a call without a declared effect counts as a write, and a write is asked about",
        hints=(
            f'say it: @tool(effect="read"), or tools=[tool(effect="read")({first})]',
            'or write a rule: [[policy]] tool = "..." decide = "allow" in actum.toml',
        ),
    )
