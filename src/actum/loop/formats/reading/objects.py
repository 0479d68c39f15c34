"""JSON as models write it: wrong quotes, commas too many, Python's words."""

import ast
import json
import re
from collections.abc import Iterator
from typing import cast

import msgspec
from msgspec import UNSET, UnsetType

from actum.loop.formats.reading.cleaning import whole_characters
from actum.records.values import JSON

SMART_QUOTES = str.maketrans(
    {"\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2018": "'", "\u2019": "'"}
)
TRAILING_COMMA = re.compile(r",(\s*[}\]])")
COMMENT = re.compile(r"^\s*(?://|#).*$", re.MULTILINE)
BARE_KEY = re.compile(r"([{,]\s*)([A-Za-z_]\w*)(\s*:)")
WORD = re.compile(r"\b(true|false|null)\b")
WORDS = {"true": "True", "false": "False", "null": "None"}
FENCED = re.compile(r"\A\s*(?:```|~~~)[a-zA-Z]*\s*\n?(.*?)\n?(?:```|~~~)?\s*\Z", re.DOTALL)
# A whole string, or a bracket outside of one.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
DEEPEST = 100
LONGEST = 1024 * 1024
CLOSERS = ("}", "]", "}}", "}]", "}}}")
OBJECTS_READ = 200
FAILURES = 10


def read_json(text: str) -> JSON | UnsetType:
    """The value of a text; UNSET where there is none, however kindly it is read."""
    text = text.strip()
    if not text or len(text) > LONGEST:
        return UNSET
    for candidate in _candidates(text):
        try:
            return _plain(json.loads(candidate, strict=False))
        except (ValueError, RecursionError):
            value = _literal(candidate)
        if value is not UNSET:
            return value
    return UNSET


def read_object(text: str) -> dict[str, JSON] | None:
    """The object of a text, where it is one."""
    value = read_json(text)
    return value if isinstance(value, dict) else None


class Inside(msgspec.Struct, frozen=True):
    """A value and where it stands."""

    value: JSON
    start: int
    end: int


def is_exact(text: str) -> bool:
    """Whether a text is JSON as it stands, with nothing missing."""
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def objects_inside(text: str) -> list[Inside]:
    """The outermost objects and lists that stand in a text of words, in their order."""
    found: list[Inside] = []
    position = 0
    failed = 0
    while failed < FAILURES and len(found) < OBJECTS_READ:
        start = _next_opening(text, position)
        if start < 0:
            break
        end = _end_of(text, start)
        value = read_json(text[start:end])
        if value is UNSET:
            failed += 1
            position = start + 1
        else:
            found.append(Inside(value, start, end))
            position = end
    return found


def _candidates(text: str) -> Iterator[str]:
    """The text as it is, and each time more kindly."""
    fenced = FENCED.match(text) if text.startswith(("```", "~~~")) else None
    plain = fenced[1] if fenced else text
    yield plain
    straight = plain.translate(SMART_QUOTES)
    tidy = TRAILING_COMMA.sub(r"\1", straight).rstrip().rstrip(";")
    yield tidy
    bare = BARE_KEY.sub(r'\1"\2"\3', COMMENT.sub("", tidy))
    yield bare
    if _is_open(bare):
        yield from (bare + closers for closers in CLOSERS)


def _plain(value: object) -> JSON:
    """The value as JSON that can be stored; raises where it is too deep or none."""
    text = json.dumps(value, ensure_ascii=False)
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        raise RecursionError
    return cast("JSON", json.loads(whole_characters(text)))


def _depth(text: str) -> int:
    depth = deepest = 0
    for token in TOKEN.finditer(text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        deepest = max(deepest, depth)
    return deepest


def _is_open(text: str) -> bool:
    return text[:1] in {"{", "["} and text.count("{") + text.count("[") > text.count(
        "}"
    ) + text.count("]")


def _literal(text: str) -> JSON | UnsetType:
    if text[:1] not in {"{", "["}:
        return UNSET
    for candidate in dict.fromkeys([text, WORD.sub(lambda word: WORDS[word[1]], text)]):
        try:
            value = ast.literal_eval(candidate)
            return _plain(value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    return UNSET


def _next_opening(text: str, position: int) -> int:
    places = [place for mark in "{[" if (place := text.find(mark, position)) >= 0]
    return min(places, default=-1)


def _end_of(text: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`; the end of the text where none does."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        mark = token[0]
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return len(text)
