"""What comes back from chat completions, from whichever server."""

from collections.abc import Iterator, Mapping

import msgspec

from actum.models.call_pieces import CallPieces
from actum.models.contract import (
    BlockDone,
    ModelEvent,
    ModelRequest,
    ReplyEnd,
    StopReason,
    TextDelta,
    ThinkingDelta,
    UsageSeen,
)
from actum.models.endpoints import Endpoint
from actum.models.json_fields import count_in, object_in, objects_in, text_in
from actum.models.prices import price
from actum.models.tool_names import ToolNames
from actum.records.messages import Opaque, Usage
from actum.records.values import JSON

STOPS: dict[str, StopReason] = {
    "stop": "end",
    "end_turn": "end",
    "eos": "end",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "calls",
    "function_call": "calls",
    "content_filter": "refusal",
    "refusal": "refusal",
}


class ChatDecoder:
    """Reads one answer. The end mark is a finish reason."""

    def __init__(self, endpoint: Endpoint, request: ModelRequest) -> None:
        self.done = False
        self._endpoint = endpoint
        self._request = request
        self._names = ToolNames(request.tools)
        self._calls = CallPieces()
        self._kept: dict[str, list[JSON]] = {}
        self._finish = ""
        self._cut_by_stop = False
        self._refused = False
        self._usage: Usage | None = None
        self._model = ""
        self._id = ""

    def take(self, document: dict[str, JSON]) -> Iterator[ModelEvent]:
        """One chunk, or one whole answer."""
        self._id = self._id or text_in(document, "id")
        self._model = self._model or text_in(document, "model")
        for choice in objects_in(document, "choices"):
            if count_in(choice, "index") == 0:
                yield from self._choice(choice)
        usage = object_in(document, "usage") or object_in(object_in(document, "x_groq"), "usage")
        if usage:
            self._usage = chat_usage(self._endpoint.name, usage)

    def finish(self) -> Iterator[ModelEvent]:
        """The calls, what must go back, the usage, the end."""
        if self._usage is not None:
            yield UsageSeen(self._usage)
        if not self._finish:
            return
        if self._usage is None:
            yield UsageSeen(Usage(requests=1, usd=price(self._endpoint.name, Usage())))
        provider = self._endpoint.provider.name
        for field, pieces in self._kept.items():
            yield BlockDone(Opaque(provider=provider, block={field: _joined(pieces)}))
        for call, extra in self._calls.whole(len(self._request.messages)):
            if extra and "extra_content" in self._endpoint.provider.thinking_back:
                block: JSON = {"call": call.id, "extra_content": extra}
                yield BlockDone(Opaque(provider=provider, block=block))
            named = msgspec.structs.replace(call, name=self._names.back(call.name))
            yield BlockDone(named)
        yield self._end()

    def _choice(self, choice: Mapping[str, JSON]) -> Iterator[ModelEvent]:
        delta = object_in(choice, "delta") or object_in(choice, "message")
        for field in self._endpoint.provider.thinking_back:
            value = delta.get(field)
            if value:
                self._kept.setdefault(field, []).append(value)
        yield from _words(delta)
        refusal = text_in(delta, "refusal")
        if refusal:
            self._refused = True
            yield TextDelta(refusal)
        for piece in objects_in(delta, "tool_calls"):
            self._calls.take(piece)
        old_call = object_in(delta, "function_call")
        if old_call:
            self._calls.take({"index": 0, "function": old_call})
        self._finish = text_in(choice, "finish_reason") or self._finish
        if text_in(choice, "stop_reason") in self._request.stop:
            self._cut_by_stop = True

    def _end(self) -> ReplyEnd:
        stop = STOPS.get(self._finish, "other")
        if self._refused:
            stop = "refusal"
        elif stop == "end" and self._calls:
            # Some servers call it a plain stop although they ask for tools.
            stop = "calls"
        elif stop == "end" and self._cut_by_stop:
            stop = "stop_sequence"
        return ReplyEnd(stop=stop, model=self._model, id=self._id)


def chat_usage(name: str, usage: Mapping[str, JSON]) -> Usage:
    """The counts, under whichever name a server gives them."""
    read = object_in(usage, "prompt_tokens_details")
    written = object_in(usage, "completion_tokens_details")
    cached = count_in(read, "cached_tokens") or count_in(usage, "prompt_cache_hit_tokens")
    counted = Usage(
        requests=1,
        input_tokens=count_in(usage, "prompt_tokens"),
        cached_tokens=cached,
        output_tokens=count_in(usage, "completion_tokens"),
        reasoning_tokens=count_in(written, "reasoning_tokens"),
    )
    told = usage.get("cost")
    if isinstance(told, int | float) and not isinstance(told, bool):
        return msgspec.structs.replace(counted, usd=float(told))
    put = count_in(read, "cache_write_tokens")
    return msgspec.structs.replace(counted, usd=price(name, counted, put))


def _words(delta: Mapping[str, JSON]) -> Iterator[ModelEvent]:
    """Thinking and words. Some servers send content as a list of pieces."""
    thought = text_in(delta, "reasoning_content") or text_in(delta, "reasoning")
    if thought:
        yield ThinkingDelta(thought)
    if text_in(delta, "content"):
        yield TextDelta(text_in(delta, "content"))
    for piece in objects_in(delta, "content"):
        if text_in(piece, "text"):
            yield TextDelta(text_in(piece, "text"))
        for thought in objects_in(piece, "thinking"):
            yield ThinkingDelta(text_in(thought, "text"))


def _joined(pieces: list[JSON]) -> JSON:
    """A field that came in pieces, as it would have come in one."""
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) == len(pieces):
        return "".join(texts)
    items: list[JSON] = []
    for piece in pieces:
        for item in piece if isinstance(piece, list) else [piece]:
            _join_item(items, item)
    return items


def _join_item(items: list[JSON], item: JSON) -> None:
    last = items[-1] if items else None
    same = (
        isinstance(item, dict)
        and isinstance(last, dict)
        and item.get("index") is not None
        and (item.get("index"), item.get("type")) == (last.get("index"), last.get("type"))
    )
    if not same or not isinstance(item, dict) or not isinstance(last, dict):
        items.append(dict(item) if isinstance(item, dict) else item)
        return
    for name, value in item.items():
        before = last.get(name)
        if name in ("text", "summary", "data") and isinstance(value, str):
            last[name] = f"{before or ''}{value}"
        elif value is not None:
            last[name] = value
