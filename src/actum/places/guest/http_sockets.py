"""What http.client and urllib3 take for a socket; urllib, requests and pandas stand on these two.

Phase 2. Each cure is applied when its module is imported.
"""

import io
import socket
from typing import Any

from actum.places.guest.http_calls import REQUESTS, Fail, os_error, seconds_of
from actum.places.guest.http_exchange import NO_PROXY, Exchange, NotHere

NO_CERTIFICATES = "no client certificates or pinning here: the host makes the TLS connection"
BUFFER = 65536


class MemorySocket(io.RawIOBase):
    """One end of a connection in memory.

    `eager`: ask the host when the request is complete, not at the first read.
    """

    def __init__(
        self, exchange: Exchange, timeout: float | None, fail: Fail, *, eager: bool
    ) -> None:
        self.exchange = exchange
        self._timeout = timeout
        self._fail = fail
        self._eager = eager
        self._late: TimeoutError | None = None

    def sendall(self, data: Any) -> None:
        """Take what the library writes."""
        self.exchange.feed(data)
        if not (self._eager and self.exchange.asks):
            return
        try:
            REQUESTS.attempt(self.exchange, self._timeout, self._fail)
        except TimeoutError as error:
            # A connection that fails, fails the sending; a server that is silent, the reading.
            if error.errno:
                raise
            self._late = error

    def makefile(self, mode: str = "rb", buffering: int | None = None) -> io.BufferedReader:
        """Open it for reading."""
        return io.BufferedReader(_Reader(self), BUFFER)

    def recv_into(self, buffer: Any) -> int:
        """Read what there is, asking the host where there is nothing yet."""
        exchange = self.exchange
        if self._late is not None:
            raise self._late
        while not exchange.has_answer and not exchange.ended:
            REQUESTS.attempt(exchange, self._timeout, self._fail)
        data = exchange.take(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def settimeout(self, timeout: float | None) -> None:
        """Keep the seconds between two bytes."""
        self._timeout = timeout

    def gettimeout(self) -> float | None:
        """Tell them."""
        return self._timeout

    def setsockopt(self, *options: object) -> None:
        """Take options; none means anything here."""

    def shutdown(self, how: int) -> None:
        """End the connection."""
        self.exchange.ended = True


class _Reader(io.RawIOBase):
    def __init__(self, memory: MemorySocket) -> None:
        self._memory = memory

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._memory.recv_into(buffer)


def cure_http_client(module: Any) -> None:
    """Connect in memory; what is patched stays the class that others have imported."""

    def connect(self: Any) -> None:
        if self._tunnel_host:
            raise NotHere(NO_PROXY)
        scheme = "https" if self.default_port == module.HTTPS_PORT else "http"
        timeout = seconds_of(self.timeout)
        exchange = Exchange(scheme, self.host, self.port, timeout)
        self.sock = MemorySocket(exchange, timeout, os_error, eager=True)

    module.HTTPConnection.connect = connect
    module.HTTPSConnection.connect = connect


def cure_urllib3(module: Any) -> None:
    """Connect in memory, for requests and all others that stand on urllib3."""

    def open_connection(self: Any, scheme: str = "http") -> MemorySocket:
        timeout = seconds_of(self.timeout)

        def fail(kind: str, message: str) -> Exception:
            return _urllib3_error(module, self, kind, message)

        if self.proxy or self._tunnel_host:
            raise NotHere(NO_PROXY)
        exchange = Exchange(scheme, self.host, self.port, timeout)
        return MemorySocket(exchange, timeout, fail, eager=False)

    def connect_by_tls(self: Any) -> None:
        if self.cert_file or self.assert_fingerprint:
            raise NotHere(NO_CERTIFICATES)
        self.sock = open_connection(self, "https")
        self.is_verified = True

    def is_connected(self: Any) -> bool:
        return self.sock is not None and not self.sock.exchange.ended

    module.HTTPConnection._new_conn = open_connection
    module.HTTPSConnection.connect = connect_by_tls
    module.HTTPConnection.is_connected = property(is_connected)


def _urllib3_error(module: Any, connection: Any, kind: str, message: str) -> Exception:
    """What urllib3 raises for this kind of failure."""
    if kind == "dns":
        cause = socket.gaierror(socket.EAI_NONAME, message)
        return module.NameResolutionError(connection.host, connection, cause)
    if kind == "connect":
        told = f"Failed to establish a new connection: {message}"
        return module.NewConnectionError(connection, told)
    if kind == "connect_timeout":
        timeout = seconds_of(connection.timeout)
        told = f"Connection to {connection.host} timed out. (connect timeout={timeout})"
        return module.ConnectTimeoutError(connection, told)
    return os_error(kind, message)
