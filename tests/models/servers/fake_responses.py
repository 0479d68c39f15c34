"""Responses as OpenAI streams them, after `openai.types.responses.ResponseStreamEvent`."""

from actum.records.messages import NativeCall, Opaque, Part, Reply, Text
from actum.records.values import JSON
from tests.models.servers.fake_messages import cut
from tests.models.servers.fake_provider import Answer, event


def response(reply: Reply, status: str, output: list[JSON]) -> dict[str, JSON]:
    """The whole response, as it is in the first and in the last event."""
    used = reply.usage
    usage: JSON = {
        "input_tokens": used.input_tokens,
        "input_tokens_details": {"cached_tokens": used.cached_tokens, "cache_write_tokens": 0},
        "output_tokens": used.output_tokens,
        "output_tokens_details": {"reasoning_tokens": used.reasoning_tokens},
        "total_tokens": used.tokens,
    }
    reason = {"length": "max_output_tokens", "refusal": "content_filter"}.get(reply.stop)
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_790_000_000,
        "model": "fake-1",
        "status": status,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": {"reason": reason} if reason and output else None,
        "usage": usage if status != "in_progress" else None,
    }


def documents(reply: Reply, size: int = 24) -> list[dict[str, JSON]]:
    """The events of a whole answer."""
    found: list[dict[str, JSON]] = [
        {"type": "response.created", "response": response(reply, "in_progress", [])}
    ]
    output: list[JSON] = []
    for index, part in enumerate(reply.parts):
        item = _item(part, index)
        start = {**item, **_still_empty(part)}
        found.append({"type": "response.output_item.added", "output_index": index, "item": start})
        found += _deltas(part, index, size)
        found.append(
            {"type": "response.output_item.done", "output_index": index, "item": dict(item)}
        )
        output.append(dict(item))
    status = "incomplete" if reply.stop in ("length", "refusal") else "completed"
    whole = response(reply, status, output)
    found.append({"type": f"response.{status}", "response": whole})
    return [{**document, "sequence_number": n} for n, document in enumerate(found)]


def _item(part: Part, index: int) -> dict[str, JSON]:
    if isinstance(part, Text):
        content: JSON = {"type": "output_text", "text": part.text, "annotations": []}
        return {
            "id": f"msg_{index}",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [content],
        }
    if isinstance(part, NativeCall):
        return {
            "id": f"fc_{index}",
            "type": "function_call",
            "call_id": part.id,
            "name": part.name,
            "arguments": part.arguments,
            "status": "completed",
        }
    assert isinstance(part, Opaque)
    assert isinstance(part.block, dict)
    return part.block


def _still_empty(part: Part) -> dict[str, JSON]:
    if isinstance(part, Text):
        return {"status": "in_progress", "content": []}
    if isinstance(part, NativeCall):
        return {"status": "in_progress", "arguments": ""}
    return {"status": "in_progress"}


def _deltas(part: Part, index: int, size: int) -> list[dict[str, JSON]]:
    if isinstance(part, Text):
        return _words(part.text, index, size)
    if isinstance(part, NativeCall):
        where: dict[str, JSON] = {"item_id": f"fc_{index}", "output_index": index}
        kind = "response.function_call_arguments"
        return [
            *({"type": f"{kind}.delta", **where, "delta": p} for p in cut(part.arguments, size)),
            {"type": f"{kind}.done", **where, "name": part.name, "arguments": part.arguments},
        ]
    kind = "response.reasoning_summary"
    where = {"item_id": f"rs_{index}", "output_index": index, "summary_index": 0}
    empty: JSON = {"type": "summary_text", "text": ""}
    whole: JSON = {"type": "summary_text", "text": "hm"}
    return [
        {"type": f"{kind}_part.added", **where, "part": empty},
        {"type": f"{kind}_text.delta", **where, "delta": "hm"},
        {"type": f"{kind}_text.done", **where, "text": "hm"},
        {"type": f"{kind}_part.done", **where, "part": whole},
    ]


def _words(text: str, index: int, size: int) -> list[dict[str, JSON]]:
    where: dict[str, JSON] = {"item_id": f"msg_{index}", "output_index": index, "content_index": 0}
    empty: JSON = {"type": "output_text", "text": "", "annotations": []}
    whole: JSON = {"type": "output_text", "text": text, "annotations": []}
    kind = "response.output_text"
    return [
        {"type": "response.content_part.added", **where, "part": empty},
        *({"type": f"{kind}.delta", **where, "delta": p, "logprobs": []} for p in cut(text, size)),
        {"type": f"{kind}.done", **where, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **where, "part": whole},
    ]


def responses_answer(reply: Reply) -> Answer:
    """The whole stream."""
    return Answer(pieces=tuple(event(d, str(d["type"])) for d in documents(reply)))
