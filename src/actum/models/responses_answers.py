"""What comes back from the responses protocol."""

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
from actum.models.failures import failure_of, refusal_of
from actum.models.json_fields import count_in, object_in, objects_in, text_in
from actum.models.prices import price
from actum.models.tool_names import ToolNames
from actum.records.messages import NativeCall, Opaque, Usage
from actum.records.values import JSON

WORDS = ("response.output_text.delta", "response.refusal.delta")
THOUGHTS = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
ENDS = ("response.completed", "response.incomplete")


class ResponsesDecoder:
    """Reads one answer. The end mark is the whole response, completed or not."""

    def __init__(self, endpoint: Endpoint, request: ModelRequest) -> None:
        self.done = False
        self._endpoint = endpoint
        self._names = ToolNames(request.tools)
        self._before = len(request.messages)
        self._ids: set[str] = set()
        self._seen: set[int] = set()
        self._said = False
        self._refused = False
        self._response: dict[str, JSON] = {}

    def take(self, document: dict[str, JSON]) -> Iterator[ModelEvent]:
        """One event, or one whole response."""
        kind = text_in(document, "type")
        if kind in WORDS:
            self._refused = self._refused or kind == "response.refusal.delta"
            self._said = True
            yield TextDelta(text_in(document, "delta"))
        elif kind in THOUGHTS:
            yield ThinkingDelta(text_in(document, "delta"))
        elif kind == "response.output_item.added":
            yield from self._phase(object_in(document, "item"))
        elif kind == "response.output_item.done":
            self._seen.add(count_in(document, "output_index"))
            yield from self._item(object_in(document, "item"))
        elif kind in ENDS:
            yield from self._end(object_in(document, "response"))
        elif kind == "response.failed":
            raise self._failure(object_in(document, "response"))
        elif text_in(document, "object") == "response":
            yield from self._end(document)

    def finish(self) -> Iterator[ModelEvent]:
        """The end, where it has come."""
        if self.done:
            response = self._response
            yield ReplyEnd(
                stop=self._stop(), model=text_in(response, "model"), id=text_in(response, "id")
            )

    def _phase(self, item: Mapping[str, JSON]) -> Iterator[ModelEvent]:
        """Whether the words to come are a remark or the answer: wanted back beside them."""
        phase = text_in(item, "phase")
        if item.get("type") == "message" and phase:
            block: JSON = {"type": "phase", "phase": phase}
            yield BlockDone(Opaque(provider=self._endpoint.provider.name, block=block))

    def _item(self, item: dict[str, JSON]) -> Iterator[ModelEvent]:
        kind = text_in(item, "type")
        if kind == "function_call":
            yield BlockDone(self._call(item))
        elif kind != "message":
            yield BlockDone(Opaque(provider=self._endpoint.provider.name, block=item))

    def _call(self, item: Mapping[str, JSON]) -> NativeCall:
        call_id = text_in(item, "call_id")
        if not call_id or call_id in self._ids:
            call_id = f"c{self._before % 10_000:04d}{len(self._ids) % 10_000:04d}"
        self._ids.add(call_id)
        name = self._names.back(text_in(item, "name"))
        return NativeCall(id=call_id, name=name, arguments=text_in(item, "arguments"))

    def _end(self, response: dict[str, JSON]) -> Iterator[ModelEvent]:
        if text_in(response, "status") == "failed":
            raise self._failure(response)
        for index, item in enumerate(objects_in(response, "output")):
            if index in self._seen:
                continue
            # Not every server sends each item by itself before the whole.
            if item.get("type") == "message" and not self._said:
                for piece in objects_in(item, "content"):
                    yield TextDelta(text_in(piece, "text") or text_in(piece, "refusal"))
            yield from self._item(item)
        self.done = True
        self._response = response
        yield UsageSeen(responses_usage(self._endpoint.name, object_in(response, "usage")))

    def _stop(self) -> StopReason:
        if self._refused:
            return "refusal"
        reason = text_in(object_in(self._response, "incomplete_details"), "reason")
        if reason == "content_filter":
            return "refusal"
        if reason == "max_output_tokens":
            return "length"
        if reason:
            return "other"
        return "calls" if self._ids else "end"

    def _failure(self, response: Mapping[str, JSON]) -> Exception:
        return failure_of(self._endpoint, refusal_of(response), now=0.0)


def responses_usage(name: str, usage: Mapping[str, JSON]) -> Usage:
    """The counts, and what they cost."""
    read = object_in(usage, "input_tokens_details")
    counted = Usage(
        requests=1,
        input_tokens=count_in(usage, "input_tokens"),
        cached_tokens=count_in(read, "cached_tokens"),
        output_tokens=count_in(usage, "output_tokens"),
        reasoning_tokens=count_in(object_in(usage, "output_tokens_details"), "reasoning_tokens"),
    )
    put = count_in(read, "cache_write_tokens")
    return msgspec.structs.replace(counted, usd=price(name, counted, put))
