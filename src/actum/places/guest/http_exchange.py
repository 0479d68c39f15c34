"""The far end of a connection that lives in memory: request bytes in, answer bytes out.

A library writes HTTP/1.1 to it as it would to a server. It does no input or output itself.
Phase 2.
"""

from typing import Any

USUAL_PORTS = {"http": 80, "https": 443}
OF_THE_CONNECTION = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
"""Headers about one connection; the host has connections of its own."""
MADE_ANEW = OF_THE_CONNECTION | {"content-length", "expect"}
WITHOUT_BODY = (204, 304)
REQUEST = "http.request"
READ = "http.read"
NO_PROXY = "there is no proxy here: the host makes the request; leave out proxies and HTTPS_PROXY"


class NotHere(Exception):
    """What cannot be done without a socket."""


class Exchange:
    """One connection: any number of requests, one after another, each with its answer."""

    def __init__(
        self, scheme: str, host: str, port: int, connect_timeout: float | None = None
    ) -> None:
        self.scheme = scheme
        self._spellings = {host.lower()}
        # urllib sends a host with other letters as Latin-1 in its Host header.
        plain = host if host.isascii() else host.encode("idna").decode()
        self._host = f"[{plain}]" if ":" in plain else plain
        self._port = port
        self._connect_timeout = connect_timeout
        self._inbox = bytearray()
        self._out = bytearray()
        self._head: list[list[str]] | None = None
        self._length: int | None = 0
        """Bytes of the body; None where it comes in chunks."""
        self._body = bytearray()
        self._method = ""
        self._target = ""
        self._request: dict[str, Any] | None = None
        self._sent = ""
        self._more = ""
        self._in_chunks = False
        self._lacks_its_end = False
        self.ended = False

    @property
    def asks(self) -> bool:
        """Whether a whole request is here that nobody has taken."""
        return self._request is not None

    @property
    def is_open(self) -> bool:
        """Whether there is a call to make: for an answer, or for the rest of one."""
        return self.asks or bool(self._more)

    @property
    def has_answer(self) -> bool:
        """Whether there is something to read."""
        return bool(self._out)

    def feed(self, data: Any) -> None:
        """Take what the library writes."""
        self._inbox += data
        if self._head is None and not self._read_head():
            return
        if self._read_body():
            self._complete()

    def next_call(self, timeout: float | None) -> tuple[str, dict[str, Any]] | None:
        """The tool and its arguments. None: nothing will come any more."""
        request = self._request
        self._request = None
        if request is not None:
            self._sent = request["method"]
            limits = {"timeout": timeout, "connect_timeout": self._connect_timeout}
            return REQUEST, {**request, **limits}
        if self._more:
            return READ, {"more": self._more}
        self.ended = True
        return None

    def answer(self, result: dict[str, Any]) -> None:
        """Take what a call brought: the library reads it as bytes of a server."""
        body: bytes = result["body"]
        self._more = result.get("more", "")
        self._lacks_its_end = bool(result.get("truncated"))
        if "status" in result:
            self._begin_answer(result, body)
        if self._in_chunks:
            self._out += b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            if not self._more and not self._lacks_its_end:
                self._out += b"0\r\n\r\n"
        else:
            self._out += body

    def take(self, size: int) -> bytes:
        """The next bytes of the answer."""
        data = bytes(self._out[:size])
        del self._out[:size]
        if self._lacks_its_end and not self._out:
            # The server went away in the middle; the library finds that out itself.
            self.ended = True
        return data

    def _begin_answer(self, result: dict[str, Any], body: bytes) -> None:
        headers = [pair for pair in result["headers"] if pair[0].lower() not in OF_THE_CONNECTION]
        names = {name.lower() for name, _ in result["headers"]}
        bodyless = self._sent == "HEAD" or result["status"] in WITHOUT_BODY
        has_length = "content-length" in names
        unknown_length = bool(self._more) and not has_length
        self._in_chunks = not bodyless and ("transfer-encoding" in names or unknown_length)
        if self._in_chunks:
            headers = [pair for pair in headers if pair[0].lower() != "content-length"]
            headers.append(["Transfer-Encoding", "chunked"])
        elif not bodyless and not has_length:
            headers.append(["Content-Length", str(len(body))])
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        first = f"HTTP/1.1 {result['status']} {result['reason']}"
        self._out += f"{first}\r\n{lines}\r\n".encode("latin-1")

    def _read_head(self) -> bool:
        end = self._inbox.find(b"\r\n\r\n")
        if end < 0:
            return False
        # What is left of the answer before is not for this request.
        self._out.clear()
        self._more = ""
        first, *lines = bytes(self._inbox[:end]).decode("latin-1").split("\r\n")
        del self._inbox[: end + 4]
        self._method, self._target, _ = first.split(" ", 2)
        self._head = [
            [name, value.strip()] for name, _, value in (li.partition(":") for li in lines)
        ]
        fields = {name.lower(): value for name, value in self._head}
        if self._method == "CONNECT" or not self._target.startswith(("/", "*", "?")):
            raise NotHere(NO_PROXY)
        upgrade = fields.get("upgrade", "h2c").lower()
        if upgrade != "h2c":
            raise NotHere(f"no {upgrade} here: only plain HTTP requests can leave this program")
        in_chunks = "chunked" in fields.get("transfer-encoding", "").lower()
        self._length = None if in_chunks else int(fields.get("content-length") or 0)
        if fields.get("expect", "").lower() == "100-continue":
            self._out += b"HTTP/1.1 100 Continue\r\n\r\n"
        return True

    def _read_body(self) -> bool:
        """Whether the body is whole."""
        if self._length is not None:
            self._body += self._inbox
            self._inbox.clear()
            return len(self._body) >= self._length
        while (end := self._inbox.find(b"\r\n")) >= 0:
            size = int(self._inbox[:end].split(b";")[0], 16)
            if len(self._inbox) < end + 4 + size:
                return False
            self._body += self._inbox[end + 2 : end + 2 + size]
            del self._inbox[: end + 4 + size]
            if size == 0:
                return True
        return False

    def _complete(self) -> None:
        port = "" if self._port == USUAL_PORTS[self.scheme] else f":{self._port}"
        names = self._spellings | {self._host.lower()}
        usual = {name + tail for name in names for tail in ("", f":{self._port}")}
        self._request = {
            "method": self._method,
            "url": f"{self.scheme}://{self._host}{port}{self._target}",
            "headers": [
                [name, value]
                for name, value in self._head or ()
                if name.lower() not in MADE_ANEW
                # A Host that says nothing new stays here.
                and not (name.lower() == "host" and value.lower() in usual)
            ],
            "body": bytes(self._body),
        }
        self._head = None
        self._body.clear()
