"""Messages as Anthropic streams them, after `anthropic.types.RawMessageStreamEvent`."""

from collections.abc import Mapping

from actum.records.messages import NativeCall, Opaque, Part, Reply, Text
from actum.records.values import JSON
from tests.models.servers.fake_provider import Answer, event

STOP = {
    "end": "end_turn",
    "calls": "tool_use",
    "length": "max_tokens",
    "refusal": "refusal",
    "stop_sequence": "stop_sequence",
}


def started(reply: Reply) -> dict[str, JSON]:
    """The head of a message, with what was read."""
    used = reply.usage
    usage: JSON = {
        "input_tokens": used.input_tokens - used.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": used.cached_tokens,
        "output_tokens": 1,
    }
    message: JSON = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "fake-1",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return {"type": "message_start", "message": message}


def ended(reply: Reply) -> list[dict[str, JSON]]:
    """Why it stopped, what was used, and the end mark."""
    usage: JSON = {
        "output_tokens": reply.usage.output_tokens,
        "output_tokens_details": {"thinking_tokens": reply.usage.reasoning_tokens},
    }
    delta: JSON = {"stop_reason": STOP[reply.stop], "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": usage},
        {"type": "message_stop"},
    ]


def documents(reply: Reply, size: int = 24) -> list[dict[str, JSON]]:
    """The events of a whole answer."""
    ping: dict[str, JSON] = {"type": "ping"}
    found = [started(reply), ping]
    for index, part in enumerate(reply.parts):
        block, deltas = _block(part, size)
        found.append({"type": "content_block_start", "index": index, "content_block": block})
        for delta in deltas:
            whole = dict(delta)
            found.append({"type": "content_block_delta", "index": index, "delta": whole})
        found.append({"type": "content_block_stop", "index": index})
    return [*found, *ended(reply)]


def _block(part: Part, size: int) -> tuple[dict[str, JSON], list[Mapping[str, JSON]]]:
    if isinstance(part, Text):
        return {"type": "text", "text": ""}, [
            {"type": "text_delta", "text": text} for text in cut(part.text, size)
        ]
    if isinstance(part, NativeCall):
        start: dict[str, JSON] = {
            "type": "tool_use",
            "id": part.id,
            "name": part.name,
            "input": {},
        }
        return start, [
            {"type": "input_json_delta", "partial_json": text} for text in cut(part.arguments, size)
        ]
    assert isinstance(part, Opaque)
    assert isinstance(part.block, dict)
    if part.block["type"] != "thinking":
        return part.block, []
    thinking = str(part.block["thinking"])
    deltas: list[Mapping[str, JSON]] = [
        {"type": "thinking_delta", "thinking": text} for text in cut(thinking, size)
    ]
    deltas.append({"type": "signature_delta", "signature": part.block["signature"]})
    return {"type": "thinking", "thinking": "", "signature": ""}, deltas


def cut(text: str, size: int) -> list[str]:
    """The text in pieces."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def messages_answer(reply: Reply) -> Answer:
    """The whole stream."""
    return Answer(pieces=tuple(event(d, str(d["type"])) for d in documents(reply)))
