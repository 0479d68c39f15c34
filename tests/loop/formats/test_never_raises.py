"""Whatever a model writes, it is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actum.loop.formats.contract import Brief, FormatName
from actum.loop.formats.finding import open_format
from actum.loop.formats.preflight import check_program
from actum.records.actions import CallTools, Finish, RunCode, Say, Unreadable
from actum.records.messages import NativeCall, Reply, Text
from actum.records.tools import Parameter, ToolSpec

GET = ToolSpec(name="crm.get", effect="read", parameters=(Parameter(name="i"),))
PIECES = (
    "```python\n", "```", "~~~", "```json\n", "\n", " ", "<code>", "</code>", "</code", "<think>",
    "</think>", "<tool_call>", "</tool_call>", "<function=python>", "<parameter=code>",
    "</parameter>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "<|channel|>", "<|message|>",
    "to=python", "Action: ", "Action Input: ", "Observation: ", "Final answer: ", "Thought: ",
    "Code:\n", '{"name": "python", ', '"arguments": {', '"code": "', "}", "]", "[", "{", '"', "'",
    "\\", "“", "print(1)", "x = (", "crm.get(i=1)", "finish(", ")", ">>> ", "...", "# ", "1", ",",
    ":", "=", "\x00", "\u2028", "\ud800", "é", "\t", "lambda", "import x\n", "python", "null",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
)
FORMATS: st.SearchStrategy[FormatName] = st.sampled_from(("code", "json", "auto"))
SCHEMAS = st.sampled_from((None, {"type": "object", "required": ["a"]}, {"type": "string"}, {}))
STOPS = st.sampled_from(("end", "calls", "length", "refusal", "stop_sequence", "other"))


@given(text=TEXTS, name=FORMATS, schema=SCHEMAS, stop=STOPS, native=st.booleans())
def test_any_text_is_an_action(
    text: str, name: FormatName, schema: dict[str, object] | None, stop: str, native: bool
) -> None:
    brief = Brief(
        manifest="",
        direct=(GET,),
        native_calls=native,
        output_schema=schema,  # pyright: ignore[reportArgumentType] -- plain values
    )
    reply = Reply(parts=(Text(text),), stop=stop)  # pyright: ignore[reportArgumentType] -- sampled
    action = open_format(name).read(reply, brief)
    assert isinstance(action, RunCode | CallTools | Finish | Say | Unreadable)
    assert action == open_format(name).read(reply, brief)
    if name == "json":
        assert not isinstance(action, RunCode)


@given(
    calls=st.lists(
        st.tuples(st.sampled_from(("python", "crm.get", "finish", "", "x y", "crm_get")), TEXTS),
        min_size=1,
        max_size=3,
    ),
    name=FORMATS,
)
def test_any_native_call_is_an_action(calls: list[tuple[str, str]], name: FormatName) -> None:
    parts = tuple(NativeCall(str(n), *call) for n, call in enumerate(calls))
    action = open_format(name).read(Reply(parts=parts), Brief(manifest="", direct=(GET,)))
    assert isinstance(action, RunCode | CallTools | Finish | Say | Unreadable)


@given(source=TEXTS)
def test_any_program_can_be_checked(source: str) -> None:
    problem = check_program(
        source, {"crm.get": GET}.get, {"": ["crm"], "crm": ["get"]}.get, "tools"
    )
    assert problem is None or problem.endswith("Send the whole program again.")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 900 + "]" * 900,
        '{"a": ' * 900 + "1" + "}" * 900,
        '{"name": "crm.get", "arguments": ["\\ud800"]}',
        "finish(" + "[" * 80 + "]" * 80 + ")",
        "x" + ".a" * 5000 + "()",
        "-" * 5000 + "1",
        "await " * 2000 + "x()",
        "a" * 1_000_000,
        "```python\n" + "x = f(1)\n" * 10_000 + "```",
    ],
    ids=range(9),
)
@pytest.mark.parametrize("name", ["code", "json", "auto"])
def test_deep_and_long_answers_are_read(text: str, name: FormatName) -> None:
    brief = Brief(manifest="", direct=(GET,))
    for parts in ((Text(text),), (NativeCall("a", "python", text),)):
        action = open_format(name).read(Reply(parts=parts), brief)
        assert isinstance(action, RunCode | CallTools | Finish | Say | Unreadable)


def test_half_a_character_never_leaves_the_reader() -> None:
    calls = (NativeCall("a", "python", '{"code": "print(\'\\ud83d\')"}'),)
    action = open_format("code").read(Reply(parts=calls), Brief(manifest=""))
    assert isinstance(action, RunCode)
    assert action.program.encode() == b"print('\xef\xbf\xbd')"
