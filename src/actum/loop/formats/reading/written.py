"""A program that stands in the text: in blocks, or bare."""

import re

from actum.loop.formats.reading.blocks import OPENING, Block, blocks, is_program
from actum.loop.formats.reading.calls import calls_of
from actum.loop.formats.reading.cleaning import INVENTED, before_invented
from actum.loop.formats.reading.meaning import Abilities, Given, action_of
from actum.loop.formats.reading.objects import read_json
from actum.loop.formats.reading.programs import is_clearly_code, is_empty, program_at_end, tidy
from actum.loop.formats.reading.words import CUT, FINAL, ends_open, finished_by_words
from actum.records.actions import Action, RunCode, Say, Unreadable

LABELS = re.compile(
    r"(?:\A\s*[*_]{0,2}(?:thoughts?|reasoning)[*_]{0,2}\s*:[*_]{0,2}\s*)"
    r"|(?:^[ \t]*thoughts?:[^\n]*\Z)"
    r"|(?:\n?[ \t]*[*_#]{0,3}(?:code|action|python|program)[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]*\Z)",
    re.IGNORECASE | re.MULTILINE,
)
CODE_LABEL = re.compile(
    r"^[ \t]*[*_]{0,2}(?:code|action|python|program)[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]*(?:\n|(?=\S))",
    re.MULTILINE | re.IGNORECASE,
)
CLOSING_TAG = re.compile(r"\s*(?:</(?:code|python|execute|tool_code|action)>?|</?end_code>?)\s*\Z")

EMPTY_BLOCK = "The block is empty. Next: {way}"
SHELL = "There is no shell here, only Python. Next: {way}"


def written_program(text: str, can: Abilities, way: str, *, cut: bool) -> Action | None:
    """The program that stands bare; else the one in blocks."""
    bare = _bare(text, way, cut=cut)
    if bare is not None:
        return bare
    found = _chosen(text)
    if found:
        return _from_blocks(text, found, can, way, cut=cut)
    return _no_program(text, way) or _bare(before_invented(text), way, cut=cut)


def _chosen(text: str) -> list[Block]:
    """The programs in front of anything that the model made up for the other side."""
    chosen: list[Block] = []
    position = 0
    for block in blocks(text):
        gap = text[position : block.start]
        if chosen and (block.kind == "output" or INVENTED.search(gap)):
            break
        if not chosen and FINAL.search(gap):
            # The answer itself shows code.
            break
        if is_program(block):
            chosen.append(block)
        position = block.end
    marked = [block for block in chosen if block.kind == "python"]
    return marked or chosen


def _from_blocks(text: str, found: list[Block], can: Abilities, way: str, *, cut: bool) -> Action:
    if cut and not found[-1].closed:
        return Unreadable(CUT.format(way=way))
    thought = without_labels(text[: found[0].start])
    if len(found) == 1 and found[0].body[:1] in {"{", "["}:
        calls = calls_of(read_json(found[0].body) or None, can.names)
        if calls:
            return action_of([Given(call) for call in calls], can, thought)
    parts = dict.fromkeys(block.body for block in found)
    return RunCode("\n".join(parts), thought=thought)


def _no_program(text: str, way: str) -> Action | None:
    """Blocks that hold no program: nothing, remarks, a shell's commands."""
    found = {block.kind: block for block in reversed(list(blocks(text)))}
    if "python" in found and is_empty(found["python"].body):
        words = without_labels(text[: found["python"].start])
        # The answer stands in front, and the block only keeps to the form.
        if " " in words and found["python"].body and not ends_open(words):
            return Say(words)
        return Unreadable(EMPTY_BLOCK.format(way=way))
    if "shell" in found and FINAL.search(text) is None:
        return Unreadable(SHELL.format(way=way))
    return None


def _bare(text: str, way: str, *, cut: bool) -> Action | None:
    text = CLOSING_TAG.sub("", text)
    if text.lstrip()[:3] in {"```", "~~~"}:
        return None
    whole = tidy(text)
    if finished_by_words(whole) is not None:
        return None
    label = CODE_LABEL.search(text)
    labelled = tidy(text[label.end() :]) if label is not None else ""
    if is_clearly_code(whole):
        thought, program = "", whole
    elif label is not None and is_clearly_code(labelled):
        thought, program = text[: label.start()], labelled
    else:
        thought, program = program_at_end(whole) or ("", "")
        program = tidy(program)
    if not program or OPENING.search(thought) or FINAL.search(thought):
        return None
    if cut:
        return Unreadable(CUT.format(way=way))
    return RunCode(program, thought=without_labels(thought))


def without_labels(text: str) -> str:
    """The thought alone."""
    shorter = LABELS.sub("", text.strip()).strip()
    return shorter if shorter == text else without_labels(shorter)
