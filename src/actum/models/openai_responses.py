"""Responses: the newer protocol of OpenAI. Nothing is stored there; all state travels with us."""

from actum.models.contract import ModelRequest, NativeTool
from actum.models.endpoints import Endpoint
from actum.models.history import (
    UNSEEN,
    LoadBlob,
    arguments_text,
    data_url,
    fits_strict,
    no_blobs,
)
from actum.models.responses_answers import ResponsesDecoder
from actum.models.tool_names import ToolNames
from actum.models.wire_model import WireModel
from actum.records.messages import Image, Message, NativeCall, NativeResult, Opaque, Text
from actum.records.values import JSON, BlobRef


class OpenAIResponses(WireModel):
    """A model behind the responses protocol. It knows no stop sequences."""

    path = "/responses"

    def _body(self, request: ModelRequest) -> dict[str, JSON]:
        return responses_body(self._endpoint, request, self._load_blob)

    def _decoder(self, request: ModelRequest) -> ResponsesDecoder:
        return ResponsesDecoder(self._endpoint, request)


def responses_body(endpoint: Endpoint, request: ModelRequest, load: LoadBlob) -> dict[str, JSON]:
    """The request in this protocol's words. Its front stays equal from turn to turn."""
    names = ToolNames(request.tools)
    body: dict[str, JSON] = {"model": endpoint.model}
    if request.tools:
        body["tools"] = [_tool(tool, names) for tool in request.tools]
    items: list[JSON] = []
    for message in request.messages:
        items.extend(_items(message, endpoint, names, load))
    body["input"] = items
    body["stream"] = True
    body["store"] = False
    # What the model thought comes back sealed, to be handed in again on the next turn.
    body["include"] = ["reasoning.encrypted_content"]
    if request.max_tokens is not None:
        body["max_output_tokens"] = request.max_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.output_schema is not None:
        body["text"] = {
            "format": {
                "type": "json_schema",
                "name": "answer",
                "schema": request.output_schema,
                "strict": fits_strict(request.output_schema),
            }
        }
    return body


def _tool(tool: NativeTool, names: ToolNames) -> JSON:
    return {
        "type": "function",
        "name": names.there(tool.name),
        "description": tool.description,
        "parameters": tool.schema,
        "strict": False,
    }


def _items(
    message: Message, endpoint: Endpoint, names: ToolNames, load: LoadBlob
) -> list[dict[str, JSON]]:
    if message.role == "assistant":
        return _assistant(message, endpoint, names)
    items: list[dict[str, JSON]] = [
        _result(part, load) for part in message.parts if isinstance(part, NativeResult)
    ]
    content: list[JSON] = []
    for part in message.parts:
        if isinstance(part, Text):
            content.append({"type": "input_text", "text": part.text})
        elif isinstance(part, Image):
            content.append(_picture(part.blob, load))
    if content:
        items.append({"type": "message", "role": message.role, "content": content})
    return items


def _result(result: NativeResult, load: LoadBlob) -> dict[str, JSON]:
    output: JSON = result.text
    if result.images:
        words: JSON = {"type": "input_text", "text": result.text}
        output = [words, *(_picture(blob, load) for blob in result.images)]
    return {"type": "function_call_output", "call_id": result.id, "output": output}


def _picture(blob: BlobRef, load: LoadBlob) -> JSON:
    if load is no_blobs:
        return {"type": "input_text", "text": UNSEEN}
    return {"type": "input_image", "detail": "auto", "image_url": data_url(blob, load)}


def _assistant(message: Message, endpoint: Endpoint, names: ToolNames) -> list[dict[str, JSON]]:
    items: list[dict[str, JSON]] = []
    phase: JSON = None
    for part in message.parts:
        if isinstance(part, Text):
            item: dict[str, JSON] = {"role": "assistant", "content": part.text}
            if phase is not None:
                item["phase"] = phase
            items.append(item)
            phase = None
        elif isinstance(part, NativeCall):
            items.append(
                {
                    "type": "function_call",
                    "call_id": part.id,
                    "name": names.there(part.name),
                    "arguments": arguments_text(part.arguments),
                }
            )
        elif isinstance(part, Opaque) and part.provider == endpoint.provider.name:
            if isinstance(part.block, dict) and part.block.get("type") == "phase":
                phase = part.block["phase"]
            elif isinstance(part.block, dict):
                items.append(part.block)
    return items
