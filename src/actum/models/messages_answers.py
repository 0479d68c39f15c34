"""What comes back from the messages protocol."""

from collections.abc import Iterator, Mapping

import msgspec

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
from actum.models.history import arguments_object
from actum.models.json_fields import count_in, object_in, objects_in, text_in
from actum.models.prices import price
from actum.models.tool_names import ToolNames
from actum.records.messages import NativeCall, Opaque, Usage
from actum.records.values import JSON

ANSWER_TOOL = "answer"
"""The tool whose input is the answer, where the answer must keep a schema."""

STOPS: dict[str, StopReason] = {
    "end_turn": "end",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "stop_sequence": "stop_sequence",
    "tool_use": "calls",
    "refusal": "refusal",
}


class MessagesDecoder:
    """Reads one answer. The end mark is `message_stop`."""

    def __init__(self, endpoint: Endpoint, request: ModelRequest) -> None:
        self.done = False
        self._endpoint = endpoint
        self._names = ToolNames(request.tools)
        self._answer_tool = request.output_schema is not None
        self._before = len(request.messages)
        self._blocks: dict[int, dict[str, JSON]] = {}
        self._inputs: dict[int, list[str]] = {}
        self._ids: set[str] = set()
        self._counts: dict[str, JSON] = {}
        self._stop = ""
        self._model = ""
        self._id = ""

    def take(self, document: dict[str, JSON]) -> Iterator[ModelEvent]:
        """One event, or one whole message."""
        kind = text_in(document, "type")
        if kind == "content_block_delta":
            yield from self._delta(count_in(document, "index"), object_in(document, "delta"))
        elif kind == "content_block_start":
            yield from self._begin(
                count_in(document, "index"), object_in(document, "content_block")
            )
        elif kind == "content_block_stop":
            yield from self._close(count_in(document, "index"))
        elif kind == "message_start":
            message = object_in(document, "message")
            self._model, self._id = text_in(message, "model"), text_in(message, "id")
            yield from self._count(object_in(message, "usage"))
        elif kind == "message_delta":
            self._stop = text_in(object_in(document, "delta"), "stop_reason") or self._stop
            yield from self._count(object_in(document, "usage"))
        elif kind == "message_stop":
            self.done = True
        elif kind == "message":
            yield from self._whole(document)

    def finish(self) -> Iterator[ModelEvent]:
        """The end, where it has come."""
        if not self.done:
            return
        stop = STOPS.get(self._stop, "other")
        if stop == "calls" and not self._ids:
            # The only call was the answer itself.
            stop = "end"
        yield ReplyEnd(stop=stop, model=self._model, id=self._id)

    def _whole(self, message: dict[str, JSON]) -> Iterator[ModelEvent]:
        """An answer in one piece."""
        self._model, self._id = text_in(message, "model"), text_in(message, "id")
        for index, block in enumerate(objects_in(message, "content")):
            yield from self._begin(index, block)
            yield from self._close(index)
        self._stop = text_in(message, "stop_reason")
        yield from self._count(object_in(message, "usage"))
        self.done = True

    def _begin(self, index: int, block: dict[str, JSON]) -> Iterator[ModelEvent]:
        self._blocks[index] = dict(block)
        self._inputs[index] = []
        if block.get("type") == "text" and text_in(block, "text"):
            yield TextDelta(text_in(block, "text"))

    def _delta(self, index: int, delta: Mapping[str, JSON]) -> Iterator[ModelEvent]:
        block = self._blocks.setdefault(index, {"type": "text"})
        kind = text_in(delta, "type")
        if kind == "text_delta":
            yield TextDelta(text_in(delta, "text"))
        elif kind == "thinking_delta":
            block["thinking"] = text_in(block, "thinking") + text_in(delta, "thinking")
            yield ThinkingDelta(text_in(delta, "thinking"))
        elif kind == "signature_delta":
            block["signature"] = text_in(block, "signature") + text_in(delta, "signature")
        elif kind == "input_json_delta":
            piece = text_in(delta, "partial_json")
            if self._is_answer(block):
                yield TextDelta(piece)
            else:
                self._inputs.setdefault(index, []).append(piece)

    def _close(self, index: int) -> Iterator[ModelEvent]:
        block = self._blocks.pop(index, {})
        kind = text_in(block, "type")
        if kind in ("", "text") or self._is_answer(block):
            return
        pieces = "".join(self._inputs.pop(index, []))
        if kind == "tool_use":
            yield BlockDone(self._call(block, pieces))
            return
        if pieces:
            block["input"] = arguments_object(pieces)
        yield BlockDone(Opaque(provider=self._endpoint.provider.name, block=block))

    def _call(self, block: Mapping[str, JSON], pieces: str) -> NativeCall:
        call_id = text_in(block, "id")
        if not call_id or call_id in self._ids:
            call_id = f"c{self._before % 10_000:04d}{len(self._ids) % 10_000:04d}"
        self._ids.add(call_id)
        arguments = pieces or msgspec.json.encode(object_in(block, "input")).decode()
        name = self._names.back(text_in(block, "name"))
        return NativeCall(id=call_id, name=name, arguments=arguments)

    def _is_answer(self, block: Mapping[str, JSON]) -> bool:
        return (
            self._answer_tool
            and block.get("type") == "tool_use"
            and block.get("name") == ANSWER_TOOL
        )

    def _count(self, counts: Mapping[str, JSON]) -> Iterator[ModelEvent]:
        """Later counts replace earlier ones: they are sums."""
        if not counts:
            return
        self._counts.update({name: value for name, value in counts.items() if value is not None})
        put = count_in(self._counts, "cache_creation_input_tokens")
        cached = count_in(self._counts, "cache_read_input_tokens")
        details = object_in(self._counts, "output_tokens_details")
        usage = Usage(
            requests=1,
            input_tokens=count_in(self._counts, "input_tokens") + put + cached,
            cached_tokens=cached,
            output_tokens=count_in(self._counts, "output_tokens"),
            reasoning_tokens=count_in(details, "thinking_tokens"),
        )
        usd = price(self._endpoint.name, usage, put)
        yield UsageSeen(msgspec.structs.replace(usage, usd=usd))
