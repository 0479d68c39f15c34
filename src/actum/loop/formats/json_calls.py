"""Calls of tools by JSON, and no programs: no session is ever opened."""

from collections.abc import Sequence

import msgspec

from actum.loop.formats.answering import answer_message
from actum.loop.formats.contract import Brief, FormatName, Told
from actum.loop.formats.finishing import calls_ending, finish_tool
from actum.loop.formats.observation import observation_text
from actum.loop.formats.prompts import filled, instructions_section, sections
from actum.loop.formats.reading.replies import read_reply
from actum.models.contract import NativeTool
from actum.records.actions import Action
from actum.records.messages import Message, Reply
from actum.records.outcomes import Outcome
from actum.records.tools import ToolSpec
from actum.records.values import JSON

BY_CALL = "To act, call the tools that you were given."
BY_TEXT = """To act, write only a JSON list of calls:
[{"name": "crm.get", "arguments": {"i": 1}}]"""


class Json:
    """The action is a set of calls, each against its schema."""

    name: FormatName = "json"

    def system(self, brief: Brief) -> str:
        act = BY_CALL if brief.native_calls else BY_TEXT
        return sections(
            filled("json_calls", act=act, end=calls_ending(brief)),
            "" if brief.native_calls else _tools_section(brief),
            instructions_section(brief),
        )

    def native_tools(self, brief: Brief) -> tuple[NativeTool, ...]:
        if not brief.native_calls:
            return ()
        return (*direct_tools(brief), *finish_tool(brief))

    def read(self, reply: Reply, brief: Brief) -> Action:
        return read_reply(reply, brief, self.name)

    def observation(self, outcome: Outcome, printed: str, notes: Sequence[str] = ()) -> str:
        return observation_text(outcome, printed, notes)

    def answer(self, told: Sequence[Told]) -> Message:
        return answer_message(told)


def direct_tools(brief: Brief) -> tuple[NativeTool, ...]:
    """The tools of the brief, as the provider is told of them."""
    return tuple(
        NativeTool(name=spec.name, description=_sentence(spec), schema=_schema(spec))
        for spec in brief.direct
    )


def _sentence(spec: ToolSpec) -> str:
    return spec.description.strip() or spec.signature


def _schema(spec: ToolSpec) -> dict[str, JSON]:
    return spec.input_schema or {"type": "object", "properties": {}}


def _tools_section(brief: Brief) -> str:
    """The tools in the text, for a provider that takes none."""
    lines = [
        f"{tool.name}: {tool.description}\n  {msgspec.json.encode(tool.schema).decode()}"
        for tool in direct_tools(brief)
    ]
    return "The tools, each with the schema of its arguments:\n" + "\n".join(lines)
