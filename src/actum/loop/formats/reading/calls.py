"""Tool calls that stand in the text, in the dialects that models have learnt."""

import json
import re
from collections.abc import Container, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from actum.loop.formats.reading.names import PROGRAM_KEYS, is_finish, is_python
from actum.loop.formats.reading.objects import objects_inside, read_json
from actum.loop.formats.reading.programs import is_clearly_code, tidy
from actum.records.values import JSON

NAME_KEYS = ("name", "tool", "tool_name", "function_name", "recipient_name", "action", "function")
ARGUMENT_KEYS = (
    "arguments",
    "args",
    "parameters",
    "params",
    "input",
    "inputs",
    "kwargs",
    "tool_input",
    "action_input",
    "tool_args",
    "tool_arguments",
)
BETWEEN = " \n\t;,|"
LISTS = ("tool_calls", "tool_uses", "calls", "function_calls", "actions")
WRAPPERS = ("command", "function", "function_call", "tool_call", "action", "tool_use", "call")
NAME = r"[A-Za-z_][\w.\-]*"

BODY = re.compile(
    r"<(?P<tag>tool_call|tool_calls|function_call|function_calls|functioncall|tool_use|tool|call"
    r"|\|tool_call\||\|tool_calls\|)>(?P<body>.*?)(?:</?(?P=tag)>|<\|/tool_call\|>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
FUNCTION = re.compile(
    rf"<(?:function[= ]|invoke name=|function name=|tool name=)[\"']?(?P<name>{NAME})[\"']?>"
    r"(?P<body>.*?)(?:</(?:function|invoke|tool|tool_call)>|\Z)",
    re.DOTALL,
)
PARAMETER = re.compile(
    r"<(?:parameter=|parameter name=|param name=|arg name=)[\"']?(?P<key>\w+)[\"']?>\n?"
    r"(?P<value>.*?)\n?(?:</(?:parameter|param|arg)>|(?=<parameter[= ])|\Z)",
    re.DOTALL,
)
ARGUMENT_PAIR = re.compile(
    r"<arg_key>\s*(?P<key>\w+)\s*</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>", re.DOTALL
)
NAMED = re.compile(
    rf"(?:<\uff5ctool\u2581call\u2581begin\uff5c>(?:function<\uff5ctool\u2581sep\uff5c>)?|<\|tool_call_begin\|>"
    rf"|\[TOOL_CALLS\]\s*|\bto=)(?:functions\.)?(?P<name>{NAME})(?::\d+)?"
    r"(?:\s*(?:<\uff5ctool\u2581sep\uff5c>|<\|tool_call_argument_begin\|>|\[ARGS\]|\[CALL_ID\]\w+\[ARGS\]"
    r"|<\|channel\|>\w+|<\|constrain\|>\s*\w+|code(?=<\|message)|json(?=<\|message)|<\|message\|>))*\s*"
    r"(?P<body>.*?)(?:<\uff5ctool\u2581call\u2581end\uff5c>|<\|tool_call_end\|>|<\|call\|>|(?=\[TOOL_CALLS\])|\Z)",
    re.DOTALL,
)
LISTED = re.compile(r"\[TOOL_CALLS\]\s*(?P<body>[\[{].*)\Z", re.DOTALL)
REACT = re.compile(
    rf"^[ \t]*[*_]*(?:Action|Tool|Tool Name|Function|Function Name)[*_]*[ \t]*:[*_]*[ \t]*"
    rf"`?(?P<name>{NAME}(?: [\w.\-]+){{0,2}})`?[ \t]*\n+"
    r"[ \t]*[*_]*(?:(?:Action|Tool|Function)[ _])?(?:Input|Args|Arguments|Parameters)[*_]*[ \t]*:"
    r"[*_]*[ \t]*(?P<body>.*?)(?=^[ \t]*[*_]*(?:Observation|Thought|Action|Tool|PAUSE)\b|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)


class Asked(msgspec.Struct, frozen=True):
    """A call as it was written."""

    name: str
    arguments: dict[str, JSON]
    raw: str = ""
    """What stood in place of the arguments, where that was no object."""


class Marked(msgspec.Struct, frozen=True):
    """Calls and the place where they start."""

    calls: tuple[Asked, ...]
    start: int


def marked_calls(text: str, known: Container[str]) -> Marked | None:
    """Calls between marks that mean a call and nothing else."""
    for found in (
        _listed(text, known),
        _bodies(text, known),
        _functions(text),
        _named(text),
        _react(text),
    ):
        if found is not None and found.calls:
            return found
    return None


def loose_calls(text: str, known: Container[str]) -> Marked | None:
    """Calls that stand in the text as bare JSON, one right behind the other."""
    calls: list[Asked] = []
    start = end = 0
    for found in objects_inside(text):
        inside = calls_of(found.value, known)
        if calls and (not inside or text[end : found.start].strip(BETWEEN)):
            break
        if inside:
            start = start if calls else found.start
            calls += inside
        end = found.end
    return Marked(tuple(calls), start) if calls else None


def calls_of(value: JSON, known: Container[str]) -> list[Asked]:
    """The calls that a JSON value means; none where it is plain data."""
    if isinstance(value, list):
        each = [calls_of(item, known) for item in value]
        return [call for calls in each for call in calls] if all(each) else []
    if not isinstance(value, dict):
        return []
    for key in LISTS:
        inner = value.get(key)
        if isinstance(inner, list) and (calls := calls_of(inner, known)):
            return calls
    for key in WRAPPERS:
        inner = value.get(key)
        if isinstance(inner, dict) and (calls := calls_of(inner, known)):
            return calls
    single = _single(value, known)
    return [single] if single is not None else []


def arguments_of(value: JSON) -> dict[str, JSON] | None:
    """Arguments as an object; a text is read once more."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    read: JSON | UnsetType = value
    for _ in range(2):
        # Some are escaped twice.
        read = read_json(read) if isinstance(read, str) else read
    if read is None:
        return {}
    return read if isinstance(read, dict) else None


def _single(value: dict[str, JSON], known: Container[str]) -> Asked | None:
    name_key = next((key for key in NAME_KEYS if _is_name(value.get(key))), None)
    if name_key is None:
        return _keyed(value, known)
    name = str(value[name_key])
    for key in ARGUMENT_KEYS:
        if key in value and key != name_key:
            return _asked(name, value[key])
    rest = {
        key: item for key, item in value.items() if key not in {name_key, "id", "type", "thought"}
    }
    return Asked(name, rest) if name in known else None


def _keyed(value: dict[str, JSON], known: Container[str]) -> Asked | None:
    """`{"crm.get": {"i": 1}}`."""
    if len(value) != 1:
        return None
    name, inner = next(iter(value.items()))
    if name not in known:
        return None
    return _asked(name, inner)


def _is_name(value: JSON) -> bool:
    if not isinstance(value, str):
        return False
    return is_finish(value) or is_python(value) or re.fullmatch(NAME, value) is not None


def _listed(text: str, known: Container[str]) -> Marked | None:
    found = LISTED.search(text)
    if found is None:
        return None
    calls = loose_calls(found["body"], known)
    return None if calls is None else Marked(calls.calls, found.start())


def _bodies(text: str, known: Container[str]) -> Marked | None:
    calls: list[Asked] = []
    start = len(text)
    for found in BODY.finditer(text):
        inside = _inside(found["body"], known)
        if inside:
            start = min(start, found.start())
            calls += inside
    return Marked(tuple(calls), start)


def _inside(body: str, known: Container[str]) -> Sequence[Asked]:
    functions = _functions(body)
    if functions is not None and functions.calls:
        return functions.calls
    pairs = {
        pair["key"]: _value(pair["key"], pair["value"]) for pair in ARGUMENT_PAIR.finditer(body)
    }
    name = re.match(rf"\s*(?:<name>)?\s*({NAME})", body)
    if pairs and name is not None:
        return (Asked(name[1], pairs),)
    # Hermes writes one object; some write one on each line.
    calls = [call for found in objects_inside(body) for call in calls_of(found.value, known)]
    if calls or name is None:
        return calls
    rest = body[name.end() :].strip()
    arguments = arguments_of(rest) if rest.startswith("{") else None
    return () if arguments is None else (Asked(name[1], arguments),)


def _functions(text: str) -> Marked | None:
    found = list(FUNCTION.finditer(text))
    if not found:
        return None
    return Marked(tuple(_function(one["name"], one["body"]) for one in found), found[0].start())


def _function(name: str, body: str) -> Asked:
    pairs = {pair["key"]: _value(pair["key"], pair["value"]) for pair in PARAMETER.finditer(body)}
    if pairs:
        return Asked(name, pairs)
    return _asked(name, body)


def _named(text: str) -> Marked | None:
    found = list(NAMED.finditer(text))
    if not found:
        return None
    return Marked(tuple(_asked(one["name"], one["body"]) for one in found), found[0].start())


def _react(text: str) -> Marked | None:
    found = REACT.search(text)
    if found is None:
        return None
    whole = tidy(text[found.start("body") :])
    # A program may hold the very words that end an action.
    body = whole if is_clearly_code(whole) else found["body"]
    return Marked((_asked(found["name"], body),), found.start())


def _asked(name: str, body: JSON) -> Asked:
    """A name and what stands behind it."""
    if is_finish(name) and not isinstance(body, dict):
        return Asked(name, {"value": body})
    arguments = arguments_of(body)
    if arguments is not None:
        return Asked(name, arguments)
    raw = body.strip() if isinstance(body, str) else json.dumps(body)
    return Asked(name, {}, raw)


def _value(key: str, text: str) -> JSON:
    if key in PROGRAM_KEYS:
        return text
    value = read_json(text)
    return text.strip() if value is UNSET else value
