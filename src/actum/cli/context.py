"""What the model saw, piece by piece with sizes: from the record alone."""

from collections.abc import Sequence

import msgspec

from actum.records.events import Event, ModelRequest, ModelResponse, RunStart
from actum.records.messages import Message
from actum.records.values import JSON

CHARACTERS_A_TOKEN = 4


def context_document(events: Sequence[Event]) -> dict[str, JSON]:
    """`{"requests": [{"step", "pieces": [{"name", "characters", "tokens"}]}]}`."""
    start = next((e.body for e in events if isinstance(e.body, RunStart)), RunStart())
    pieces: list[JSON] = []
    requests: list[JSON] = []
    for event in events:
        body = event.body
        if isinstance(body, ModelRequest):
            if "tools" in body.parameters:
                text = msgspec.json.encode(body.parameters["tools"]).decode()
                pieces.append(_piece("native tools", len(text)))
            for message in body.added:
                pieces.extend(_pieces(message, start, event.step))
            requests.append({"step": event.step, "pieces": list(pieces)})
        elif isinstance(body, ModelResponse):
            parts = msgspec.json.encode(body.reply.parts)
            pieces.append(_piece(f"reply {event.step}", len(body.reply.text) or len(parts)))
    return {"requests": requests}


def context_lines(events: Sequence[Event]) -> list[str]:
    """The same for people: the last request, by source."""
    requests = context_document(events)["requests"]
    if not isinstance(requests, list) or not requests:
        return ["this run asked no model"]
    lines: list[str] = []
    for request in requests:
        if not isinstance(request, dict) or not isinstance(request["pieces"], list):
            continue
        sizes = [piece for piece in request["pieces"] if isinstance(piece, dict)]
        total = sum(size for piece in sizes if isinstance(size := piece["characters"], int))
        about = total // CHARACTERS_A_TOKEN
        lines.append(f"request {request['step']}: {total:,} characters, about {about:,} tokens")
        if request is requests[-1]:
            lines.extend(f"  {piece['characters']:>8}  {piece['name']}" for piece in sizes)
    return lines


def _pieces(message: Message, start: RunStart, step: int | None) -> list[JSON]:
    size = len(message.text) or len(msgspec.json.encode(message.parts))
    if message.role != "system":
        name = "task" if step == 1 else f"observation {(step or 1) - 1}"
        return [_piece(name, size)]
    pieces: list[JSON] = []
    for name, text in (("tools", start.manifest), ("instructions", start.instructions)):
        if text and text in message.text:
            pieces.append(_piece(name, len(text)))
            size -= len(text)
    return [_piece("prompt", size), *pieces]


def _piece(name: str, characters: int) -> JSON:
    return {
        "name": name,
        "characters": characters,
        "tokens": -(-characters // CHARACTERS_A_TOKEN),
    }
