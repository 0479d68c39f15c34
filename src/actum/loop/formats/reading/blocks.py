"""Blocks that a model marks in its text: fences and tags."""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from actum.loop.formats.reading.cleaning import before_invented
from actum.loop.formats.reading.programs import (
    is_clearly_code,
    is_empty,
    looks_like_code,
    parsed,
    tidy,
)

Kind = Literal["python", "plain", "data", "output", "shell", "other"]

LANGUAGES: dict[str, Kind] = {
    **dict.fromkeys(("python", "py", "python3", "py3", "ipython", "ipython3"), "python"),
    **dict.fromkeys(("tool_code", "tool-code", "code", "pycon", "pythonic", "execute"), "python"),
    **dict.fromkeys(("json", "json5", "jsonc", "tool_call", "tool_calls", "action"), "data"),
    **dict.fromkeys(("output", "text", "txt", "console", "out", "stdout", "plaintext"), "output"),
    **dict.fromkeys(
        ("result", "log", "logs", "observation", "tool_output", "tool_outputs"), "output"
    ),
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "powershell", "cmd", "terminal"), "shell"),
    "": "plain",
}
TAGS = (
    "code|python|py|execute|execute_python|execute_ipython|execute_code|run_python|run|tool_code"
    "|python_code|program|code_action|script|python_tag|action|codeblock|code_block|ipython"
    "|python_interpreter|code_interpreter|tool_call|function_call|tool|execute_bash|bash|shell"
)
SHELL_TAGS = frozenset({"execute_bash", "bash", "shell"})
OPENING = re.compile(
    r"(?P<before>^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?|)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)(?:\n|\Z)"
    r"|```(?P<language>python|py|json)[ \t]+(?P<inline>[^\n`][^\n]*?)```"
    rf"|<(?P<tag>{TAGS})(?:[ \t][^>\n]*)?>"
    r"|\[(?P<bracket>PYTHON|CODE)\]"
    r"|(?P<python_tag><\|python_tag\|>)",
    re.MULTILINE | re.IGNORECASE,
)
BLOCKS_READ = 30
CLOSINGS_TRIED = 8


class Block(msgspec.Struct, frozen=True):
    """What stands between two marks."""

    kind: Kind
    body: str
    start: int
    end: int
    closed: bool = True


def blocks(text: str) -> Iterator[Block]:
    """The marked blocks of a text, in their order."""
    position = 0
    for _ in range(BLOCKS_READ):
        found = OPENING.search(text, position)
        if found is None:
            return
        block = _block(text, found)
        if block is None:
            position = found.end()
        else:
            yield block
            position = max(block.end, found.end())


def is_program(block: Block) -> bool:
    """Whether a block can be meant as a program."""
    if block.kind == "python":
        return not is_empty(block.body)
    if block.kind == "plain":
        return is_clearly_code(block.body) or looks_like_code(block.body)
    return False


def _block(text: str, found: re.Match[str]) -> Block | None:
    if found["inline"]:
        kind = LANGUAGES.get(found["language"].lower(), "other")
        return Block(kind, found["inline"].strip(), found.start(), found.end())
    if found["mark"]:
        return _fence(text, found)
    return _tagged(text, found)


def _fence(text: str, found: re.Match[str]) -> Block | None:
    kind, first_line = _kind(found["info"])
    if kind != "python" and not _at_line_start(text, found):
        return None
    mark = found["mark"]
    closing = re.compile(
        rf"(?P<line>^[ \t>]*{mark[0]}{{{len(mark)},}}[ \t]*$)|(?P<glued>{mark[0]}{{{len(mark)},}}[ \t]*$)"
        rf"|(?P<again>^[ \t]*{mark[0]}{{{len(mark)},}}\w*[ \t]*\Z)"
        r"|(?P<tag>^[ \t]*(?:</?end_code>|<end_action>|</code>|</python>))",
        re.MULTILINE,
    )
    ends = [end for end in closing.finditer(text, found.end()) if kind != "other" or end["line"]]
    if kind in {"python", "plain"}:
        for end in ends[:CLOSINGS_TRIED]:
            body = tidy(first_line + text[found.end() : end.start()])
            if body and parsed(body) is not None:
                return Block(kind, body, found.start(), end.end())
    if not ends or kind == "python":
        rest = _unclosed(kind, first_line + text[found.end() :], found.start(), len(text))
        if not ends or is_clearly_code(rest.body):
            return rest
    chosen = next((end for end in ends if end["line"]), ends[0])
    body = tidy(first_line + text[found.end() : chosen.start()])
    return Block(kind, body, found.start(), chosen.end())


def _unclosed(kind: Kind, body: str, start: int, end: int) -> Block:
    # A stop sequence may have cut the closing mark in the middle.
    body = re.sub(r"\n[ \t]*(?:`{1,2}|~{1,2}|</?\w*)\s*\Z", "\n", body)
    program = tidy(body)
    if parsed(program) is None:
        program = tidy(before_invented(body))
    return Block(kind, program, start, end, closed=False)


def _tagged(text: str, found: re.Match[str]) -> Block | None:
    tag = found["tag"] or found["bracket"] or "python_tag"
    closing = re.compile(
        rf"</{tag}\b>?|\[/{tag}\]|<end_code>|<\|(?:eom_id|eot_id)\|>|</code>", re.IGNORECASE
    )
    end = closing.search(text, found.end())
    body = tidy(text[found.end() : end.start() if end else len(text)])
    if tag.lower() in SHELL_TAGS:
        return Block("shell", body, found.start(), end.end() if end else len(text))
    if not _at_line_start(text, found) and not (is_clearly_code(body) and _is_last(text, end)):
        # Words that name some code in their middle.
        return None
    if not (is_clearly_code(body) or looks_like_code(body)):
        kind: Kind = "data" if body[:1] in {"{", "["} else "other"
        return Block(kind, body, found.start(), found.end())
    if end is None:
        return _unclosed("python", text[found.end() :], found.start(), len(text))
    return Block("python", body, found.start(), end.end())


def _is_last(text: str, end: re.Match[str] | None) -> bool:
    """Whether the line ends with the tag."""
    return end is None or not text[end.end() :].split("\n", maxsplit=1)[0].strip(" .")


def _at_line_start(text: str, found: re.Match[str]) -> bool:
    line_start = text.rfind("\n", 0, found.start()) + 1
    return not text[line_start : found.start()].strip()


def _kind(info: str) -> tuple[Kind, str]:
    """What a fence says of itself, and the code that stands beside it."""
    words = info.strip().strip("{}").split()
    language = words[0].lower().strip(".,:;{}") if words else ""
    language = re.split(r"[\[{:=(]", language, maxsplit=1)[0]
    if language in LANGUAGES:
        rest = info.strip()[len(language) :].strip() if not info.strip().startswith("{") else ""
        glued = (
            f"{rest}\n"
            if rest and LANGUAGES[language] == "python" and is_clearly_code(rest)
            else ""
        )
        return LANGUAGES[language], glued
    if words and is_clearly_code(info.strip()):
        return "plain", f"{info.strip()}\n"
    return "other", ""
