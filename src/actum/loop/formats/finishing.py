"""The answer as a value: how a run comes to its end."""

from actum.loop.formats.contract import Brief
from actum.loop.formats.prompts import schema_text
from actum.models.contract import NativeTool

FREE_PROGRAM = """When the task is done, answer in plain words without a program, or call \
`finish(value)` in the program that has the answer."""
TYPED_PROGRAM = """When the task is done, call `finish(value)` in a program. Plain words are no \
answer. The value must fit this JSON schema:"""
FREE_CALLS = "When the task is done, answer in plain words without a call."
TYPED_CALLS = """When the task is done, call `finish` with the answer as `value`. Plain words are \
no answer."""
TYPED_TEXT = "The value must fit this JSON schema:"


def program_ending(brief: Brief) -> str:
    """How a run of programs comes to its end."""
    if brief.output_schema is None:
        return FREE_PROGRAM
    return f"{TYPED_PROGRAM}\n{schema_text(brief)}"


def calls_ending(brief: Brief) -> str:
    """How a run of calls comes to its end."""
    if brief.output_schema is None:
        return FREE_CALLS
    if brief.native_calls:
        return TYPED_CALLS
    return f"{TYPED_CALLS} {TYPED_TEXT}\n{schema_text(brief)}"


def finish_tool(brief: Brief) -> tuple[NativeTool, ...]:
    """`finish` as a native tool, where the answer has a schema."""
    if brief.output_schema is None:
        return ()
    inner = dict(brief.output_schema)
    # References count from the top of a schema, and its top is ours now.
    definitions = {name: inner.pop(name) for name in ("$defs", "definitions") if name in inner}
    return (
        NativeTool(
            name="finish",
            description="End the task with its answer.",
            schema={
                "type": "object",
                "properties": {"value": inner},
                "required": ["value"],
                "additionalProperties": False,
                **definitions,
            },
        ),
    )
