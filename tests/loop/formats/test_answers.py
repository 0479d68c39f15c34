"""Answers as models have really written them, and what they meant.

The pages in `answers/` hold one shape each; `«PROGRAM»` stands for each of the programs below.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from actum.loop.formats.contract import Brief, FormatName
from actum.loop.formats.finding import open_format
from actum.records.actions import Action, CallTools, Finish, RunCode, Say, Unreadable
from actum.records.messages import NativeCall, Part, Reply, Text
from actum.records.tools import Parameter, ToolSpec
from actum.records.values import JSON

PAGES = sorted((Path(__file__).parent / "answers").glob("*.md"))
SUM = """from tools import shop
total = sum(shop.get(i=i)['amount'] for i in range(1, 6))
finish(f'total {total}')"""
REPORT = '''note = """# Report
```
raw
```
Observation: none
"""
open("out/report.md", "w").write(note)'''
CLEAN = r"""import re

def clean(text):
    return re.sub(r"\s+", " ", text)

for row in rows[:3]:
    print({'name': clean(row['name']), "note": "it's"})"""
PROGRAMS = (SUM, 'print(crm.get("a1").name)', REPORT, CLEAN, "help(crm)")
SCHEMA: dict[str, JSON] = {
    "type": "object",
    "properties": {"late": {"type": "integer"}, "names": {"type": "array"}},
    "required": ["late", "names"],
}
TOOLS = (
    ToolSpec(
        name="crm.get",
        effect="read",
        parameters=(
            Parameter(name="i", annotation="int"),
            Parameter(name="full", annotation="bool", default="False"),
        ),
    ),
    ToolSpec(name="crm.list", effect="read"),
    ToolSpec(name="shop.find", effect="read", parameters=(Parameter(name="text"),)),
)
READ_AS_MEANT = 0.95


class Case(msgspec.Struct, frozen=True):
    """One answer."""

    name: str
    kind: str
    options: frozenset[str]
    answer: str
    meant: str


def cases() -> Iterator[Case]:
    for page in PAGES:
        for piece in re.split(r"^##### ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
            head, _, body = piece.partition("\n")
            name, kind, *options = [part.strip() for part in head.split("|")]
            answer, _, meant = body.removesuffix("\n").partition("\n----- meant\n")
            chosen = frozenset(" ".join(options).split())
            for number, program in enumerate(PROGRAMS if "«" in answer else ("",)):
                filled = with_program(answer, program)
                wanted = program or meant.rstrip("\n") or answer.strip()
                yield Case(f"{name} {number}", kind, chosen, filled, wanted)


def with_program(answer: str, program: str) -> str:
    quoted = json.dumps(program)[1:-1]
    forms = {
        "PROGRAM": program,
        "PROGRAM_INDENTED": "\n".join(f"   {line}" if line else "" for line in program.split("\n")),
        "PROGRAM_JSON": quoted,
        "PROGRAM_JSON_TWICE": json.dumps(quoted)[1:-1],
        "PROGRAM_QUOTED": program.replace("\\", "\\\\").replace('"', '\\"'),
        "PROGRAM_REPR": repr(program),
        "PROGRAM_TRIPLE": program.replace("\\", "\\\\"),
        "PROGRAM_LINES": json.dumps(program.split("\n")),
        "PROGRAM_CONSOLE": console(program),
    }
    return re.sub(r"«(\w+)»", lambda form: forms[form[1]], answer)


def console(program: str) -> str:
    lines = program.split("\n")
    marks = [">>> " if line and not line.startswith((" ", "`", "#")) else "... " for line in lines]
    return "\n".join(mark + line for mark, line in zip(marks, lines, strict=True))


def read(case: Case) -> Action:
    name: FormatName = "json" if case.kind == "calls" else "code"
    if "auto" in case.options:
        name = "auto"
    brief = Brief(
        manifest="tools.crm  # 2 functions",
        direct=() if name == "code" else TOOLS,
        output_schema=SCHEMA if "typed" in case.options else None,
    )
    text = case.answer.replace("\n", "\r\n") if "crlf" in case.options else case.answer
    parts: tuple[Part, ...] = (Text(text),)
    if "native" in case.options:
        calls = re.split(r"^CALL (\S+)\n", text, flags=re.MULTILINE)[1:]
        parts = tuple(
            NativeCall(f"c{number}", called, arguments.strip())
            for number, (called, arguments) in enumerate(
                zip(calls[::2], calls[1::2], strict=True), 1
            )
        )
    stop = next((o.removeprefix("stop=") for o in case.options if o.startswith("stop=")), "end")
    reply = msgspec.convert({"parts": msgspec.to_builtins(parts), "stop": stop}, Reply)
    return open_format(name).read(reply, brief)


def is_as_meant(case: Case, action: Action) -> bool:
    match action:
        case RunCode():
            return case.kind == "run" and action.program.strip() == case.meant.strip()
        case CallTools():
            got = [[call.tool, call.arguments] for call in action.calls]
            return case.kind == "calls" and got == json.loads(case.meant)
        case Say():
            return case.kind == "say" and action.text == case.meant
        case Finish():
            return case.kind == "finish" and action.value == json.loads(case.meant)
        case Unreadable():
            return case.kind == "unreadable" and case.meant in action.message


def test_malformed_answers_are_read_as_they_were_meant() -> None:
    read_all = [(case, read(case)) for case in cases()]
    missed = [(case, action) for case, action in read_all if not is_as_meant(case, action)]
    assert len(read_all) >= 300
    report = "\n".join(f"{case.kind} {case.name}: {action}" for case, action in missed)
    assert len(missed) <= (1 - READ_AS_MEANT) * len(read_all), report


def test_what_is_not_read_is_answered_with_the_way_out() -> None:
    for case in cases():
        action = read(case)
        if isinstance(action, Unreadable):
            assert 20 < len(action.message) < 400, case.name
            assert re.search(r"python|finish\(|call|Send", action.message), case.name


def test_no_answer_but_a_program_is_run() -> None:
    """What was no program is never taken for one, whatever share is misread otherwise."""
    for case in cases():
        if case.kind in {"say", "unreadable", "finish"}:
            assert not isinstance(read(case), RunCode), case.name
