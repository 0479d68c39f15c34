"""What httpcore takes for a stream of the network; httpx and the clients of models stand on it.

Phase 2. Each cure is applied when its module is imported. `httpcore2` is of the same shape.
"""

import sys
from typing import Any, Self

from actum.places.guest.http_calls import REQUESTS, Fail
from actum.places.guest.http_exchange import Exchange

NAMES = {
    "connect_timeout": "ConnectTimeout",
    "timeout": "ReadTimeout",
    "dns": "ConnectError",
    "connect": "ConnectError",
    "tls": "ConnectError",
}


def _failing(module: Any) -> Fail:
    """The library's own exceptions."""
    errors = sys.modules[f"{module.__name__.partition('.')[0]}._exceptions"]

    def fail(kind: str, message: str) -> Exception:
        return getattr(errors, NAMES.get(kind, "ReadError"))(message)

    return fail


class _MemoryStream:
    """What a blocking stream and an awaitable one have in common."""

    def __init__(self, exchange: Exchange, fail: Fail) -> None:
        self._exchange = exchange
        self._fail = fail

    def get_extra_info(self, info: str) -> Any:
        """Tell whether the connection is gone; nothing else is known of it."""
        return self._exchange.ended if info == "is_readable" else None

    @property
    def _must_ask(self) -> bool:
        return not self._exchange.has_answer and not self._exchange.ended


class BlockingStream(_MemoryStream):
    """A connection in memory, for code that waits."""

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Take what the library writes."""
        self._exchange.feed(buffer)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what there is, asking the host where there is nothing yet."""
        while self._must_ask:
            REQUESTS.attempt(self._exchange, timeout, self._fail)
        return self._exchange.take(max_bytes)

    def close(self) -> None:
        """End the connection."""
        self._exchange.ended = True

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> Self:
        """Note it: the host makes the TLS connection."""
        self._exchange.scheme = "https"
        return self


class AwaitableStream(_MemoryStream):
    """A connection in memory, for code that awaits."""

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Take what the library writes."""
        self._exchange.feed(buffer)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what there is, asking the host where there is nothing yet."""
        while self._must_ask:
            await REQUESTS.attempt_async(self._exchange, timeout, self._fail)
        return self._exchange.take(max_bytes)

    async def aclose(self) -> None:
        """End the connection."""
        self._exchange.ended = True

    async def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> Self:
        """Note it: the host makes the TLS connection."""
        self._exchange.scheme = "https"
        return self


def cure_httpcore(module: Any) -> None:
    """Connect in memory, for code that waits."""
    fail = _failing(module)

    def connect_tcp(
        self: Any, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> Any:
        return BlockingStream(Exchange("http", host, port, timeout), fail)

    module.SyncBackend.connect_tcp = connect_tcp


def cure_httpcore_async(module: Any) -> None:
    """Connect in memory, for code that awaits."""
    fail = _failing(module)

    async def connect_tcp(
        self: Any, host: str, port: int, timeout: float | None = None, **options: Any
    ) -> Any:
        return AwaitableStream(Exchange("http", host, port, timeout), fail)

    module.AutoBackend.connect_tcp = connect_tcp
