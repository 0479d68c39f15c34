"""Chat completions: the protocol of OpenAI and of nearly everybody else."""

from actum.models.chat_answers import ChatDecoder
from actum.models.contract import ModelRequest, NativeTool
from actum.models.endpoints import Endpoint
from actum.models.history import (
    UNSEEN,
    LoadBlob,
    arguments_text,
    data_url,
    fits_strict,
    no_blobs,
    own_blocks,
)
from actum.models.json_fields import text_in
from actum.models.providers import Provider
from actum.models.tool_names import ToolNames
from actum.models.wire_model import WireModel
from actum.records.messages import Image, Message, NativeCall, NativeResult, Opaque, Part, Text
from actum.records.values import JSON, BlobRef


class OpenAIChat(WireModel):
    """A model behind chat completions."""

    path = "/chat/completions"

    def _body(self, request: ModelRequest) -> dict[str, JSON]:
        return chat_body(self._endpoint, request, self._load_blob)

    def _decoder(self, request: ModelRequest) -> ChatDecoder:
        return ChatDecoder(self._endpoint, request)


def chat_body(endpoint: Endpoint, request: ModelRequest, load: LoadBlob) -> dict[str, JSON]:
    """The request in this protocol's words. Its front stays equal from turn to turn."""
    provider = endpoint.provider
    names = ToolNames(request.tools)
    body: dict[str, JSON] = {"model": endpoint.model}
    if request.tools:
        body["tools"] = [_tool(tool, names) for tool in request.tools]
    messages: list[JSON] = []
    for message in request.messages:
        messages.extend(_message(message, endpoint, names, load))
    body["messages"] = messages
    body["stream"] = True
    if provider.stream_usage:
        body["stream_options"] = {"include_usage": True}
    most = request.max_tokens or provider.default_max_tokens
    if most is not None:
        body[provider.max_tokens_field] = most
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.stop:
        body["stop"] = list(request.stop[: provider.most_stops])
    if request.output_schema is not None and provider.schema != "none":
        body["response_format"] = _answer_form(request.output_schema, provider)
    return body


def _tool(tool: NativeTool, names: ToolNames) -> JSON:
    function: dict[str, JSON] = {
        "name": names.there(tool.name),
        "description": tool.description,
        "parameters": tool.schema,
    }
    return {"type": "function", "function": function}


def _answer_form(schema: dict[str, JSON], provider: Provider) -> JSON:
    if provider.schema == "json_object":
        return {"type": "json_object"}
    form: dict[str, JSON] = {"name": "answer", "schema": schema, "strict": fits_strict(schema)}
    return {"type": "json_schema", "json_schema": form}


def _message(
    message: Message, endpoint: Endpoint, names: ToolNames, load: LoadBlob
) -> list[dict[str, JSON]]:
    if message.role == "assistant":
        return [_assistant(message, endpoint, names)]
    if message.role == "system":
        return [{"role": "system", "content": message.text}]
    results = [part for part in message.parts if isinstance(part, NativeResult)]
    out: list[dict[str, JSON]] = [
        {"role": "tool", "tool_call_id": result.id, "content": result.text} for result in results
    ]
    # A tool message holds text only: the pictures of results follow in the user's name.
    pictures = [Image(blob) for result in results for blob in result.images]
    content = _content((*pictures, *message.parts), endpoint, load)
    if content:
        out.append({"role": "user", "content": content})
    return out


def _content(parts: tuple[Part, ...], endpoint: Endpoint, load: LoadBlob) -> JSON:
    pieces: list[JSON] = []
    for part in parts:
        if isinstance(part, Text):
            pieces.append({"type": "text", "text": part.text})
        elif isinstance(part, Image):
            pieces.append(_picture(part.blob, endpoint, load))
    if all(isinstance(part, Text | NativeResult | Opaque | NativeCall) for part in parts):
        # Words alone go as a plain text, which every server reads.
        return "".join(part.text for part in parts if isinstance(part, Text))
    return pieces


def _picture(blob: BlobRef, endpoint: Endpoint, load: LoadBlob) -> JSON:
    if not endpoint.provider.images or load is no_blobs:
        return {"type": "text", "text": UNSEEN}
    return {"type": "image_url", "image_url": {"url": data_url(blob, load)}}


def _assistant(message: Message, endpoint: Endpoint, names: ToolNames) -> dict[str, JSON]:
    out: dict[str, JSON] = {"role": "assistant", "content": message.text}
    extras: dict[str, JSON] = {}
    for block in own_blocks(message, endpoint):
        if "call" in block:
            extras[text_in(block, "call")] = block["extra_content"]
        else:
            out.update(block)
    calls = [part for part in message.parts if isinstance(part, NativeCall)]
    if calls:
        out["tool_calls"] = [_call(call, names, extras) for call in calls]
        out["content"] = message.text or None
    return out


def _call(call: NativeCall, names: ToolNames, extras: dict[str, JSON]) -> JSON:
    function: JSON = {
        "name": names.there(call.name),
        "arguments": arguments_text(call.arguments),
    }
    out: dict[str, JSON] = {"id": call.id, "type": "function", "function": function}
    if call.id in extras:
        out["extra_content"] = extras[call.id]
    return out
