"""Calls that are a known name beside its arguments: `crm.get {"i": 1}`, `<crm.get><i>1</i></crm.get>`."""

import re
from collections.abc import Collection, Iterator

from msgspec import UnsetType

from actum.loop.formats.reading.calls import Asked, Marked
from actum.loop.formats.reading.objects import objects_inside, read_json
from actum.records.values import JSON

BETWEEN = re.compile(
    r"[`*_\"']*\s*[:=>(]?\s*(?:with|using)?\s*"
    r"(?:(?:arguments|args|parameters|params|input)\s*[:=]?)?\s*(?:```\w*)?\s*\Z",
    re.IGNORECASE,
)
OPENING = re.compile(r"<([A-Za-z_][\w.\-]*)>")
ELEMENTS_READ = 200
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
    for name, body, position in _elements_in(text, names):
        arguments = _arguments(body)
        if arguments is not None:
            calls.append(Asked(name, arguments))
            start = min(start, position)
    return Marked(tuple(calls), start) if calls else None


def _elements_in(text: str, names: Collection[str] | None) -> Iterator[tuple[str, str, int]]:
    """Name, body and place of each element of these names; of all, where none are given."""
    position = 0
    for _ in range(ELEMENTS_READ):
        found = OPENING.search(text, position)
        if found is None:
            return
        closing = f"</{found[1]}>"
        wanted = names is None or found[1] in names
        end = text.find(closing, found.end()) if wanted else -1
        if end < 0:
            position = found.end()
        else:
            yield found[1], text[found.end() : end], found.start()
            position = end + len(closing)


def _arguments(body: str) -> dict[str, JSON] | None:
    value = read_json(body)
    if isinstance(value, dict):
        return value
    inner = {name: _value(inside) for name, inside, _ in _elements_in(body, None)}
    return inner if inner or not body.strip() else None


def _value(text: str) -> JSON:
    value = read_json(text)
    return text.strip() if isinstance(value, UnsetType) else value
