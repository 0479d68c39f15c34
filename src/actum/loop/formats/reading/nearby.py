"""Calls that are a known name beside its arguments: `crm.get {"i": 1}`, `<crm.get><i>1</i></crm.get>`."""

import re
from collections.abc import Collection

from msgspec import UnsetType

from actum.loop.formats.reading.calls import Asked, Marked
from actum.loop.formats.reading.objects import objects_inside, read_json
from actum.records.values import JSON

BETWEEN = re.compile(
    r"[`*_\"']*\s*[:=>(]?\s*(?:with|using)?\s*"
    r"(?:(?:arguments|args|parameters|params|input)\s*[:=]?)?\s*(?:```\w*)?\s*\Z",
    re.IGNORECASE,
)
ELEMENT = re.compile(r"<(?P<name>[A-Za-z_][\w.\-]*)>(?P<body>.*?)</(?P=name)>", re.DOTALL)
LOOK_BACK = 120


def nearby_calls(text: str, names: Collection[str]) -> Marked | None:
    """The calls of known tools in a text, where their arguments stand right behind them."""
    return _elements(text, names) or _objects(text, names)


def _objects(text: str, names: Collection[str]) -> Marked | None:
    calls: list[Asked] = []
    start = len(text)
    for found in objects_inside(text):
        front = BETWEEN.sub("", text[max(0, found.start - LOOK_BACK) : found.start])
        last = re.search(r"[A-Za-z_][\w.\-]*\Z", front)
        if isinstance(found.value, dict) and last is not None and last[0] in names:
            calls.append(Asked(last[0], found.value))
            start = min(start, found.start)
    return Marked(tuple(calls), start) if calls else None


def _elements(text: str, names: Collection[str]) -> Marked | None:
    calls: list[Asked] = []
    start = len(text)
    for found in ELEMENT.finditer(text):
        if found["name"] not in names:
            continue
        arguments = _arguments(found["body"])
        if arguments is not None:
            calls.append(Asked(found["name"], arguments))
            start = min(start, found.start())
    return Marked(tuple(calls), start) if calls else None


def _arguments(body: str) -> dict[str, JSON] | None:
    value = read_json(body)
    if isinstance(value, dict):
        return value
    inner = {one["name"]: _value(one["body"]) for one in ELEMENT.finditer(body)}
    return inner if inner or not body.strip() else None


def _value(text: str) -> JSON:
    value = read_json(text)
    return text.strip() if isinstance(value, UnsetType) else value
