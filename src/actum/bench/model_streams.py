"""A server on this machine that streams one long answer in each protocol."""

import json
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import msgspec

from actum.models.providers import Protocol
from actum.records.values import JSON

CHARACTERS = 100_000
PIECE = 24
LINE = "total += orders.get(i).amount  # and on it goes\n"


def answer_text() -> str:
    """What the model says: a long program."""
    return (LINE * (CHARACTERS // len(LINE) + 1))[:CHARACTERS]


def pieces() -> list[str]:
    """The same as it is streamed."""
    text = answer_text()
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


class Handler(BaseHTTPRequestHandler):
    """Streams the answer of its protocol, a write for each event."""

    protocol_version = "HTTP/1.1"
    events: ClassVar[list[bytes]] = []

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the library
        """Say nothing."""

    def do_POST(self) -> None:
        """Read the question, send the answer."""
        self.rfile.read(int(self.headers.get("content-length", "0")))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for event in self.events:
            self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")


@contextmanager
def streaming(protocol: Protocol) -> Generator[str, None, None]:
    """The address of a server that answers in this protocol, in a process of its own."""
    command = [sys.executable, "-m", "actum.bench.model_streams", protocol]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        if process.stdout is None:
            raise RuntimeError("the server has no output")
        port = process.stdout.readline().strip()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def serve(protocol: Protocol) -> None:
    """Answer until somebody ends the process. The port is the first line of the output."""
    handler = type("ItsHandler", (Handler,), {"events": list(_events(protocol))})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


def _events(protocol: Protocol) -> Iterator[bytes]:
    if protocol == "chat":
        documents = _chat()
    elif protocol == "messages":
        documents = _messages()
    else:
        documents = _responses()
    for document in documents:
        name = f"event: {document['type']}\n" if "type" in document else ""
        yield f"{name}data: {json.dumps(document)}\n\n".encode()
    if protocol == "chat":
        yield b"data: [DONE]\n\n"


def _chat() -> Iterator[dict[str, JSON]]:
    def chunk(delta: JSON, finish: str | None) -> dict[str, JSON]:
        choice: JSON = {"index": 0, "delta": delta, "finish_reason": finish}
        return {
            "id": "1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }

    for piece in pieces():
        yield chunk({"content": piece}, None)
    yield chunk({}, "stop")


def _messages() -> Iterator[dict[str, JSON]]:
    message: JSON = {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    yield {"type": "message_start", "message": message}
    empty: JSON = {"type": "text", "text": ""}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    for piece in pieces():
        delta: JSON = {"type": "text_delta", "text": piece}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    end: JSON = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _responses() -> Iterator[dict[str, JSON]]:
    where: dict[str, JSON] = {"item_id": "1", "output_index": 0, "content_index": 0, "logprobs": []}
    kind = "response.output_text.delta"
    for number, piece in enumerate(pieces()):
        yield {"type": kind, **where, "delta": piece, "sequence_number": number}
    response: JSON = {
        "id": "1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": [],
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
    }
    yield {"type": "response.completed", "response": response, "sequence_number": CHARACTERS}


if __name__ == "__main__":
    serve(msgspec.convert(sys.argv[1], Protocol))
