"""`actum tools`: what tools there are, what they take, and one tried out. No model is needed."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from actum.assemble import Workshop
from actum.catalog.catalog import Catalog, open_catalog
from actum.catalog.editor_stubs import stub_files
from actum.catalog.stubs import row, summary
from actum.cli.frame import Frame
from actum.cli.narration import Narrator
from actum.cli.to_the_end import approver_here, take_to_end
from actum.errors import UserMistake
from actum.journal.contract import Store
from actum.lifecycle.live import LiveRun
from actum.lifecycle.starting import start_program
from actum.records.tools import ToolSpec
from actum.records.values import JSON
from actum.settings.homes import actum_home
from actum.tools.contract import Source

NO_TOOLS = 'no tools here: name a file with --tools, or put tools = ["tools.py"] into actum.toml'

F = TypeVar("F", bound=Callable[..., Any])


def with_files(function: F) -> F:
    """Every command here takes the files of tools."""
    option = click.option("--tools", multiple=True, type=click.Path(path_type=Path), metavar="FILE")
    return option(function)


@click.group("tools")
def command() -> None:
    """List, search, show and try the tools of this folder."""


@command.command("list")
@with_files
@click.pass_obj
def list_tools(frame: Frame, *, tools: tuple[Path, ...]) -> None:
    """List all tools."""
    catalog, _, _ = _open(frame, tools)
    if frame.screen.as_json:
        frame.screen.document([_fields(spec) for spec in catalog.specs])
        return
    for spec in catalog.specs:
        frame.screen.data(row(spec))
    if not catalog.specs:
        frame.screen.narrate(NO_TOOLS)


@command.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1), metavar="N")
@with_files
@click.pass_obj
def search_tools(
    frame: Frame, *, words: tuple[str, ...], limit: int, tools: tuple[Path, ...]
) -> None:
    """Find tools by what they do, as a program's `tools.search` does."""
    catalog, _, _ = _open(frame, tools)
    hits = catalog.search(" ".join(words), limit)
    if frame.screen.as_json:
        frame.screen.document([msgspec.structs.asdict(hit) for hit in hits])
        return
    for hit in hits:
        frame.screen.data(f"{hit.signature}  # {hit.summary}")
    if not hits:
        frame.screen.narrate(catalog.nothing_found(" ".join(words)))


@command.command("show")
@click.argument("name")
@with_files
@click.pass_obj
def show_tool(frame: Frame, *, name: str, tools: tuple[Path, ...]) -> None:
    """Show all about one tool or module."""
    catalog, _, _ = _open(frame, tools)
    told = catalog.describe(name, full=True)
    if told is None:
        raise _no_such_tool(catalog, name)
    if not frame.screen.as_json:
        frame.screen.data(told)
        return
    entry = catalog.find(name)
    whole: dict[str, JSON] = msgspec.to_builtins(entry.spec) if entry is not None else {}
    fields = _fields(entry.spec) if entry is not None else {"name": name}
    frame.screen.document({**whole, **fields, "text": told})


@command.command("stub")
@click.option("--out", default="typings", show_default=True, type=click.Path(path_type=Path))
@click.option("--tools-as", default="tools", metavar="NAME", help="The name to import tools from.")
@with_files
@click.pass_obj
def write_stubs(frame: Frame, *, out: Path, tools_as: str, tools: tuple[Path, ...]) -> None:
    """Write `.pyi` files, so that an editor knows the tools."""
    catalog, _, _ = _open(frame, tools)
    written: list[JSON] = []
    for name, text in stub_files(catalog, tools_as).items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(str(path))
    if frame.screen.as_json:
        frame.screen.document(written)
        return
    for path in written:
        frame.screen.data(str(path))


@command.command("try")
@click.argument("name")
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--place", metavar="PLACE", help="Where the one-line program runs.")
@with_files
@click.pass_obj
def try_tool(
    frame: Frame,
    *,
    name: str,
    arguments: tuple[str, ...],
    place: str | None,
    tools: tuple[Path, ...],
) -> int:
    """Call one tool as a program would: same rules, same questions, on record."""
    catalog, sources, workshop = _open(frame, tools, {"place.name": place})
    entry = catalog.find(name)
    if entry is None:
        raise _no_such_tool(catalog, name)
    given = _arguments(entry.spec, arguments)
    # A mistake at the keyboard is told at once, and is no run.
    entry.source.check(entry.spec.name, (), {**given})
    written = ", ".join(f"{key}={value!r}" for key, value in given.items())
    source = f"import tools\nfinish(tools.{entry.spec.name}({written}))\n"
    narrator = Narrator(frame.screen)

    async def opening() -> tuple[LiveRun, Store]:
        parts = await workshop.parts(
            sources=sources,
            approver=approver_here(frame.screen),
            listener=narrator.output,
        )
        store = workshop.store()
        start = workshop.start(f"try {entry.spec.name}", entry="program")
        return await start_program(store, start, parts, source), store

    ending, _ = take_to_end(frame.screen, opening)
    if ending.status == "done" and not frame.screen.as_json:
        output = ending.output
        text = output if isinstance(output, str) else json.dumps(output, indent=2)
        frame.screen.data(text)
    return ending.exit


def _open(
    frame: Frame, named: Sequence[Path], flags: dict[str, JSON] | None = None
) -> tuple[Catalog, tuple[Source, ...], Workshop]:
    workshop = Workshop(frame.settings(flags), frame.environ)
    sources = workshop.sources(named)
    cache = actum_home(frame.environ) / "cache" / "search-index"
    return asyncio.run(open_catalog(sources, cache=str(cache))), sources, workshop


def _fields(spec: ToolSpec) -> dict[str, JSON]:
    return {
        "name": spec.name,
        "signature": spec.signature,
        "summary": summary(spec),
        "effect": spec.effect,
        "source": spec.source,
    }


def _no_such_tool(catalog: Catalog, name: str) -> UserMistake:
    near = catalog.near(name)
    return UserMistake(
        f"there is no tool {name!r}",
        hints=(
            *(f"did you mean {other}?   actum tools show {other}" for other in near),
            "see all of them:   actum tools list",
        ),
    )


def _arguments(spec: ToolSpec, words: Sequence[str]) -> dict[str, JSON]:
    """`key=value` each: text where the tool takes text, JSON where it takes something else."""
    properties = spec.input_schema.get("properties")
    schemas = properties if isinstance(properties, dict) else {}
    given: dict[str, JSON] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise UserMistake(
                f"{word!r} is no argument",
                hints=(f"write key=value; it takes: {spec.signature}",),
            )
        given[key] = value if _takes_text(schemas.get(key), value) else _parsed(value)
    return given


def _takes_text(schema: JSON, value: str) -> bool:
    if not isinstance(schema, dict):
        return False
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        return value != "null" and any(_takes_text(choice, value) for choice in choices)
    return schema.get("type") == "string"


def _parsed(value: str) -> JSON:
    try:
        return json.loads(value)
    except ValueError:
        return value
