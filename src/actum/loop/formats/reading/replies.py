"""A whole reply, by the ways in which a program can stand in it."""

import re

import msgspec

from actum.loop.formats.contract import Brief
from actum.records.actions import Action, RunCode, Say, Unreadable
from actum.records.messages import Reply

FENCE = re.compile(r"^```(?:python|py)?[ \t]*\n(.*?)(?:^```|\Z)", re.MULTILINE | re.DOTALL)
EMPTY = "The answer was empty. Write a program, or the answer in plain words."


def read_program(reply: Reply, brief: Brief) -> Action:
    """A native call, a fence, or words."""
    for call in reply.calls:
        try:
            program = msgspec.json.decode(call.arguments, type=dict[str, str])["code"]
        except (msgspec.MsgspecError, KeyError):
            return Unreadable('Call python with {"code": "..."}.', (call.id,))
        return RunCode(program, thought=reply.text, call_id=call.id)
    found = FENCE.search(reply.text)
    if found:
        return RunCode(found[1], thought=reply.text[: found.start()].strip())
    if reply.text.strip():
        return Say(reply.text.strip())
    return Unreadable(EMPTY)
