"""One tool of a run, and where to call it; names that programs can write."""

from collections.abc import Iterable, Sequence

import msgspec

from actum.errors import BadArguments, BadTool
from actum.records.calls import ToolAnswer, ToolCall, ToolFailure, ToolRefusal
from actum.records.run_events import SourceRecord
from actum.records.tools import ToolSpec
from actum.records.values import unmark
from actum.tools.contract import JudgesCalls, Source
from actum.tools.naming import RESERVED, python_name

_OF_THE_USER = {"file", "process"}


class Entry(msgspec.Struct, frozen=True):
    """A tool and where to call it."""

    spec: ToolSpec
    source: Source
    own: bool = False
    """It belongs to the catalog itself: no rule and no budget is about it."""

    def spec_for(self, arguments: dict[str, object]) -> ToolSpec:
        """The tool as it is for a call with these checked arguments."""
        if isinstance(self.source, JudgesCalls):
            return self.source.spec_for(self.spec.name, arguments)
        return self.spec

    def refusal(self, arguments: dict[str, object]) -> ToolRefusal | None:
        """Why a call with these arguments never leaves, where its source says so."""
        if isinstance(self.source, JudgesCalls):
            return self.source.refusal(self.spec.name, arguments)
        return None

    def spec_of(self, call: ToolCall) -> ToolSpec:
        """The tool as it is for a call that nobody has checked."""
        if not isinstance(self.source, JudgesCalls):
            return self.spec
        args = [unmark(value) for value in call.args]
        kwargs = {name: unmark(value) for name, value in call.kwargs.items()}
        try:
            return self.spec_for(self.source.check(self.spec.name, args, kwargs))
        except (BadArguments, ValueError):
            return self.spec


class Renamed:
    """A source whose tools are called otherwise here than there."""

    def __init__(self, source: Source, originals: dict[str, str]) -> None:
        self.name = source.name
        self._source = source
        self._originals = originals

    def original(self, tool: str) -> str:
        """The name of a tool at its source."""
        return self._originals.get(tool, tool)

    def record(self) -> SourceRecord:
        """Where the tools came from."""
        return self._source.record()

    async def tools(self) -> Sequence[ToolSpec]:
        """What the source has, under its own names."""
        return await self._source.tools()

    def check(
        self, tool: str, args: Sequence[object], kwargs: dict[str, object]
    ) -> dict[str, object]:
        """The arguments by name, each of its type."""
        return self._source.check(self.original(tool), args, kwargs)

    async def call(
        self, tool: str, arguments: dict[str, object], key: str
    ) -> ToolAnswer | ToolFailure:
        """Call it by the name that its source knows."""
        return await self._source.call(self.original(tool), arguments, key)

    async def close(self) -> None:
        """Let go of what it holds."""
        await self._source.close()


class RenamedJudge(Renamed):
    """The same, of a source that judges calls: its judgements hold under the other names too."""

    def __init__(self, source: Source, judge: JudgesCalls, originals: dict[str, str]) -> None:
        super().__init__(source, originals)
        self._judge = judge

    def spec_for(self, tool: str, arguments: dict[str, object]) -> ToolSpec:
        """The tool as it is for a call with these checked arguments."""
        original = self.original(tool)
        spec = self._judge.spec_for(original, arguments)
        return msgspec.structs.replace(spec, name=tool, original=spec.original or original)

    def refusal(self, tool: str, arguments: dict[str, object]) -> ToolRefusal | None:
        """Why this call never leaves, whatever the rules say."""
        return self._judge.refusal(self.original(tool), arguments)


def _renamed(source: Source, originals: dict[str, str]) -> Source:
    if isinstance(source, JudgesCalls):
        return RenamedJudge(source, source, originals)
    return Renamed(source, originals)


def named_entries(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The tools by names that a program can write: the same names for the same tools, always."""
    found: dict[str, Entry] = {}
    to_name: list[Entry] = []
    for entry in entries:
        name = entry.spec.name
        if name in RESERVED or python_name(name) != name:
            to_name.append(entry)
            continue
        if name in found:
            raise taken(entry, found[name])
        found[name] = entry
    for entry in sorted(to_name, key=lambda entry: entry.spec.name):
        _put(found, entry, _free_name(found, python_name(entry.spec.name)))
    return _apart_from_modules(found)


def _put(found: dict[str, Entry], entry: Entry, name: str) -> None:
    original = entry.spec.original or entry.spec.name
    spec = msgspec.structs.replace(entry.spec, name=name, original=original)
    found[name] = Entry(spec, _renamed(entry.source, {name: entry.spec.name}))


def _free_name(found: dict[str, Entry], name: str) -> str:
    wanted = f"{name}_" if name in RESERVED else name
    number = 1
    free = wanted
    while free in found:
        number += 1
        free = f"{wanted}_{number}"
    return free


def _apart_from_modules(found: dict[str, Entry]) -> dict[str, Entry]:
    """A name is a tool or a module of tools. A tool of the user's own is not given another name."""
    modules = {parent for name in found for parent in parents(name)}
    for name in sorted(modules & found.keys()):
        entry = found.pop(name)
        if entry.source.record().kind in _OF_THE_USER:
            raise BadTool(
                f"{name} is a tool and a module of tools at once",
                hints=(f'give the tool another name: @tool(name="{name}.call")',),
            )
        _put(found, entry, _free_name(found, f"{name}_"))
    return found


def parents(name: str) -> list[str]:
    """The modules that a full name is in, the root apart."""
    parts = name.split(".")
    return [".".join(parts[:depth]) for depth in range(1, len(parts))]


def taken(entry: Entry, other: Entry) -> BadTool:
    """What is said where two tools have one name."""
    return BadTool(
        f"two sources have a tool {entry.spec.name}: {other.source.name} and {entry.source.name}",
        hints=(
            'give one of them another name: @tool(name="...")',
            'or give one source another alias: toolset("alias", ...)',
        ),
    )
