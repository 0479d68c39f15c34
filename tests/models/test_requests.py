"""What goes over the wire: the front stays equal, and each provider gets its own blocks back."""

import asyncio
import base64
from typing import cast

import pytest

from actum.models.contract import ModelRequest, NativeTool
from actum.models.endpoints import Endpoint
from actum.models.openai_chat import chat_body
from actum.models.providers import BY_NAME
from actum.models.replies import whole_reply
from actum.records.messages import (
    Image,
    Message,
    NativeCall,
    NativeResult,
    Opaque,
    Reply,
    Text,
    said,
)
from actum.records.values import JSON, blob_ref
from tests.models.protocols import (
    CALLS,
    CHAT,
    KEY,
    MESSAGES,
    PROTOCOLS,
    RESPONSES,
    USED,
    Protocol,
    WireModel,
    open_wire_model,
)
from tests.models.servers.fake_chat import DONE, chunk
from tests.models.servers.fake_provider import Answer, event, serving

TOOLS = (
    NativeTool(name="crm.get", description="A customer.", schema={"type": "object"}),
    NativeTool(name="crm_get", description="Another.", schema={"type": "object"}),
)
FIRST = (said("system", "Be brief."), said("user", "Which ones?"))
each = pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)


def sent(protocol: Protocol, *requests: ModelRequest) -> list[dict[str, JSON]]:
    """The bodies that reach the provider."""
    with serving(protocol.answer(Reply(parts=(Text("."),), usage=USED))) as server:
        model = open_wire_model(protocol, server)

        async def ask() -> None:
            for request in requests:
                await whole_reply(model.stream(request))
            await model.aclose()

        asyncio.run(ask())
    return [asked.body for asked in server.asked]


def results(*texts: str) -> Message:
    parts = [NativeResult(id=call.id, text=text) for call, text in zip(CALLS, texts, strict=True)]
    return Message(role="user", parts=tuple(parts))


def turns(protocol: Protocol, body: dict[str, JSON]) -> list[dict[str, JSON]]:
    field = "input" if protocol is RESPONSES else "messages"
    return cast("list[dict[str, JSON]]", body[field])


def without_marks(value: JSON) -> JSON:
    """The same without the cache marks, which move on."""
    if isinstance(value, dict):
        return {k: without_marks(v) for k, v in value.items() if k != "cache_control"}
    return [without_marks(item) for item in value] if isinstance(value, list) else value


@each
def test_the_front_stays_equal_from_turn_to_turn(protocol: Protocol) -> None:
    answer = Message(role="assistant", parts=protocol.reply_with_all.parts)
    longer = (*FIRST, answer, results("10", "20"))
    before, after = sent(
        protocol,
        ModelRequest(messages=FIRST, tools=TOOLS),
        ModelRequest(messages=longer, tools=TOOLS),
    )
    old, new = turns(protocol, before), turns(protocol, after)
    assert without_marks(list(new[: len(old)])) == without_marks(list(old))
    assert before["tools"] == after["tools"]
    assert before.get("system") == after.get("system")


@pytest.mark.parametrize("protocol", [RESPONSES, MESSAGES], ids=lambda protocol: protocol.name)
def test_a_block_goes_back_unchanged_and_to_its_provider_only(protocol: Protocol) -> None:
    foreign = Opaque(provider="somebody-else", block={"type": "thinking", "thinking": "mine"})
    own = protocol.own_block
    assert own is not None
    answer = Message(role="assistant", parts=(own, foreign, Text("Both."), *CALLS))
    (body,) = sent(protocol, ModelRequest(messages=(*FIRST, answer, results("1", "2"))))
    sent_turns = turns(protocol, body)
    blocks = sent_turns if protocol is RESPONSES else cast("list[JSON]", sent_turns[1]["content"])
    assert own.block in blocks
    assert "mine" not in str(body)


def test_the_stable_front_is_marked_for_the_cache() -> None:
    (body,) = sent(MESSAGES, ModelRequest(messages=FIRST, tools=TOOLS))
    system = cast("list[dict[str, JSON]]", body["system"])
    assert system[-1]["cache_control"] == {"type": "ephemeral"}
    last = cast("list[dict[str, JSON]]", turns(MESSAGES, body)[-1]["content"])
    assert last[-1]["cache_control"] == {"type": "ephemeral"}


@each
def test_names_of_tools_are_allowed_there_and_come_back_as_they_were(protocol: Protocol) -> None:
    first, second = TOOLS
    with serving(protocol.answer(Reply(parts=(), usage=USED))) as server:
        model = open_wire_model(protocol, server)
        asyncio.run(whole_and_close(model, ModelRequest(messages=FIRST, tools=TOOLS)))
    tools = cast("list[dict[str, JSON]]", server.asked[0].body["tools"])
    named = [str(cast("dict[str, JSON]", tool.get("function", tool))["name"]) for tool in tools]
    assert named[1] == second.name
    assert named[0] not in (first.name, second.name)
    called = NativeCall(id="c", name=named[0], arguments="{}")
    with serving(protocol.answer(Reply(parts=(called,), stop="calls", usage=USED))) as server:
        model = open_wire_model(protocol, server)
        reply = asyncio.run(whole_and_close(model, ModelRequest(messages=FIRST, tools=TOOLS)))
    assert reply.calls[0].name == first.name


