"""A whole reply, by each of the ways in which an action can stand in it."""

import re

from msgspec import UNSET

from actum.loop.formats.contract import Brief, FormatName
from actum.loop.formats.reading.blocks import blocks, is_program
from actum.loop.formats.reading.calls import (
    Asked,
    Marked,
    arguments_of,
    calls_of,
    loose_calls,
    marked_calls,
)
from actum.loop.formats.reading.cleaning import before_invented, cleaned, whole_characters
from actum.loop.formats.reading.meaning import (
    Abilities,
    Given,
    abilities,
    action_of,
    program_in,
    thought_in,
)
from actum.loop.formats.reading.names import PROGRAM_KEYS, THOUGHT_KEYS
from actum.loop.formats.reading.nearby import nearby_calls
from actum.loop.formats.reading.objects import is_exact, read_json
from actum.loop.formats.reading.pythonic import pythonic_at_end
from actum.loop.formats.reading.words import CUT, FINAL, could_be, words_action
from actum.loop.formats.reading.written import without_labels, written_program
from actum.records.actions import Action, Finish, RunCode, Say, Unreadable
from actum.records.messages import Reply
from actum.records.values import JSON

BY_CALL = 'call python with {"code": "print(1 + 1)"}'
BY_FENCE = """write one program in one block:
```python
print(1 + 1)
```"""
CALL_MARKS = re.compile(
    r"</?(?:tool_call|function_call|tool)>|^[ \t]*Action[ \t]*:[ \t]*", re.MULTILINE
)
SIDE_KEYS = ("type", "language", "lang", "kind", "id", "step", "title")
ANSWER_KEYS = ("answer", "final_answer")
EMPTY_VALUES: tuple[JSON, ...] = (None, "")
EMPTY = "Your answer was empty. Next: {way}"
REFUSED = "The model refused to answer."


def read_reply(reply: Reply, brief: Brief, name: FormatName) -> Action:
    """What the model wants. What cannot be read is `Unreadable`, with the way out."""
    can = abilities(brief, name)
    text = cleaned(reply.text)
    way = way_out(brief, name)
    if reply.calls:
        return _native(reply, can, text, way)
    if reply.stop == "refusal":
        return Say(text or REFUSED)
    cut = reply.stop == "length"
    if not text.strip():
        return Unreadable((CUT if cut else EMPTY).format(way=way))
    # What was cut may be half of what was meant: then only what is whole counts.
    whole = not cut or is_exact(text)
    action = (_object(text, can) or _marked(text, can)) if whole else None
    if action is None and can.programs:
        action = written_program(text, can, way, cut=cut)
    if action is None and whole:
        action = _loose(text, can)
    return action or words_action(text, can.schema, way, cut=cut)


def way_out(brief: Brief, name: FormatName) -> str:
    """How to act in this run, in one line or a tiny example."""
    acts: list[str] = []
    if name != "code" and brief.direct:
        acts.append("call a tool")
    if name != "json":
        acts.append(BY_CALL if brief.native_calls else BY_FENCE)
    typed = brief.output_schema is not None
    end = "end with finish(value)" if typed else "answer in plain words"
    return f"{', or '.join([*acts, end])}."


def _native(reply: Reply, can: Abilities, thought: str, way: str) -> Action:
    given: list[Given] = []
    for call in reply.calls:
        arguments = arguments_of(call.arguments)
        if reply.stop == "length" and not is_exact(call.arguments or "{}"):
            return Unreadable(CUT.format(way=way), tuple(call.id for call in reply.calls))
        raw = "" if arguments is not None else whole_characters(call.arguments)
        given.append(Given(Asked(call.name, arguments or {}, raw), call.id))
    return action_of(given, can, thought)


def _object(text: str, can: Abilities) -> Action | None:
    """The whole answer is one object: a value of the schema, a call, or `{thought, code}`."""
    value = read_json(text) if text.lstrip()[:1] in {"{", "[", "`", "~"} else UNSET
    if value is UNSET or not isinstance(value, dict | list):
        return None
    if can.schema is not None and isinstance(value, dict) and could_be(value, can.schema):
        return Finish(value)
    calls = calls_of(value, can.names)
    if calls:
        return action_of([Given(call) for call in calls], can, "")
    if isinstance(value, dict) and can.programs:
        return _thought_and_code(value)
    return None


def _thought_and_code(value: dict[str, JSON]) -> Action | None:
    if not set(value) <= {*THOUGHT_KEYS, *PROGRAM_KEYS, *ANSWER_KEYS, *SIDE_KEYS}:
        return None
    program = program_in(value)
    if program:
        return RunCode(program, thought=thought_in(value))
    words = thought_in(value)
    answers = [value[key] for key in ANSWER_KEYS if value.get(key) not in EMPTY_VALUES]
    if words and answers:
        return Finish(answers[0])
    return Say(words) if words and program is not None else None


def _marked(text: str, can: Abilities) -> Action | None:
    """Calls between marks of their own, unless a program stands in front of them."""
    found = marked_calls(text, can.names)
    if found is None or _program_before(text, found.start, can):
        return None
    return _asked(text, found, can)


def _program_before(text: str, start: int, can: Abilities) -> bool:
    return can.programs and any(is_program(block) for block in blocks(text) if block.start < start)


def _loose(text: str, can: Abilities) -> Action | None:
    """Calls as bare JSON, or as Python where no program can be run."""
    front = before_invented(text)
    if FINAL.search(front):
        return None
    found = loose_calls(front, can.names) or nearby_calls(front, can.tools.keys())
    if found is not None:
        return _asked(front, found, can)
    if can.programs:
        return None
    front = CALL_MARKS.sub("", front)
    bodies = [block.body for block in blocks(front) if block.body] or [front]
    calls = [call for body in bodies for call in pythonic_at_end(body, can.tools)]
    return action_of([Given(call) for call in calls], can, "") if calls else None


def _asked(text: str, found: Marked, can: Abilities) -> Action:
    thought = without_labels(text[: found.start].split("```", maxsplit=1)[0])
    return action_of([Given(call) for call in found.calls], can, thought)
