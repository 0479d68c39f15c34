"""The rest of the world: any model that pydantic-ai knows (Bedrock, Vertex and others). Extra `pydantic-ai`."""

import importlib
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from actum.errors import ModelFailed, NotSetUp
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
from actum.models.failures import ContextFull
from actum.models.history import UNSEEN, LoadBlob, arguments_text, no_blobs
from actum.models.tool_names import ToolNames
from actum.records.messages import (
    Image,
    Message,
    NativeCall,
    NativeResult,
    Opaque,
    Text,
    Usage,
)
from actum.records.values import JSON, BlobRef

STOPS: dict[str, StopReason] = {
    "stop": "end",
    "length": "length",
    "content_filter": "refusal",
    "tool_call": "calls",
}


class PydanticAI:
    """A model of pydantic-ai: its name as that library writes it, or one of its model objects."""

    def __init__(self, model: object, *, load_blob: LoadBlob = no_blobs) -> None:
        # The library is there only where the extra is, so what comes from it has no types here.
        self._direct = _module("pydantic_ai.direct")
        self._messages = _module("pydantic_ai.messages")
        self._models = _module("pydantic_ai.models")
        self._problems = _module("pydantic_ai.exceptions")
        self._model = model
        self._load_blob = load_blob
        known = model if isinstance(model, str) else getattr(model, "model_name", "model")
        self.name = f"pydantic-ai:{known}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask. Raises `ModelFailed` where there is no answer to be had."""
        names = ToolNames(request.tools)
        called = _called(request, names)
        history = [
            turn for message in request.messages for turn in self._turns(message, names, called)
        ]
        try:
            async with self._direct.model_request_stream(
                self._model,
                history,
                model_settings=_settings(request),
                model_request_parameters=self._parameters(request, names),
            ) as stream:
                async for event in stream:
                    for delta in _deltas(event):
                        yield delta
                answer = stream.get()
        except (self._problems.AgentRunError, self._problems.UserError) as error:
            raise self._failure(error) from None
        for event in self._ending(answer, names):
            yield event

    def _parameters(self, request: ModelRequest, names: ToolNames) -> Any:
        tool = _module("pydantic_ai.tools").ToolDefinition
        tools = [
            tool(
                name=names.there(given.name),
                description=given.description,
                parameters_json_schema=given.schema,
            )
            for given in request.tools
        ]
        if request.output_schema is None:
            return self._models.ModelRequestParameters(function_tools=tools)
        form = _module("pydantic_ai.output").OutputObjectDefinition
        return self._models.ModelRequestParameters(
            function_tools=tools,
            output_mode="native",
            output_object=form(json_schema=request.output_schema, name="answer"),
        )

    def _turns(self, message: Message, names: ToolNames, called: dict[str, str]) -> list[Any]:
        if message.role == "assistant":
            parts = [self._said(part, names) for part in message.parts]
            whole = [part for part in parts if part is not None]
            return [self._messages.ModelResponse(parts=whole)] if whole else []
        if message.role == "system":
            rules = self._messages.SystemPromptPart(content=message.text)
            return [self._messages.ModelRequest(parts=[rules])]
        results = [part for part in message.parts if isinstance(part, NativeResult)]
        parts = [self._result(result, called.get(result.id, "tool")) for result in results]
        content = self._content(message)
        if content:
            parts.append(self._messages.UserPromptPart(content=content))
        return [self._messages.ModelRequest(parts=parts)] if parts else []

    def _said(self, part: object, names: ToolNames) -> Any:
        if isinstance(part, Text):
            return self._messages.TextPart(content=part.text)
        if isinstance(part, NativeCall):
            return self._messages.ToolCallPart(
                tool_name=names.there(part.name),
                args=arguments_text(part.arguments),
                tool_call_id=part.id,
            )
        if isinstance(part, Opaque) and part.provider == "pydantic-ai":
            adapter = _module("pydantic").TypeAdapter(self._messages.ThinkingPart)
            return adapter.validate_python(part.block)
        return None

    def _result(self, result: NativeResult, name: str) -> Any:
        return self._messages.ToolReturnPart(
            tool_name=name,
            content=result.text,
            tool_call_id=result.id,
            outcome="failed" if result.failed else "success",
        )

    def _content(self, message: Message) -> list[Any]:
        content: list[Any] = []
        for part in message.parts:
            if isinstance(part, Text):
                content.append(part.text)
            blobs = part.images if isinstance(part, NativeResult) else ()
            blobs = (part.blob,) if isinstance(part, Image) else blobs
            content.extend(map(self._picture, blobs))
        return content

    def _picture(self, blob: BlobRef) -> Any:
        if self._load_blob is no_blobs:
            return UNSEEN
        return self._messages.BinaryContent(self._load_blob(blob), media_type=blob.type)

    def _ending(self, answer: Any, names: ToolNames) -> list[ModelEvent]:
        events: list[ModelEvent] = []
        calls = 0
        for part in answer.parts:
            if part.part_kind == "tool-call":
                calls += 1
                call = NativeCall(
                    id=str(part.tool_call_id),
                    name=names.back(str(part.tool_name)),
                    arguments=_as_written(part),
                )
                events.append(BlockDone(call))
            elif part.part_kind == "thinking":
                adapter = _module("pydantic").TypeAdapter(self._messages.ThinkingPart)
                block: JSON = adapter.dump_python(part, mode="json")
                events.append(BlockDone(Opaque(provider="pydantic-ai", block=block)))
        stop = STOPS.get(answer.finish_reason or "stop", "other")
        events.append(UsageSeen(_usage(answer.usage)))
        events.append(
            ReplyEnd(
                stop="calls" if calls and stop == "end" else stop,
                model=answer.model_name or "",
                id=answer.provider_response_id or "",
            )
        )
        return events

    def _failure(self, error: Exception) -> ModelFailed:
        full = isinstance(error, self._problems.ModelContextWindowExceededError)
        kind = ContextFull if full else ModelFailed
        return kind(f"{self.name} gave no answer.", why=str(error))


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise NotSetUp(
            "Models of pydantic-ai need its package.",
            why=str(error),
            hints=("pip install 'actum[pydantic-ai]'",),
        ) from None


def _as_written(part: Any) -> str:
    """The arguments of a call, as the model wrote them where that is known."""
    return part.args if isinstance(part.args, str) else str(part.args_as_json_str())


def _called(request: ModelRequest, names: ToolNames) -> dict[str, str]:
    """The name behind the id of each call so far."""
    return {
        part.id: names.there(part.name)
        for message in request.messages
        for part in message.parts
        if isinstance(part, NativeCall)
    }


def _settings(request: ModelRequest) -> dict[str, object]:
    given: dict[str, object] = {
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "stop_sequences": list(request.stop) or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _deltas(event: Any) -> list[ModelEvent]:
    """Words and thinking of one event: the beginning of a part, or more of it."""
    if event.event_kind == "part_start":
        kind, words = event.part.part_kind, getattr(event.part, "content", None)
    elif event.event_kind == "part_delta":
        kind, words = event.delta.part_delta_kind, getattr(event.delta, "content_delta", None)
    else:
        return []
    if not words:
        return []
    if kind == "text":
        return [TextDelta(str(words))]
    return [ThinkingDelta(str(words))] if kind == "thinking" else []


def _usage(usage: Any) -> Usage:
    return msgspec.convert(
        {
            "requests": 1,
            "input_tokens": usage.input_tokens,
            "cached_tokens": usage.cache_read_tokens,
            "output_tokens": usage.output_tokens,
            "reasoning_tokens": usage.output_reasoning_tokens,
        },
        Usage,
    )
