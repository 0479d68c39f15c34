"""Chat completions as OpenAI streams them, after `openai.types.chat.ChatCompletionChunk`."""

from collections.abc import Mapping

from actum.records.messages import NativeCall, Reply, Text
from actum.records.values import JSON
from tests.models.servers.fake_provider import Answer, event

DONE = b"data: [DONE]\n\n"
FINISH = {"end": "stop", "calls": "tool_calls", "length": "length", "refusal": "content_filter"}


def chunk(
    delta: Mapping[str, JSON], finish: str | None = None, usage: JSON = None, **more: JSON
) -> dict[str, JSON]:
    """One piece of an answer."""
    choice: dict[str, JSON] = {"index": 0, "delta": dict(delta), "finish_reason": finish, **more}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": "fake-1",
        "choices": [choice],
        "usage": usage,
    }


def counted(reply: Reply) -> dict[str, JSON]:
    """The piece with the counts, which has no choices."""
    used = reply.usage
    usage: JSON = {
        "prompt_tokens": used.input_tokens,
        "completion_tokens": used.output_tokens,
        "total_tokens": used.tokens,
        "prompt_tokens_details": {"cached_tokens": used.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": used.reasoning_tokens},
    }
    return {**chunk({}), "choices": [], "usage": usage}


def documents(reply: Reply, size: int = 24) -> list[dict[str, JSON]]:
    """The pieces of a whole answer."""
    found = [chunk({"role": "assistant", "content": "", "refusal": None})]
    number = 0
    for part in reply.parts:
        if isinstance(part, Text):
            found += [
                chunk({"content": part.text[at : at + size]})
                for at in range(0, len(part.text), size)
            ]
        elif isinstance(part, NativeCall):
            found += call_pieces(part, number, size)
            number += 1
    return [*found, chunk({}, FINISH[reply.stop]), counted(reply)]


def call_pieces(call: NativeCall, index: int, size: int) -> list[dict[str, JSON]]:
    """A call: its name first, then its arguments bit by bit."""
    first: JSON = {
        "index": index,
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": ""},
    }
    found = [chunk({"tool_calls": [first]})]
    for at in range(0, len(call.arguments), size):
        text = call.arguments[at : at + size]
        found.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]}))
    return found


def chat_answer(reply: Reply) -> Answer:
    """The whole stream."""
    return Answer(pieces=(*(event(document) for document in documents(reply)), DONE))
