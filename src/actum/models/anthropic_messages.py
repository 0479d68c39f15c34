"""Messages: the protocol of Anthropic."""

from actum.models.contract import ModelRequest
from actum.models.endpoints import ApiKey, Endpoint
from actum.models.history import (
    UNSEEN,
    LoadBlob,
    arguments_object,
    base64_text,
    fits_strict,
    no_blobs,
    own_blocks,
)
from actum.models.messages_answers import ANSWER_TOOL, MessagesDecoder
from actum.models.tool_names import ToolNames
from actum.models.wire_model import WireModel
from actum.records.messages import Image, Message, NativeCall, NativeResult, Opaque, Part, Text
from actum.records.values import JSON, BlobRef

MARK: dict[str, JSON] = {"type": "ephemeral"}
"""Everything up to a block with this mark is kept in the provider's cache."""

MOST_TOKENS = 16_000


class AnthropicMessages(WireModel):
    """A model behind the messages protocol."""

    path = "/v1/messages"

    def _headers(self, key: ApiKey) -> dict[str, str]:
        return {"x-api-key": key.reveal()}

    def _body(self, request: ModelRequest) -> dict[str, JSON]:
        return messages_body(self._endpoint, request, self._load_blob)

    def _decoder(self, request: ModelRequest) -> MessagesDecoder:
        return MessagesDecoder(self._endpoint, request)


def messages_body(endpoint: Endpoint, request: ModelRequest, load: LoadBlob) -> dict[str, JSON]:
    """The request in this protocol's words. Its front stays equal from turn to turn."""
    names = ToolNames(request.tools)
    body: dict[str, JSON] = {"model": endpoint.model}
    tools: list[dict[str, JSON]] = [
        {
            "name": names.there(tool.name),
            "description": tool.description,
            "input_schema": tool.schema,
        }
        for tool in request.tools
    ]
    rules, spoken = _split(request.messages)
    if rules:
        rules[-1]["cache_control"] = MARK
        body["system"] = list[JSON](rules)
    elif tools:
        tools[-1]["cache_control"] = MARK
    _demand(body, tools, request.output_schema)
    if tools:
        body["tools"] = list[JSON](tools)
    body["messages"] = _turns(spoken, endpoint, names, load)
    body["max_tokens"] = request.max_tokens or endpoint.provider.default_max_tokens or MOST_TOKENS
    body["stream"] = True
    if request.temperature is not None:
        body["temperature"] = request.temperature
    # A stop of blanks alone is refused there.
    stops: list[JSON] = [stop for stop in request.stop if stop.strip()]
    if stops:
        body["stop_sequences"] = stops
    return body


def _split(
    messages: tuple[Message, ...],
) -> tuple[list[dict[str, JSON]], tuple[Message, ...]]:
    """The rules in front, and what is said after them."""
    rules: list[dict[str, JSON]] = []
    for index, message in enumerate(messages):
        if message.role != "system":
            return rules, messages[index:]
        rules.extend(_words(message))
    return rules, ()


def _demand(
    body: dict[str, JSON], tools: list[dict[str, JSON]], schema: dict[str, JSON] | None
) -> None:
    """Hold the answer to a schema: natively where it can be, else as the input of one tool."""
    if schema is None:
        return
    if fits_strict(schema):
        body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return
    tools.append(
        {"name": ANSWER_TOOL, "description": "Give the whole answer.", "input_schema": schema}
    )
    body["tool_choice"] = {"type": "tool", "name": ANSWER_TOOL}


def _turns(
    messages: tuple[Message, ...], endpoint: Endpoint, names: ToolNames, load: LoadBlob
) -> list[JSON]:
    turns: list[tuple[str, list[dict[str, JSON]]]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        answer = role == "assistant"
        blocks = _assistant(message, endpoint, names) if answer else _user(message, load)
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        elif blocks:
            turns.append((role, blocks))
    if turns and turns[-1][0] == "user":
        # The next turn begins with all of this one: keep it up to here.
        turns[-1][1][-1]["cache_control"] = MARK
    return [{"role": role, "content": list[JSON](blocks)} for role, blocks in turns]


def _words(message: Message) -> list[dict[str, JSON]]:
    return [_text(part) for part in message.parts if isinstance(part, Text) and part.text.strip()]


def _text(part: Text) -> dict[str, JSON]:
    return {"type": "text", "text": part.text}


def _user(message: Message, load: LoadBlob) -> list[dict[str, JSON]]:
    results = [part for part in message.parts if isinstance(part, NativeResult)]
    blocks = [_result(result, load) for result in results]
    for part in message.parts:
        if isinstance(part, Text) and part.text.strip():
            blocks.append(_text(part))
        elif isinstance(part, Image):
            blocks.append(_picture(part.blob, load))
    return blocks


def _result(result: NativeResult, load: LoadBlob) -> dict[str, JSON]:
    content: list[JSON] = [_text(Text(result.text))] if result.text.strip() else []
    content.extend(_picture(blob, load) for blob in result.images)
    block: dict[str, JSON] = {"type": "tool_result", "tool_use_id": result.id}
    if content:
        block["content"] = content
    # This protocol takes no picture with an error.
    if result.failed and not result.images:
        block["is_error"] = True
    return block


def _picture(blob: BlobRef, load: LoadBlob) -> dict[str, JSON]:
    if load is no_blobs:
        return _text(Text(UNSEEN))
    source: JSON = {"type": "base64", "media_type": blob.type, "data": base64_text(load(blob))}
    return {"type": "image", "source": source}


def _assistant(message: Message, endpoint: Endpoint, names: ToolNames) -> list[dict[str, JSON]]:
    own = own_blocks(message, endpoint)
    blocks = [_block(part, own, names) for part in message.parts]
    return [block for block in blocks if block is not None]


def _block(part: Part, own: list[dict[str, JSON]], names: ToolNames) -> dict[str, JSON] | None:
    if isinstance(part, Text):
        return _text(part) if part.text.strip() else None
    if isinstance(part, NativeCall):
        return {
            "type": "tool_use",
            "id": part.id,
            "name": names.there(part.name),
            "input": arguments_object(part.arguments),
        }
    if isinstance(part, Opaque):
        # Unchanged, and a copy of its own: a mark on the last block must not get into the record.
        return next((dict(block) for block in own if block is part.block), None)
    return None
