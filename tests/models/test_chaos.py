"""Whatever a provider does: an answer or one clear error, no second try after the first words."""

import asyncio
import json
from collections.abc import Sequence

import pytest

from actum.errors import ModelFailed
from actum.models.contract import ModelEvent, ModelRequest, NativeTool, TextDelta
from actum.models.failures import ContextFull
from actum.models.http_client import TimeOuts
from actum.models.replies import ReplyBuilder
from actum.models.retries import Retries
from actum.records.messages import Reply, Text, said
from actum.records.values import JSON
from tests.models.protocols import (
    CALLS,
    CHAT,
    KEY,
    MESSAGES,
    PROTOCOLS,
    USED,
    Protocol,
    Waits,
    open_wire_model,
)
from tests.models.servers.fake_chat import DONE, chunk
from tests.models.servers.fake_provider import (
    Answer,
    FakeProvider,
    error_answer,
    event,
    serving,
)

REQUEST = ModelRequest(
    messages=(said("user", "?"),),
    tools=(NativeTool(name="shop_get", description="One order.", schema={"type": "object"}),),
)
FINE = Reply(parts=(Text("It is fine."),), usage=USED, model="fake-1")
each = pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)


class Talk:
    """What came of one request."""

    def __init__(
        self,
        protocol: Protocol,
        answers: Sequence[Answer],
        *,
        time_outs: TimeOuts | None = None,
        retries: Retries | None = None,
    ) -> None:
        self.events: list[ModelEvent] = []
        self.failure: ModelFailed | None = None
        self.waits = Waits()
        with serving(*answers) as server:
            model = open_wire_model(
                protocol, server, waits=self.waits, time_outs=time_outs, retries=retries
            )

            async def listen() -> None:
                try:
                    async for event in model.stream(REQUEST):
                        self.events.append(event)
                except ModelFailed as failure:
                    self.failure = failure
                await model.aclose()

            asyncio.run(listen())
            self.nothing_leaked = server.all_hung_up()
            self.tries = len(server.asked)

    @property
    def reply(self) -> Reply:
        """The whole answer."""
        assert self.failure is None, self.failure
        builder = ReplyBuilder()
        for one in self.events:
            builder.add(one)
        return builder.reply()

    @property
    def error(self) -> ModelFailed:
        """The one error."""
        assert self.nothing_leaked
        assert self.failure is not None
        shown = (self.failure.message, self.failure.why, self.failure.where, *self.failure.hints)
        assert KEY not in " ".join(shown) + repr(self.failure)
        return self.failure


def words(events: Sequence[ModelEvent]) -> str:
    return "".join(one.text for one in events if isinstance(one, TextDelta))


@each
@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_passing_error_is_asked_again(protocol: Protocol, status: int) -> None:
    bad = error_answer(status, {"type": "overloaded_error", "message": "come back"})
    talk = Talk(protocol, [bad, bad, protocol.answer(FINE)])
    assert talk.reply.text == "It is fine."
    assert talk.waits.seconds == [0.5, 1.0]
    assert talk.nothing_leaked


@each
def test_the_wait_that_the_provider_asks_for_is_kept(protocol: Protocol) -> None:
    answers = [
        error_answer(429, {"message": "slow down"}, {"retry-after": "7"}),
        error_answer(429, {"message": "slow down"}, {"retry-after-ms": "250"}),
        error_answer(
            429, {"message": "slow down"}, {"retry-after": "Mon, 21 Sep 2026 14:13:30 GMT"}
        ),
        protocol.answer(FINE),
    ]
    talk = Talk(protocol, answers)
    assert talk.reply.text == "It is fine."
    assert talk.waits.seconds == [7.0, 0.25, 10.0]


@each
def test_a_wait_beyond_all_patience_is_an_error(protocol: Protocol) -> None:
    talk = Talk(protocol, [error_answer(429, {"message": "tomorrow"}, {"retry-after": "86400"})])
    assert "too many requests" in talk.error.message
    assert talk.tries == 1


@each
def test_a_provider_that_stays_ill_is_one_error(protocol: Protocol) -> None:
    talk = Talk(protocol, [error_answer(529, {"message": "Overloaded"})])
    assert "not well" in talk.error.message
    assert "Overloaded" in talk.error.why
    assert talk.tries == 4


@each
@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_names_the_variable_and_the_page(protocol: Protocol, status: int) -> None:
    talk = Talk(protocol, [error_answer(status, {"message": f"Incorrect API key: {KEY}"})])
    assert "TEST_KEY" in " ".join(talk.error.hints)
    assert "https://" in " ".join(talk.error.hints)
    assert talk.tries == 1


@each
def test_an_unknown_model_is_named(protocol: Protocol) -> None:
    talk = Talk(protocol, [error_answer(404, {"message": "no such model"})])
    assert "fake-1 is not known" in talk.error.message
    assert talk.tries == 1


@each
def test_an_account_without_credit_is_not_asked_again(protocol: Protocol) -> None:
    error = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
    talk = Talk(protocol, [error_answer(429, dict(error))])
    assert "no credit" in talk.error.message
    assert talk.tries == 1


