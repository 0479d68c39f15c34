"""Calls where a call is enough, a program where it is not."""

from collections.abc import Sequence

from actum.loop.formats.answering import answer_message
from actum.loop.formats.code import PYTHON, way_to_act
from actum.loop.formats.contract import Brief, FormatName, Told
from actum.loop.formats.finishing import finish_tool, program_ending
from actum.loop.formats.json_calls import direct_tools
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


class Auto:
    """The model takes the path that fits. Without native calls every path is a program."""

    name: FormatName = "auto"

    def system(self, brief: Brief) -> str:
        name = "auto" if brief.native_calls else "code"
        return sections(
            filled(name, act=way_to_act(brief), end=program_ending(brief), root=brief.tools_root),
            packages_section(brief),
            network_section(brief),
            folders_section(brief),
            manifest_section(brief),
            instructions_section(brief),
        )

    def native_tools(self, brief: Brief) -> tuple[NativeTool, ...]:
        if not brief.native_calls:
            return ()
        return (*direct_tools(brief), PYTHON, *finish_tool(brief))

    def read(self, reply: Reply, brief: Brief) -> Action:
        return read_reply(reply, brief, self.name)

    def observation(self, outcome: Outcome, printed: str, notes: Sequence[str] = ()) -> str:
        return observation_text(outcome, printed, notes)

    def answer(self, told: Sequence[Told]) -> Message:
        return answer_message(told)
