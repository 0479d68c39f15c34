"""All sources under one tree of names."""

import difflib
from collections.abc import Sequence

import msgspec

from actum.catalog.stubs import clean, module_text
from actum.errors import BadTool
from actum.records.sessions import ModuleText
from actum.records.tools import ToolSpec
from actum.tools.contract import Source

MANIFEST_ROWS = 50
NEAR_NAMES = 3


class Entry(msgspec.Struct, frozen=True):
    """A tool and where to call it."""

    spec: ToolSpec
    source: Source


class Catalog:
    """Every tool of a run by its full name."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries: dict[str, Entry] = {}
        for entry in entries:
            other = self._entries.get(entry.spec.name)
            if other is not None:
                raise BadTool(
                    f"two sources have a tool {entry.spec.name}: "
                    f"{other.source.name} and {entry.source.name}",
                    hints=('give one of them another name: @tool(name="...")',),
                )
            self._entries[entry.spec.name] = entry
        self._below = _tree(self._entries)
        for name in self._entries.keys() & self._below.keys():
            raise BadTool(
                f"{name} is a tool and a module of tools at once",
                hints=(f'give the tool another name: @tool(name="{name}.call")',),
            )

    @property
    def specs(self) -> list[ToolSpec]:
        """Every tool, by name."""
        return [self._entries[name].spec for name in sorted(self._entries)]

    def find(self, name: str) -> Entry | None:
        """The tool of this full name."""
        return self._entries.get(name)

    def near(self, name: str) -> list[str]:
        """Names like this one."""
        return difflib.get_close_matches(name, list(self._entries), n=NEAR_NAMES, cutoff=0.5)

    def module(self, name: str) -> ModuleText:
        """The text of a module; `""` is the root."""
        if name not in self._below:
            return ModuleText(problem=self._missing(name))
        children = self._below[name]
        tools = [self._entries[child].spec for child in children if child in self._entries]
        modules = [child.rsplit(".", 1)[-1] for child in children if child in self._below]
        title = f"Tools of {name}." if name else "The tools of this run."
        return ModuleText(text=module_text(title, tools, modules))

    def names(self, module: str) -> list[str] | None:
        """The short names in a module, `""` being the root; None where there is no such module."""
        below = self._below.get(module)
        return None if below is None else [name.rsplit(".", 1)[-1] for name in below]

    def manifest(self, root: str) -> str:
        """What the prompt says of the tools: constant in size however many there are."""
        if not self._entries:
            return "There are no tools in this run."
        rows: list[str] = []
        for child in self._below[""]:
            entry = self._entries.get(child)
            if entry is not None:
                rows.append(f"{entry.spec.signature}  # {clean(_first_line(entry.spec), 80)}")
            else:
                count = sum(1 for name in self._entries if name.startswith(f"{child}."))
                rows.append(f"{root}.{child}  # {count} function{'s' if count != 1 else ''}")
        if len(rows) > MANIFEST_ROWS:
            left = len(rows) - MANIFEST_ROWS
            rows = [*rows[:MANIFEST_ROWS], f"... and {left} more"]
        return "\n".join(rows)

    def _missing(self, name: str) -> str:
        near = difflib.get_close_matches(name, [n for n in self._below if n], n=NEAR_NAMES)
        if near:
            return f"there are no tools {name!r}; near: {', '.join(near)}"
        have = [child for child in self._below.get("", []) if child in self._below]
        shown = ", ".join(have[:MANIFEST_ROWS]) or "none"
        return f"there are no tools {name!r}; modules: {shown}"


def _tree(entries: dict[str, Entry]) -> dict[str, list[str]]:
    """The full names below each module, sorted; every module has an entry of its own."""
    below: dict[str, set[str]] = {"": set()}
    for name in entries:
        parts = name.split(".")
        for depth in range(len(parts)):
            parent = ".".join(parts[:depth])
            below.setdefault(parent, set()).add(".".join(parts[: depth + 1]))
    return {name: sorted(children) for name, children in below.items()}


def _first_line(spec: ToolSpec) -> str:
    return spec.description.strip().splitlines()[0] if spec.description.strip() else ""


async def open_catalog(sources: Sequence[Source]) -> Catalog:
    """Ask every source what it has."""
    entries = [Entry(spec, source) for source in sources for spec in await source.tools()]
    return Catalog(entries)
