"""A real HTTP server that answers what a test tells it to, and remembers what it was asked."""

import json
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, cast

import msgspec

from actum.records.values import JSON

EVENT_STREAM = "text/event-stream; charset=utf-8"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: its head, the pieces of its body, and how it ends."""

    status: int = 200
    headers: Mapping[str, str] = {}
    pieces: tuple[bytes, ...] = ()
    content_type: str = EVENT_STREAM
    hang_up: bool = False
    """Close the connection in the middle of the body."""
    stall: bool = False
    """Say nothing more, and wait until the other side goes away."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, JSON]


class FakeProvider:
    """Gives its answers one after the other; the last one again and again."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[Asked] = []
        self.open = 0
        self.changed = threading.Condition()
        self.over = threading.Event()
        handler = type("ItsHandler", (Handler,), {"provider": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def next_answer(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def count(self, change: int) -> None:
        with self.changed:
            self.open += change
            self.changed.notify_all()

    def all_hung_up(self) -> bool:
        """Whether every connection has been closed by the other side, within a few seconds."""
        with self.changed:
            return self.changed.wait_for(lambda: self.open == 0, timeout=10)

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving(*answers: Answer) -> Generator[FakeProvider, None, None]:
    """A server for the length of a test."""
    provider = FakeProvider(*answers)
    try:
        yield provider
    finally:
        provider.close()


def event(document: Mapping[str, JSON], name: str = "") -> bytes:
    """One event of a stream."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(document, ensure_ascii=False)}\n\n".encode()


def error_answer(status: int, error: JSON, headers: Mapping[str, str] | None = None) -> Answer:
    """An answer that is an error."""
    body = json.dumps({"error": error}).encode()
    return Answer(
        status=status, headers=headers or {}, pieces=(body,), content_type="application/json"
    )


class Handler(BaseHTTPRequestHandler):
    """One connection to the fake."""

    protocol_version = "HTTP/1.1"
    provider: ClassVar[FakeProvider]

    def setup(self) -> None:
        self.provider.count(1)
        super().setup()

    def finish(self) -> None:
        try:
            super().finish()
        finally:
            self.provider.count(-1)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the library
        """Say nothing."""

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            # The other side went away, which some tests are about.
            self.close_connection = True

    def do_GET(self) -> None:
        models: JSON = {"object": "list", "data": [{"id": "fake-1", "object": "model"}]}
        self.reply(Answer(pieces=(json.dumps(models).encode(),), content_type="application/json"))

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        body = cast("dict[str, JSON]", json.loads(self.rfile.read(length)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.provider.asked.append(Asked(path=self.path, headers=headers, body=body))
        self.reply(self.provider.next_answer())

    def reply(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("content-type", answer.content_type)
        self.send_header("transfer-encoding", "chunked")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in answer.pieces:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.flush()
        if answer.hang_up or answer.stall:
            self.close_connection = True
        if answer.stall:
            self.wait_for_hang_up()
        elif not answer.hang_up:
            self.wfile.write(b"0\r\n\r\n")

    def wait_for_hang_up(self) -> None:
        """Say nothing until the other side hangs up, or the test is over."""
        self.connection.settimeout(0.02)
        while not self.provider.over.is_set():
            try:
                if not self.connection.recv(1):
                    return
            except TimeoutError:
                continue
