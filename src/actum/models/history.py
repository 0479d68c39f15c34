"""Pieces of the conversation as every protocol needs them."""

import base64
from collections.abc import Callable, Mapping

import msgspec

from actum.errors import ModelFailed
from actum.models.endpoints import Endpoint
from actum.models.json_fields import decoded
from actum.records.messages import Message, Opaque
from actum.records.values import JSON, BlobRef

LoadBlob = Callable[[BlobRef], bytes]


def no_blobs(blob: BlobRef) -> bytes:
    """For a model that was opened without a way to the record's blobs: it is told of pictures in words."""
    raise ModelFailed(
        "The request names a picture, and this model was not given a way to read it.",
        why=f"blob {blob.sha256[:12]}",
    )


UNSEEN = "[a picture that you cannot see here]"


def base64_text(content: bytes) -> str:
    """The bytes as text."""
    return base64.b64encode(content).decode("ascii")


def data_url(blob: BlobRef, load: LoadBlob) -> str:
    """A picture inside a URL."""
    return f"data:{blob.type};base64,{base64_text(load(blob))}"


def arguments_object(arguments: str) -> dict[str, JSON]:
    """The arguments of a call that is sent back. What was no object is sent as text inside one."""
    try:
        value = decoded(arguments or "{}")
    except ValueError:
        return {"unreadable": arguments}
    return value if isinstance(value, dict) else {"unreadable": arguments}


def arguments_text(arguments: str) -> str:
    """The same as text; an object stays as the model wrote it."""
    whole = arguments_object(arguments)
    if not arguments or whole == {"unreadable": arguments}:
        return msgspec.json.encode(whole).decode()
    return arguments


def own_blocks(message: Message, endpoint: Endpoint) -> list[dict[str, JSON]]:
    """The blocks of a message that this provider wrote and wants back."""
    return [
        part.block
        for part in message.parts
        if isinstance(part, Opaque)
        and part.provider == endpoint.provider.name
        and isinstance(part.block, dict)
    ]


def fits_strict(schema: Mapping[str, JSON]) -> bool:
    """Whether providers can hold a model to this schema: closed objects, every field required."""
    if any(word in schema for word in ("$ref", "$defs", "allOf", "oneOf", "patternProperties")):
        return False
    properties = schema.get("properties")
    is_object = schema.get("type") == "object" or isinstance(properties, dict)
    if is_object:
        names = set(properties) if isinstance(properties, dict) else set[str]()
        required = schema.get("required")
        named = set(required) if isinstance(required, list) else set[JSON]()
        if schema.get("additionalProperties") is not False or names != named:
            return False
    return all(fits_strict(inner) for inner in _inner(schema))


def _inner(schema: Mapping[str, JSON]) -> list[dict[str, JSON]]:
    found: list[JSON] = []
    properties = schema.get("properties")
    if isinstance(properties, dict):
        found.extend(properties.values())
    choices = schema.get("anyOf")
    if isinstance(choices, list):
        found.extend(choices)
    found.append(schema.get("items"))
    return [inner for inner in found if isinstance(inner, dict)]
