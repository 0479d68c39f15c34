"""Words without an action: the answer, or a slip."""

import ast
import re
from typing import cast

import msgspec
from msgspec import UNSET, UnsetType

from actum.loop.formats.reading.names import is_finish
from actum.loop.formats.reading.objects import objects_inside, read_json
from actum.loop.formats.reading.programs import parsed
from actum.records.actions import Action, Finish, Say, Unreadable
from actum.records.values import JSON

FINAL = re.compile(
    r"^[ \t]*[*_#]{0,3}[ \t]*final[ _]answer[*_]{0,2}[ \t]*(?::[*_]{0,2}|(?=\n))[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
FINAL_TAG = re.compile(
    r"<(?P<tag>answer|final_answer)>(?P<words>.*?)(?:</(?P=tag)>)?\s*\Z", re.IGNORECASE | re.DOTALL
)
ONLY_THOUGHT = re.compile(r"\A\s*[*_]{0,2}(?:thoughts?|reasoning|plan)[*_]{0,2}\s*:", re.IGNORECASE)
ANNOUNCED = re.compile(
    r"(?:\b(?:code|program|script|python|call|action|snippet)\b[^.!?\n]*|\A[ \t]*)"
    r"[:\u2026][*_]{0,2}\s*\Z|^[ \t]*(?:code|action)[ \t]*:\s*\Z",
    re.IGNORECASE | re.MULTILINE,
)
LAST_WORDS = 200
JSON_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}

CUT = "Your answer was cut at the length limit; nothing was run. Write less at once. Next: {way}"
NO_ACTION = "You wrote what you want to do, but no action. Next: {way}"


def words_action(text: str, schema: dict[str, JSON] | None, way: str, *, cut: bool) -> Action:
    """What words mean, where they hold no program and no call."""
    finished = finished_by_words(text)
    if finished is not None:
        return finished
    answer = final_words(text)
    if cut:
        return Unreadable(CUT.format(way=way))
    value = UNSET if schema is None else typed_value(answer, schema)
    if not isinstance(value, UnsetType):
        return Finish(value)
    if answer == text and ends_open(text):
        return Unreadable(NO_ACTION.format(way=way))
    return Say(answer or text)


def ends_open(text: str) -> bool:
    """Whether words announce an action that does not come."""
    return bool(ONLY_THOUGHT.match(text) or ANNOUNCED.search(text[-LAST_WORDS:]))


def final_words(text: str) -> str:
    """What stands behind `Final answer:`, where that stands."""
    tagged = FINAL_TAG.search(text)
    if tagged is not None:
        return tagged["words"].strip()
    found = FINAL.search(text)
    return text.strip() if found is None else text[found.end() :].strip()


def finished_by_words(text: str) -> Finish | None:
    """`finish("...")` and nothing else, with a value that needs no program."""
    tree = parsed(text.strip().strip("`"))
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return None
    call = tree.body[0].value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    values = [*call.args, *(given.value for given in call.keywords)]
    if not is_finish(call.func.id) or len(values) > 1:
        return None
    try:
        value = ast.literal_eval(values[0]) if values else None
        return Finish(cast("JSON", msgspec.json.decode(msgspec.json.encode(value))))
    except (ValueError, TypeError, RecursionError, MemoryError, msgspec.MsgspecError):
        return None


def typed_value(text: str, schema: dict[str, JSON]) -> JSON | UnsetType:
    """The value of a schema that words hold: all of them, or one object among them."""
    whole = read_json(text)
    for value in [whole, *(found.value for found in objects_inside(text))]:
        if not isinstance(value, UnsetType) and could_be(value, schema):
            return value
    if isinstance(whole, dict) and schema.get("type") == "object":
        # Meant as the answer: whoever checks it can say what is missing.
        return whole
    return text if could_be(text, schema) else UNSET


def could_be(value: JSON, schema: dict[str, JSON]) -> bool:
    """Whether the outside of a value has the schema's shape; the gate checks the inside."""
    kind = schema.get("type")
    if isinstance(kind, str) and not isinstance(value, JSON_TYPES.get(kind, object)):
        return False
    if kind in {"integer", "number"} and isinstance(value, bool):
        return False
    required = schema.get("required")
    if isinstance(value, dict) and isinstance(required, list):
        return all(name in value for name in required)
    if "enum" in schema:
        options = schema["enum"]
        return isinstance(options, list) and value in options
    return isinstance(kind, str) or isinstance(value, dict)
