"""Which tools a model is given as native calls; the others are modules of a program."""

from collections.abc import Sequence

import msgspec

from actum.records.actions import FormatName
from actum.records.tools import ToolSpec

SCHEMA_BUDGET = 1200 * 4
"""Characters: about 1,200 tokens of schemas."""


def direct_tools(specs: Sequence[ToolSpec], action_format: FormatName) -> tuple[ToolSpec, ...]:
    """None for code; all for JSON; for auto those marked, and the rest while they are few."""
    if action_format == "code":
        return ()
    callable_so = [spec for spec in specs if spec.callable_from != "code"]
    if action_format == "json":
        return tuple(callable_so)
    marked = [spec for spec in callable_so if spec.callable_from == "direct"]
    unmarked = [spec for spec in callable_so if spec.callable_from == "both"]
    if sum(len(msgspec.json.encode(spec.input_schema)) for spec in unmarked) > SCHEMA_BUDGET:
        return tuple(marked)
    return (*marked, *unmarked)
