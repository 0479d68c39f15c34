"""One Python program a turn."""

from collections.abc import Sequence
from typing import ClassVar

from actum.loop.formats.answering import answer_message
from actum.loop.formats.contract import Brief, FormatName, Told
from actum.loop.formats.observation import observation_text
from actum.loop.formats.prompts import (
    filled,
    instructions_section,
    manifest_section,
    packages_section,
    schema_text,
    sections,
)
from actum.loop.formats.reading.replies import read_program
from actum.models.contract import NativeTool
from actum.records.actions import Action
from actum.records.messages import Message, Reply
from actum.records.outcomes import Outcome
from actum.records.values import JSON

PROGRAM_SCHEMA: dict[str, JSON] = {
    "type": "object",
    "properties": {
        "thought": {"type": "string", "description": "Why, in one sentence."},
        "code": {"type": "string", "description": "The whole Python program."},
    },
    "required": ["code"],
    "additionalProperties": False,
}

PYTHON = NativeTool(
    name="python",
    description="Run one Python program. Its output and last value come back.",
    schema=PROGRAM_SCHEMA,
)

BY_CALL = "To act, call `python` with one whole program as `code`."
BY_FENCE = """To act, write one whole program in one block:
```python
print(1 + 1)
```"""
FREE_END = """When the task is done, call `finish(value)` in the program that has the answer, or \
answer in plain words without a program."""
TYPED_END = """When the task is done, call `finish(value)` in a program. Plain words are no answer. \
The value must fit this JSON schema:"""


class Code:
    """The action is a program; tools are modules inside it."""

    name: ClassVar[FormatName] = "code"

    def system(self, brief: Brief) -> str:
        return sections(
            filled(
                "code",
                act=BY_CALL if brief.native_calls else BY_FENCE,
                end=ending(brief),
                root=brief.tools_root,
            ),
            packages_section(brief),
            manifest_section(brief),
            instructions_section(brief),
        )

    def native_tools(self, brief: Brief) -> tuple[NativeTool, ...]:
        return (PYTHON,) if brief.native_calls else ()

    def read(self, reply: Reply, brief: Brief) -> Action:
        return read_program(reply, brief)

    def observation(self, outcome: Outcome, printed: str, notes: Sequence[str] = ()) -> str:
        return observation_text(outcome, printed, notes)

    def answer(self, told: Sequence[Told]) -> Message:
        return answer_message(told)


def ending(brief: Brief) -> str:
    """How a run of programs comes to its end."""
    if brief.output_schema is None:
        return FREE_END
    return f"{TYPED_END}\n{schema_text(brief)}"
