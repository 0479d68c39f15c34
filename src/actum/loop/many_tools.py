"""More tools than a prompt can hold: two native calls stand for all of them."""

from collections.abc import Sequence

import msgspec

from actum.records.actions import FormatName, WantedCall
from actum.records.tools import Parameter, ToolSpec
from actum.records.values import JSON

SCHEMA_BUDGET = 1200 * 4
"""Characters: about 1,200 tokens of schemas."""
CHARACTERS_A_TOKEN = 4
SEARCH = ToolSpec(
    name="search_tools",
    effect="read",
    description="Find tools by what they do. Answers with names, signatures and one line each.",
    parameters=(Parameter(name="query", annotation="str"),),
    input_schema={
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
CALL = ToolSpec(
    name="call_tool",
    effect="write",
    description="Call a tool that search_tools has found, with its arguments by name.",
    parameters=(
        Parameter(name="name", annotation="str"),
        Parameter(name="arguments", annotation="dict"),
    ),
    input_schema={
        "type": "object",
        "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    },
)


def direct_tools(
    specs: Sequence[ToolSpec], action_format: FormatName, *, show_all: bool = False
) -> tuple[ToolSpec, ...]:
    """The tools that a model is given as native calls; for code there are none."""
    if action_format == "code":
        return ()
    callable_so = [spec for spec in specs if spec.callable_from != "code"]
    marked = tuple(spec for spec in callable_so if spec.callable_from == "direct")
    unmarked = tuple(spec for spec in callable_so if spec.callable_from == "both")
    if show_all or schema_size(unmarked) <= SCHEMA_BUDGET:
        return (*marked, *unmarked)
    # In `auto` the others are modules of a program; in `json` there is no program to import them.
    return (*marked, SEARCH, CALL) if action_format == "json" else marked


def schema_size(specs: Sequence[ToolSpec]) -> int:
    """Characters that these tools take in every request."""
    return sum(
        len(spec.name) + len(spec.description) + len(msgspec.json.encode(spec.input_schema))
        for spec in specs
    )


def left_out(specs: Sequence[ToolSpec], direct: Sequence[ToolSpec]) -> str | None:
    """What it saves that not every schema is sent; None where every one is."""
    if SEARCH not in direct:
        return None
    saved = (schema_size(specs) - schema_size(direct)) // CHARACTERS_A_TOKEN
    return (
        f"{len(specs)} tools: search_tools and call_tool stand for them, "
        f"which saves about {saved:,} tokens a request"
    )


def meant(wanted: WantedCall) -> tuple[str, dict[str, JSON]]:
    """The tool and the arguments that a call is really for."""
    if wanted.tool == SEARCH.name:
        return "search", wanted.arguments
    name, arguments = wanted.arguments.get("name"), wanted.arguments.get("arguments", {})
    if wanted.tool == CALL.name and isinstance(name, str) and isinstance(arguments, dict):
        return name, arguments
    return wanted.tool, wanted.arguments
