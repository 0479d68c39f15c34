"""All sources under one tree of names."""

import asyncio
import threading
from collections.abc import Sequence

import msgspec

from actum.catalog.entries import Entry, named_entries, parents, taken
from actum.catalog.manifest import manifest_text
from actum.catalog.near import near_names
from actum.catalog.own_tools import OwnTools
from actum.catalog.search import Rank, SearchIndex, joined
from actum.catalog.shapes import ShapesSeen
from actum.catalog.stubs import importable_stub, module_text, row, stub, summary
from actum.catalog.text import clean
from actum.records.calls import ToolCall
from actum.records.sessions import ModuleText
from actum.records.tools import Effect, ToolSpec
from actum.records.values import JSON
from actum.tools.contract import Source

MODULES_SHOWN = 12
ROWS_SHOWN = 50
_SIGNATURE_LIMIT = 300
_RANKED = 50


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that a search found."""

    name: str
    signature: str
    summary: str
    effect: Effect
    source: str
    score: float


class Catalog:
    """Every tool of a run by its full name."""

    def __init__(
        self,
        entries: Sequence[Entry],
        *,
        rank: Rank | None = None,
        cache: str | None = None,
        shapes: ShapesSeen | None = None,
        hidden: Sequence[Entry] = (),
    ) -> None:
        """`cache` is a file for the search index, `rank` the user's own ranking beside it.

        `hidden` tools stand in no list: a program comes to them by another way.
        """
        self._entries = named_entries(entries)
        self._hidden = {entry.spec.name: entry for entry in hidden}
        for name in self._entries.keys() & self._hidden.keys():
            raise taken(self._entries[name], self._hidden[name])
        self._below, self._counts = _tree(self._entries)
        self._names = sorted(self._entries)
        self._originals = {e.spec.original: n for n, e in self._entries.items() if e.spec.original}
        own = OwnTools(self._rows, self.describe, self.missing, self.nothing_found)
        self._own = own.entries()
        self._rank = rank
        self._shapes = shapes or ShapesSeen()
        self._index = SearchIndex(cache)
        self._indexing = threading.Lock()
        self._indexed = False

    @property
    def specs(self) -> list[ToolSpec]:
        """Every tool, by name; those of the catalog itself apart."""
        return [self._entries[name].spec for name in self._names]

    def find(self, name: str) -> Entry | None:
        """The tool of this full name."""
        return self._entries.get(name) or self._own.get(name) or self._hidden.get(name)

    def spec_of(self, call: ToolCall) -> ToolSpec | None:
        """The tool of this call, as it is for these arguments."""
        entry = self.find(call.tool)
        return entry.spec_of(call) if entry is not None else None

    def near(self, name: str) -> list[str]:
        """Names like this one."""
        return near_names(name, self._names)

    def module(self, name: str) -> ModuleText:
        """The text of a module; `""` is the root."""
        if name not in self._below:
            return self._hidden_module(name)
        children = self._below[name]
        functions = [self._stub(child) for child in children if child in self._entries]
        modules = [child.rsplit(".", 1)[-1] for child in children if child in self._below]
        title = f"Tools of {name}." if name else "The tools of this run."
        return ModuleText(text=module_text(title, functions, modules))

    def names(self, module: str) -> list[str] | None:
        """The short names in a module, `""` being the root; None where there is no such module."""
        below = self._below.get(module)
        return None if below is None else [name.rsplit(".", 1)[-1] for name in below]

    def manifest(self, root: str) -> str:
        """What the prompt says of the tools: constant in size however many there are."""
        if not self._entries:
            return "There are no tools in this run."
        top = self._below[""]
        functions = [self._entries[name].spec for name in top if name in self._entries]
        modules = [(name, self._counts[name]) for name in top if name in self._below]
        return manifest_text(root, functions, modules)

    def prepare(self) -> None:
        """Index the tools in the background, so that the first search need not wait."""
        threading.Thread(target=self._ready_index, name="actum-index", daemon=True).start()

    def search(self, words: str, limit: int = 10) -> list[Hit]:
        """Tools by what they do, best first. The first search indexes them, if `prepare` has not."""
        index = self._ready_index()
        if self._rank is None:
            found = index.search(words, limit)
        else:
            ours = [name for name, _ in index.search(words, _RANKED)]
            theirs = [name for name in self._rank(words, self.specs) if name in self._entries]
            found = joined(ours, theirs[:_RANKED])[:limit]
        return [self._hit(name, score) for name, score in found]

    def describe(self, name: str, full: bool = False) -> str | None:  # noqa: FBT001, FBT002 -- as programs call it
        """A tool with its docstring, or the rows of a module. None where there is neither."""
        plain = self._known(name)
        if plain is None:
            return None
        entry = self._entries.get(plain) or self._own.get(plain)
        if entry is not None:
            text = stub(entry.spec, full=full, seen=self._seen(entry))
            return (
                text.replace("def ", f"def {plain.rpartition('.')[0]}.", 1)
                if "." in plain
                else text
            )
        children = self._below[plain]
        rows = [row(self._entries[child].spec) for child in children if child in self._entries]
        modules = [child for child in children if child in self._below]
        rows.extend(f"{child}  # {self._counts[child]:,} functions" for child in modules)
        if len(rows) > ROWS_SHOWN and not full:
            rows = [*rows[:ROWS_SHOWN], f"... and {len(rows) - ROWS_SHOWN:,} more"]
        return "\n".join(rows)

    def missing(self, name: str) -> str:
        """What is told where there is no such tool: the nearest, or where to look."""
        near = self.near(name)
        if near:
            rows = "\n".join(row(self._entries[other].spec) for other in near)
            return f"there is no tool {clean(name, 100)!r}; near:\n{rows}"
        return f"there is no tool {clean(name, 100)!r}; {self._modules_text()}"

    def nothing_found(self, words: str) -> str:
        """What is told where a search found nothing."""
        return f"no tool matches {clean(words, 100)!r}; try other words; {self._modules_text()}"

    def remember(self, name: str, value: JSON) -> None:
        """Keep the shape of a real answer, where the tool itself does not say what it returns."""
        entry = self._entries.get(name)
        if entry is not None and not _says_what_it_returns(entry.spec):
            self._shapes.remember(name, _origin(entry), value)

    async def _rows(self, words: str, limit: int) -> list[dict[str, JSON]]:
        hits = await asyncio.to_thread(self.search, words, limit)
        return [
            {
                "name": hit.name,
                "signature": hit.signature,
                "summary": hit.summary,
                "effect": hit.effect,
                "source": hit.source,
            }
            for hit in hits
        ]

    def _ready_index(self) -> SearchIndex:
        with self._indexing:
            if not self._indexed:
                self._index.update(self.specs)
                self._indexed = True
        return self._index

    def _hit(self, name: str, score: float) -> Hit:
        spec = self._entries[name].spec
        return Hit(
            name=name,
            signature=clean(spec.signature, _SIGNATURE_LIMIT),
            summary=summary(spec),
            effect=spec.effect,
            source=spec.source,
            score=round(score, 4),
        )

    def _known(self, name: str) -> str | None:
        """The full name of a tool or module, also where the root or its own name was written."""
        for candidate in (name, name.partition(".")[2], self._originals.get(name, "")):
            if candidate and (self.find(candidate) is not None or candidate in self._below):
                return candidate
        return None

    def _stub(self, name: str) -> str:
        entry = self._entries[name]
        return importable_stub(entry.spec, seen=self._seen(entry))

    def _seen(self, entry: Entry) -> str:
        if _says_what_it_returns(entry.spec):
            return ""
        return self._shapes.shape(entry.spec.name, _origin(entry))

    def _hidden_module(self, name: str) -> ModuleText:
        """The text of a module that stands in no list, for whoever knows its name."""
        inside = [e.spec for e in self._hidden.values() if e.spec.name.rpartition(".")[0] == name]
        if not inside:
            return ModuleText(problem=self._no_module(name))
        functions = [stub(spec) for spec in inside]
        return ModuleText(text=module_text(f"Tools of {name}.", functions, []))

    def _no_module(self, name: str) -> str:
        near = near_names(name, [module for module in self._below if module])
        if near:
            return f"there are no tools {name!r}; near: {', '.join(near)}"
        return f"there are no tools {name!r}; {self._modules_text()}"

    def _modules_text(self) -> str:
        have = [child for child in self._below[""] if child in self._below]
        more = f" and {len(have) - MODULES_SHOWN} more" if len(have) > MODULES_SHOWN else ""
        return f"modules: {', '.join(have[:MODULES_SHOWN]) or 'none'}{more}"


def _says_what_it_returns(spec: ToolSpec) -> bool:
    return bool(spec.output_schema) or spec.returns not in {"", "Any", "object", "dict", "list"}


def _origin(entry: Entry) -> str:
    record = entry.source.record()
    return record.sha256 or record.alias


def _tree(entries: dict[str, Entry]) -> tuple[dict[str, list[str]], dict[str, int]]:
    """The full names below each module, sorted, and how many tools are below it at any depth."""
    below: dict[str, set[str]] = {"": set()}
    counts: dict[str, int] = {}
    for name in entries:
        above = ""
        for module in parents(name):
            below[above].add(module)
            below.setdefault(module, set())
            counts[module] = counts.get(module, 0) + 1
            above = module
        below[above].add(name)
    return {name: sorted(children) for name, children in below.items()}, counts


async def open_catalog(
    sources: Sequence[Source],
    *,
    rank: Rank | None = None,
    cache: str | None = None,
    shapes: ShapesSeen | None = None,
    hidden: Sequence[Source] = (),
) -> Catalog:
    """Ask every source what it has."""
    entries = [Entry(spec, source) for source in sources for spec in await source.tools()]
    beside = [Entry(spec, source) for source in hidden for spec in await source.tools()]
    return Catalog(entries, rank=rank, cache=cache, shapes=shapes, hidden=beside)
