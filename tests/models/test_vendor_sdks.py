"""The fakes are judged by the providers' own clients, and so is what we send."""

import asyncio
import importlib
from typing import Any

import pytest

from actum.models.contract import ModelRequest, NativeTool
from actum.models.replies import whole_reply
from actum.records.messages import Image, Message, NativeResult, Reply, Text, said
from actum.records.values import JSON, blob_ref
from tests.models.protocols import (
    CALLS,
    CHAT,
    MESSAGES,
    PROTOCOLS,
    RESPONSES,
    USED,
    Protocol,
    open_wire_model,
)
from tests.models.servers.fake_provider import serving

# The clients are test-only and untyped here on purpose: they are the judge, not a dependency.
openai: Any = pytest.importorskip("openai", reason="the client of OpenAI is not installed")
anthropic: Any = pytest.importorskip("anthropic", reason="the client of Anthropic is not installed")
pydantic: Any = pytest.importorskip("pydantic", reason="the clients bring pydantic")

STREAM_TYPES = {
    "chat": ("openai.types.chat", "ChatCompletionChunk"),
    "responses": ("openai.types.responses", "ResponseStreamEvent"),
    "messages": ("anthropic.types", "RawMessageStreamEvent"),
}
REQUEST_TYPES = {
    "chat": ("openai.types.chat.completion_create_params", "CompletionCreateParamsStreaming"),
    "responses": (
        "openai.types.responses.response_create_params",
        "ResponseCreateParamsStreaming",
    ),
    "messages": ("anthropic.types.message_create_params", "MessageCreateParamsStreaming"),
}
PICTURE = blob_ref(b"PNG", "image/png")
CLOSED: dict[str, JSON] = {
    "type": "object",
    "properties": {"thought": {"type": "string"}, "code": {"type": "string"}},
    "required": ["thought", "code"],
    "additionalProperties": False,
}


def judge(place: tuple[str, str]) -> Any:
    module, name = place
    return pydantic.TypeAdapter(getattr(importlib.import_module(module), name))


def everything(protocol: Protocol) -> ModelRequest:
    """A request with a bit of everything."""
    answer = protocol.reply_with_all
    results = Message(
        role="user",
        parts=(
            NativeResult(id=CALLS[0].id, text="10", images=(PICTURE,)),
            NativeResult(id=CALLS[1].id, text="no such order", failed=True),
            Text("Go on."),
            Image(PICTURE),
        ),
    )
    return ModelRequest(
        messages=(
            said("system", "Be brief."),
            said("user", "Which ones?"),
            Message(role="assistant", parts=answer.parts),
            results,
        ),
        tools=(NativeTool(name="shop.get", description="One order.", schema={"type": "object"}),),
        output_schema=CLOSED,
        stop=("Observation:",),
        max_tokens=500,
        temperature=0.5,
    )


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_what_the_fake_streams_is_what_the_provider_declares(protocol: Protocol) -> None:
    adapter = judge(STREAM_TYPES[protocol.name])
    for document in protocol.documents(protocol.reply_with_all):
        if document["type"] != "ping" if "type" in document else True:
            adapter.validate_python(document)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_what_we_send_is_what_the_provider_declares(protocol: Protocol) -> None:
    with serving(protocol.answer(Reply(parts=(Text("Done."),), usage=USED))) as server:
        model = open_wire_model(protocol, server)

        async def ask() -> None:
            await whole_reply(model.stream(everything(protocol)))
            await model.aclose()

        asyncio.run(ask())
    asked = server.asked[0]
    assert asked.path == protocol.path
    adapter = judge(REQUEST_TYPES[protocol.name])
    read = adapter.validate_python(asked.body)
    # Some parts are read only when they are gone through.
    for field in ("messages", "input", "tools"):
        list(read.get(field) or ())


def test_the_client_of_openai_reads_chat_from_the_fake() -> None:
    reply = CHAT.reply_with_all
    asked: list[JSON] = [{"role": "user", "content": "?"}]
    with (
        serving(CHAT.answer(reply)) as server,
        openai.OpenAI(api_key="k", base_url=f"{server.url}/v1") as client,
        client.chat.completions.stream(model="fake-1", messages=asked) as stream,
    ):
        message = stream.get_final_completion()
    choice = message.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == reply.text
    seen = [(c.id, c.function.name, c.function.arguments) for c in choice.message.tool_calls]
    assert seen == [(call.id, call.name, call.arguments) for call in CALLS]
    assert message.usage.prompt_tokens_details.cached_tokens == USED.cached_tokens


def test_the_client_of_openai_reads_responses_from_the_fake() -> None:
    reply = RESPONSES.reply_with_all
    with (
        serving(RESPONSES.answer(reply)) as server,
        openai.OpenAI(api_key="k", base_url=f"{server.url}/v1") as client,
        client.responses.stream(model="fake-1", input="?") as stream,
    ):
        whole = stream.get_final_response()
    assert whole.output_text == reply.text
    seen = [(c.call_id, c.arguments) for c in whole.output if c.type == "function_call"]
    assert seen == [(call.id, call.arguments) for call in CALLS]
    assert whole.usage.output_tokens_details.reasoning_tokens == USED.reasoning_tokens


def test_the_client_of_anthropic_reads_messages_from_the_fake() -> None:
    reply = MESSAGES.reply_with_all
    asked: list[JSON] = [{"role": "user", "content": "?"}]
    with (
        serving(MESSAGES.answer(reply)) as server,
        anthropic.Anthropic(api_key="k", base_url=server.url) as client,
        client.messages.stream(model="fake-1", max_tokens=10, messages=asked) as stream,
    ):
        message = stream.get_final_message()
    assert message.stop_reason == "tool_use"
    thinking, text, first, second = message.content
    assert thinking.signature == "c2VhbA=="
    assert text.text == reply.text
    assert (first.id, second.id) == (CALLS[0].id, CALLS[1].id)
    assert first.input == {"i": 1, "note": "größer 🦊"}


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_we_read_the_same_as_the_provider_s_client(protocol: Protocol) -> None:
    with serving(protocol.answer(protocol.reply_with_all)) as server:
        model = open_wire_model(protocol, server)

        async def ask() -> Reply:
            request = ModelRequest(messages=(said("user", "?"),))
            reply = await whole_reply(model.stream(request))
            await model.aclose()
            return reply

        reply = asyncio.run(ask())
    assert reply.parts == protocol.reply_with_all.parts
    assert reply.stop == "calls"
    assert (reply.usage.input_tokens, reply.usage.cached_tokens) == (1200, 1000)
    assert (reply.usage.output_tokens, reply.usage.reasoning_tokens) == (40, 7)
