"""What happened goes back under the call that asked for it."""

from actum.loop.formats.answering import every_call_told
from actum.loop.formats.contract import Brief, Told
from actum.loop.formats.finding import open_format
from actum.records.actions import CallTools, Finish, RunCode, Unreadable
from actum.records.messages import Image, NativeCall, NativeResult, Reply, Text
from actum.records.tools import Parameter, ToolSpec
from actum.records.values import blob_ref

GET = ToolSpec(name="crm.get", effect="read", parameters=(Parameter(name="i"),))
BRIEF = Brief(manifest="", direct=(GET,))


def test_native_calls_get_native_results_in_their_order() -> None:
    told = (Told(text="1", call_id="a"), Told(text="no", call_id="b", failed=True))
    message = open_format("json").answer(told)
    assert message.role == "user"
    assert message.parts == (NativeResult("a", "1"), NativeResult("b", "no", failed=True))


def test_calls_that_stood_in_the_text_are_answered_as_text() -> None:
    text = '{"name": "crm.get", "arguments": {"i": 1}}'
    action = open_format("json").read(Reply(parts=(Text(text),)), BRIEF)
    assert isinstance(action, CallTools)
    told = [Told(text="Ann", call_id=call.id) for call in action.calls]
    assert open_format("json").answer(told).parts == (Text("Result of call 1:\nAnn"),)


def test_a_program_without_a_call_is_answered_as_text() -> None:
    assert open_format("code").answer([Told(text="Output:\n1")]).parts == (Text("Output:\n1"),)


def test_pictures_go_with_the_answer_they_belong_to() -> None:
    picture = blob_ref(b"a picture", "image/png")
    code = open_format("code")
    told = code.answer([Told(text="Figure 1", images=(picture,))])
    assert told.parts == (Text("Figure 1"), Image(picture))
    native = code.answer([Told(text="Figure 1", call_id="a", images=(picture,))])
    assert native.parts == (NativeResult("a", "Figure 1", images=(picture,)),)


def test_programs_in_one_turn_are_one_program_and_every_call_gets_an_answer() -> None:
    calls = (NativeCall("a", "python", '{"code": "x = 1"}'), NativeCall("b", "python", "print(x)"))
    action = open_format("code").read(Reply(parts=calls), BRIEF)
    assert action == RunCode("x = 1\nprint(x)", call_id="a")
    told = every_call_told([Told(text="1", call_id="a")], calls)
    assert [one.call_id for one in told] == ["a", "b"]


def test_a_finish_that_did_not_fit_is_answered_under_its_call() -> None:
    calls = (NativeCall("a", "finish", '{"value": 3}'),)
    brief = Brief(manifest="", output_schema={"type": "string"})
    action = open_format("auto").read(Reply(parts=calls), brief)
    assert isinstance(action, Finish)
    told = every_call_told([Told(text="not a string", failed=True)], calls)
    assert told == (Told(text="not a string", call_id="a", failed=True),)


def test_one_bad_call_of_several_stops_them_all_and_is_named() -> None:
    calls = (NativeCall("a", "crm.get", '{"i": 1}'), NativeCall("b", "crm.get", "[1, 2]"))
    action = open_format("json").read(Reply(parts=calls), BRIEF)
    assert isinstance(action, Unreadable)
    assert action.call_ids == ("a", "b")
    assert "call 2 (crm.get)" in action.message
