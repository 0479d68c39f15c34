"""A site on this machine: pages, forms, redirects, and answers that break off."""

import gzip
import json
import socket
import threading
import urllib.parse
import zlib
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

LINES = b"hello " * 1000
CSV = b"name,age\nAda,36\nAlan,41\n"
OF_THE_CONNECTION = ("connection", "content-length", "transfer-encoding", "host", "keep-alive")


class Page(BaseHTTPRequestHandler):
    """What it answers: the first part of the path says which page, the rest how."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    @property
    def site(self) -> "FakeSite":
        """Whose page it is."""
        if not isinstance(self.server, FakeSite):
            raise TypeError("these are the pages of a FakeSite")
        return self.server

    def handle_any(self) -> None:
        """Note the request, and answer it."""
        body = self.read_body()
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        name, _, rest = url.path.strip("/").partition("/")
        self.site.seen.append(f"{self.command} {self.path}")
        page = getattr(self, f"page_{name}", None)
        if page is None:
            self.reply(404, b"nothing here")
        else:
            page(rest, query, body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_any  # noqa: N815 -- as `http.server` wants them

    def page_echo(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """What was asked for, as JSON."""
        headers = [
            [name, value]
            for name, value in self.headers.items()
            if name.lower() not in OF_THE_CONNECTION
        ]
        told = {
            "method": self.command,
            "path": self.path,
            "length": len(body),
            "body": body[:40].decode("latin-1"),
            "headers": sorted(headers),
        }
        self.reply(200, json.dumps(told).encode(), [("Content-Type", "application/json")])

    def page_form(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """The body as it came."""
        self.reply(200, body, [("X-Type", self.headers.get("Content-Type", ""))])

    def page_status(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Any status."""
        self.reply(int(rest), f"status {rest}".encode())

    def page_bytes(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """So many bytes."""
        self.reply(200, b"x" * int(rest))

    def page_csv(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """A small table."""
        self.reply(200, CSV, [("Content-Type", "text/csv")])

    def page_gzip(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Packed."""
        self.reply(200, gzip.compress(LINES, mtime=0), [("Content-Encoding", "gzip")])

    def page_deflate(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Packed in the other way."""
        self.reply(200, zlib.compress(LINES), [("Content-Encoding", "deflate")])

    def page_chunked(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """In three chunks."""
        self.chunks((b"one", b"two", b"three"))

    def page_events(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Server-sent events."""
        self.chunks((f"data: {n}\n\n".encode() for n in range(4)), "text/event-stream")

    def page_old(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """An answer of HTTP/1.0, which ends with the connection."""
        self.protocol_version = "HTTP/1.0"
        self.reply(200, b"until the end", length=False)
        self.close_connection = True

    def page_redirect(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Somewhere else."""
        self.reply(int(query.get("code", "302")), b"", [("Location", query["to"])])

    def page_cookies(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Two cookies, and those that came."""
        came = "; ".join(sorted(self.headers.get("Cookie", "").split("; ")))
        given = [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=two; Path=/; HttpOnly")]
        self.reply(200, came.encode(), given)

    def page_login(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Basic authentication: u and pw."""
        if self.headers.get("Authorization") == "Basic dTpwdw==":
            self.reply(200, b"in")
        else:
            self.reply(401, b"no", [("WWW-Authenticate", 'Basic realm="r"')])

    def page_flaky(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Well at the third attempt."""
        times = self.site.seen.count(f"GET {self.path}")
        self.reply(200 if times > 2 else 503, b"%d" % times, [("Retry-After", "0")])

    def page_short(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Less than was announced."""
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"only this")
        self.close_connection = True

    def page_cut(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Chunks without an end."""
        self.chunks((b"one", b"two"), cut=True)

    def page_drop(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Nothing at all."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def page_hang(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """An answer that comes when nobody waits any more."""
        self.site.closing.wait(20)
        self.close_connection = True

    def page_endless(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Bytes until nobody takes them."""

        def pieces() -> Iterable[bytes]:
            while not self.site.closing.is_set():
                yield b"x" * 65536

        self.chunks(pieces())

    def page_ticks(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """Events without end."""

        def pieces() -> Iterable[bytes]:
            count = 0
            while not self.site.closing.wait(0.05):
                count += 1
                yield f"data: {count}\n\n".encode()

        self.chunks(pieces(), "text/event-stream")

    def page_slow(self, rest: str, query: dict[str, str], body: bytes) -> None:
        """A byte now and then, without end."""

        def pieces() -> Iterable[bytes]:
            while not self.site.closing.wait(0.05):
                yield b"x"

        self.chunks(pieces())

    def read_body(self) -> bytes:
        """What came with the request."""
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def reply(
        self,
        status: int,
        body: bytes,
        headers: Iterable[tuple[str, str]] = (),
        *,
        length: bool = True,
    ) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status not in {204, 304}:
            self.wfile.write(body)

    def chunks(
        self, pieces: Iterable[bytes], kind: str = "text/plain", *, cut: bool = False
    ) -> None:
        """An answer piece by piece."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()
        if cut:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")


class FakeSite(ThreadingHTTPServer):
    """Listens on a free port of this machine, from `with` to its end."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.seen: list[str] = []
        self.closing = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)

    @property
    def host(self) -> str:
        """As a user names it."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """Its first page."""
        return f"http://{self.host}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error here."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()
        self._thread.join()