async def whole_and_close(model: WireModel, request: ModelRequest) -> Reply:
    reply = await whole_reply(model.stream(request))
    await model.aclose()
    return reply


@each
def test_a_call_that_was_no_json_goes_back_as_json(protocol: Protocol) -> None:
    broken = NativeCall(id=CALLS[0].id, name="crm_get", arguments='{"i": oops')
    answer = Message(role="assistant", parts=(broken,))
    back = Message(role="user", parts=(NativeResult(id=broken.id, text="unreadable", failed=True),))
    (body,) = sent(protocol, ModelRequest(messages=(*FIRST, answer, back)))
    assert "unreadable" in str(body)


@each
def test_pictures_are_sent_as_bytes(protocol: Protocol) -> None:
    picture = Message(role="user", parts=(Text("See:"), Image(blob_ref(b"PNG", "image/png"))))
    (body,) = sent(protocol, ModelRequest(messages=(picture,)))
    assert base64.b64encode(b"PNG").decode() in str(body)


@each
def test_the_key_is_sent_in_its_header_and_nowhere_else(protocol: Protocol) -> None:
    with serving(protocol.answer(Reply(parts=(), usage=USED))) as server:
        model = open_wire_model(protocol, server)
        asyncio.run(whole_and_close(model, ModelRequest(messages=FIRST)))
    asked = server.asked[0]
    holders = [name for name, value in asked.headers.items() if KEY in value]
    assert holders == ["x-api-key" if protocol is MESSAGES else "authorization"]
    assert KEY not in str(asked.body) + asked.path


def test_a_schema_that_cannot_be_held_natively_is_the_input_of_a_tool() -> None:
    loose: dict[str, JSON] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    answer = NativeCall(id="t", name="answer", arguments='{"a": 1}')
    with serving(MESSAGES.answer(Reply(parts=(answer,), stop="calls", usage=USED))) as server:
        model = open_wire_model(MESSAGES, server)
        request = ModelRequest(messages=FIRST, output_schema=loose)
        reply = asyncio.run(whole_and_close(model, request))
    assert server.asked[0].body["tool_choice"] == {"type": "tool", "name": "answer"}
    assert (reply.text, reply.calls, reply.stop) == ('{"a": 1}', (), "end")


def test_what_gemini_signs_goes_back_beside_its_call() -> None:
    extra: JSON = {"google": {"thought_signature": "c2ln"}}
    piece: JSON = {
        "index": 0,
        "id": "g1",
        "type": "function",
        "function": {"name": "crm_get", "arguments": "{}"},
        "extra_content": extra,
    }
    pieces = (event(chunk({"tool_calls": [piece]})), event(chunk({}, "tool_calls")), DONE)
    assert back_after(pieces, "gemini")["tool_calls"] == [
        {k: v for k, v in cast("dict[str, JSON]", piece).items() if k != "index"}
    ]


def test_reasoning_goes_back_where_the_provider_wants_it() -> None:
    pieces = (
        event(chunk({"reasoning_content": "Let me "})),
        event(chunk({"reasoning_content": "see."})),
        event(chunk({"content": "Yes."}, "stop")),
        DONE,
    )
    assert back_after(pieces, "deepseek")["reasoning_content"] == "Let me see."
    assert "reasoning_content" not in back_after(pieces, "openai")


def test_reasoning_details_in_pieces_go_back_in_one() -> None:
    def detail(**fields: JSON) -> bytes:
        return event(
            chunk({"reasoning_details": [{"type": "reasoning.text", "index": 0, **fields}]})
        )

    pieces = (
        detail(text="Let me ", signature=None),
        detail(text="see.", signature=None),
        detail(signature="c2ln"),
        event(chunk({"content": "Yes."}, "stop")),
        DONE,
    )
    whole = {"type": "reasoning.text", "index": 0, "text": "Let me see.", "signature": "c2ln"}
    assert back_after(pieces, "openrouter")["reasoning_details"] == [whole]


def back_after(pieces: tuple[bytes, ...], provider: str) -> dict[str, JSON]:
    """The assistant's message as this provider gets it back on the next turn."""
    with serving(Answer(pieces=pieces)) as server:
        known = BY_NAME[provider]
        endpoint = Endpoint(known, "m", base_url=f"{server.url}/v1")
        model = CHAT.model(endpoint)
        reply = asyncio.run(whole_and_close(model, ModelRequest(messages=FIRST, tools=TOOLS[1:])))
    answer = Message(role="assistant", parts=reply.parts)
    request = ModelRequest(messages=(*FIRST, answer), tools=TOOLS[1:])
    body = chat_body(endpoint, request, lambda _: b"")
    return cast("list[dict[str, JSON]]", body["messages"])[-1]