@each
@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 128000 tokens. However, you requested 130001.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "the request exceeds the available context size, try increasing it",
        "The input token count (1200000) exceeds the maximum number of tokens allowed",
    ],
)
def test_a_conversation_that_is_too_long_is_told_apart(protocol: Protocol, message: str) -> None:
    talk = Talk(protocol, [error_answer(400, {"message": message})])
    assert isinstance(talk.error, ContextFull)
    assert talk.tries == 1


@each
def test_a_connection_that_breaks_before_the_first_words_is_tried_again(
    protocol: Protocol,
) -> None:
    talk = Talk(protocol, [Answer(hang_up=True), protocol.answer(FINE)])
    assert talk.reply.text == "It is fine."
    assert talk.tries == 2


@each
@pytest.mark.parametrize("hang_up", [True, False], ids=["cut", "ended"])
def test_after_the_first_words_nothing_is_asked_again(protocol: Protocol, hang_up: bool) -> None:
    whole = protocol.answer(Reply(parts=(Text("x" * 240),), usage=USED))
    half = Answer(pieces=whole.pieces[: len(whole.pieces) // 2], hang_up=hang_up)
    talk = Talk(protocol, [half, protocol.answer(FINE)])
    assert words(talk.events)
    assert "stopped before its end" in talk.error.message or "broke" in talk.error.message
    assert talk.tries == 1


@each
def test_a_stall_in_the_middle_is_an_error(protocol: Protocol) -> None:
    whole = protocol.answer(Reply(parts=(Text("x" * 240),), usage=USED))
    half = Answer(pieces=whole.pieces[: len(whole.pieces) // 2], stall=True)
    talk = Talk(protocol, [half], time_outs=TimeOuts(idle=0.2))
    assert "took too long" in talk.error.message
    assert talk.tries == 1


@each
def test_the_whole_request_ends_in_time(protocol: Protocol) -> None:
    talk = Talk(protocol, [Answer(stall=True)], time_outs=TimeOuts(idle=5, total=0.2))
    assert "whole request" in talk.error.why


@each
def test_a_server_that_is_not_there_is_an_error(protocol: Protocol) -> None:
    server = FakeProvider(Answer())
    server.close()
    model = open_wire_model(protocol, server)

    async def listen() -> None:
        async for _ in model.stream(REQUEST):
            raise AssertionError("nobody can have answered")

    with pytest.raises(ModelFailed) as failure:
        asyncio.run(listen())
    assert "cannot be reached" in failure.value.message


@each
def test_what_is_not_json_is_an_error(protocol: Protocol) -> None:
    talk = Talk(protocol, [Answer(pieces=(b'data: {"choices": [oops\n\n',))])
    assert "not JSON" in talk.error.message
    assert "oops" in talk.error.why


@each
def test_a_web_page_is_called_one(protocol: Protocol) -> None:
    page = Answer(pieces=(b"<html>Welcome</html>",), content_type="text/html")
    assert "web page" in Talk(protocol, [page]).error.message


@each
def test_an_error_in_the_stream_before_the_first_words_is_tried_again(protocol: Protocol) -> None:
    bad = event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    talk = Talk(protocol, [Answer(pieces=(bad,)), protocol.answer(FINE)])
    assert talk.reply.text == "It is fine."


@each
def test_an_empty_answer_is_an_answer(protocol: Protocol) -> None:
    reply = Talk(protocol, [protocol.answer(Reply(parts=(), usage=USED))]).reply
    assert reply.parts == ()
    assert reply.stop == "end"


@each
def test_an_answer_of_a_megabyte_arrives_whole(protocol: Protocol) -> None:
    text = "0123456789abcdé\n" * 65_536
    reply = Talk(protocol, [protocol.answer(Reply(parts=(Text(text),), usage=USED))]).reply
    assert reply.text == text


@each
@pytest.mark.parametrize("stop", ["length", "refusal"])
def test_why_an_answer_ended_is_said(protocol: Protocol, stop: str) -> None:
    answer = Reply(parts=(Text("No"),), stop="length" if stop == "length" else "refusal")
    assert Talk(protocol, [protocol.answer(answer)]).reply.stop == stop


@each
def test_calls_with_one_id_get_ids_of_their_own(protocol: Protocol) -> None:
    twice = Reply(parts=(CALLS[0], CALLS[0]), stop="calls", usage=USED)
    calls = Talk(protocol, [protocol.answer(twice)]).reply.calls
    assert [call.arguments for call in calls] == [CALLS[0].arguments] * 2
    assert len({call.id for call in calls}) == 2


@each
def test_a_tool_that_nobody_gave_arrives_under_its_name(protocol: Protocol) -> None:
    wrong = Reply(parts=(CALLS[0].__class__(id="w", name="rm_rf", arguments="{}"),), stop="calls")
    assert Talk(protocol, [protocol.answer(wrong)]).reply.calls[0].name == "rm_rf"


@each
def test_a_cancelled_request_closes_its_connection(protocol: Protocol) -> None:
    whole = protocol.answer(Reply(parts=(Text("x" * 240),), usage=USED))
    half = Answer(pieces=whole.pieces[: len(whole.pieces) // 2], stall=True)
    with serving(half) as server:
        model = open_wire_model(protocol, server)

        async def cancel() -> None:
            heard = asyncio.Event()

            async def listen() -> None:
                async for one in model.stream(REQUEST):
                    if isinstance(one, TextDelta):
                        heard.set()

            task = asyncio.create_task(listen())
            await heard.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # The model itself is still open: only the request is gone.
            assert await asyncio.to_thread(server.all_hung_up)
            await model.aclose()

        asyncio.run(cancel())


@each
def test_the_next_turn_uses_the_same_connection(protocol: Protocol) -> None:
    with serving(protocol.answer(FINE)) as server:
        model = open_wire_model(protocol, server)

        async def twice() -> int:
            for _ in range(2):
                async for _event in model.stream(REQUEST):
                    pass
            still_open = server.open
            await model.aclose()
            return still_open

        assert asyncio.run(twice()) == 1


def test_a_refused_part_of_the_request_is_left_out() -> None:
    refused = error_answer(400, {"message": "Unsupported parameter: 'stream_options'"})
    with serving(refused, CHAT.answer(FINE)) as server:
        model = open_wire_model(CHAT, server)

        async def ask() -> str:
            found = [one async for one in model.stream(REQUEST)]
            await model.aclose()
            return words(found)

        assert asyncio.run(ask()) == "It is fine."
    assert "stream_options" in server.asked[0].body
    assert "stream_options" not in server.asked[1].body


def test_a_server_that_does_not_stream_is_read_all_the_same() -> None:
    message: JSON = {"role": "assistant", "content": "Whole.", "tool_calls": []}
    choice: JSON = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"id": "1", "model": "m", "choices": [choice]}).encode()
    talk = Talk(CHAT, [Answer(pieces=(body,), content_type="application/json")])
    assert talk.reply.text == "Whole."


def call_piece(**piece: object) -> bytes:
    return event(chunk({"tool_calls": [dict(piece)]}))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(
            (
                call_piece(index=0, id="a", function={"name": "shop_get", "arguments": '{"i":1}'}),
                call_piece(index=0, id="b", function={"name": "shop_get", "arguments": '{"i":2}'}),
            ),
            id="every call has the number 0",
        ),
        pytest.param(
            (
                call_piece(id="a", function={"name": "shop_get", "arguments": '{"i'}),
                call_piece(function={"arguments": '":1}'}),
                call_piece(id="b", function={"name": "shop_get", "arguments": '{"i":2}'}),
            ),
            id="no numbers",
        ),
        pytest.param(
            (
                call_piece(function={"name": "shop_get", "arguments": '{"i":1}'}),
                call_piece(function={"name": "shop_get", "arguments": '{"i":2}'}),
            ),
            id="no numbers and no ids",
        ),
        pytest.param(
            (
                call_piece(index=1, id="a", function={"name": "shop_get", "arguments": '{"i":1'}),
                call_piece(index=4, id="b", function={"name": "shop_get", "arguments": '{"i":2'}),
                call_piece(index=4, id="b", function={"name": "shop_get", "arguments": "}"}),
                call_piece(index=1, id="", function={"arguments": "}"}),
            ),
            id="pieces in turn, names again and again",
        ),
        pytest.param(
            (
                call_piece(index=0, function={"name": "shop_get", "arguments": {"i": 1}}),
                call_piece(index=1, function={"name": "shop_get", "arguments": {"i": 2}}),
            ),
            id="objects in place of text",
        ),
    ],
)
def test_calls_are_put_together_however_a_server_cuts_them(pieces: tuple[bytes, ...]) -> None:
    # Some servers call it a plain stop although they ask for tools.
    whole = (*pieces, event(chunk({}, "stop")), DONE)
    reply = Talk(CHAT, [Answer(pieces=whole)]).reply
    assert [json.loads(call.arguments) for call in reply.calls] == [{"i": 1}, {"i": 2}]
    assert {call.name for call in reply.calls} == {"shop_get"}
    assert len({call.id for call in reply.calls} - {""}) == 2
    assert reply.stop == "calls"


def test_an_answer_without_counts_has_none() -> None:
    pieces = (event(chunk({"content": "Hi"})), event(chunk({}, "stop")), DONE)
    reply = Talk(CHAT, [Answer(pieces=pieces)]).reply
    assert (reply.text, reply.usage.requests, reply.usage.tokens) == ("Hi", 1, 0)


def test_what_was_read_is_known_even_of_a_cut_answer() -> None:
    whole = MESSAGES.answer(FINE)
    talk = Talk(MESSAGES, [Answer(pieces=whole.pieces[:4])])
    builder = ReplyBuilder()
    for one in talk.events:
        builder.add(one)
    assert builder.usage.input_tokens == USED.input_tokens


@each
def test_a_server_that_does_not_end_after_the_end_is_not_waited_for(protocol: Protocol) -> None:
    whole = protocol.answer(FINE)
    talk = Talk(protocol, [Answer(pieces=whole.pieces, stall=True)])
    assert talk.reply.text == "It is fine."
    assert talk.nothing_leaked
