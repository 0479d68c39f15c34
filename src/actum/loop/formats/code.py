"""One Python program a turn."""

from collections.abc import Sequence

import msgspec

from actum.loop.formats.answering import answer_message
from actum.loop.formats.contract import Brief, FormatName, Told
from actum.loop.formats.finishing import program_ending
from actum.loop.formats.observation import observation_text
from actum.loop.formats.prompts import (
    filled,
    folders_section,
    instructions_section,
    manifest_section,
    network_section,
    packages_section,
    sections,
)
from actum.loop.formats.reading.replies import read_reply
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
FIRST = "orders = shop.orders()\nprint(orders[0])"
SECOND = "late = [o for o in orders if o.days_late > 0]\nprint(len(late), 'late')"


class Code:
    """The action is a program; tools are modules inside it."""

    name: FormatName = "code"

    def system(self, brief: Brief) -> str:
        return sections(
            _small(brief) if brief.small_model else _full(brief),
            packages_section(brief),
            network_section(brief),
            folders_section(brief),
            manifest_section(brief),
            instructions_section(brief),
        )

    def native_tools(self, brief: Brief) -> tuple[NativeTool, ...]:
        return (PYTHON,) if brief.native_calls else ()

    def read(self, reply: Reply, brief: Brief) -> Action:
        return read_reply(reply, brief, self.name)

    def observation(self, outcome: Outcome, printed: str, notes: Sequence[str] = ()) -> str:
        return observation_text(outcome, printed, notes)

    def answer(self, told: Sequence[Told]) -> Message:
        return answer_message(told)


def way_to_act(brief: Brief) -> str:
    """How a program is sent."""
    return BY_CALL if brief.native_calls else BY_FENCE


def _full(brief: Brief) -> str:
    end = program_ending(brief)
    return filled("code", act=way_to_act(brief), end=end, root=brief.tools_root)


def _small(brief: Brief) -> str:
    return filled(
        "code_small",
        act=way_to_act(brief),
        end=program_ending(brief),
        root=brief.tools_root,
        first=_example(FIRST, brief),
        second=_example(SECOND, brief),
    )


def _example(program: str, brief: Brief) -> str:
    """The program as the model should send it."""
    if not brief.native_calls:
        return f"```python\n{program}\n```"
    return f"python({msgspec.json.encode({'code': program}).decode()})"
