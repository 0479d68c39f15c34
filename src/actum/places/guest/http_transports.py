"""What aiohttp takes for a transport of asyncio.

Phase 2. The cure is applied when its module is imported.
"""

import asyncio
import sys
from typing import Any

from actum.places.guest.http_calls import REQUESTS, Fail, os_error
from actum.places.guest.http_exchange import NO_PROXY, Exchange, NotHere
from actum.places.guest.http_sockets import NO_CERTIFICATES

PIECE = 1 << 20


class MemoryTransport(asyncio.Transport):
    """A connection in memory that answers into the protocol of the library."""

    def __init__(self, exchange: Exchange, protocol: Any, fail: Fail) -> None:
        super().__init__()
        self._exchange = exchange
        # The library's protocol counts as false: it has a length.
        self._protocol: Any = protocol
        self._fail = fail
        self._task: asyncio.Task[None] | None = None
        self._flows = asyncio.Event()
        self._flows.set()

    def is_closing(self) -> bool:
        """Whether the connection is gone."""
        return self._exchange.ended

    def write(self, data: Any) -> None:
        """Take what the library writes; once a request is whole, ask the host."""
        try:
            self._exchange.feed(data)
        except NotHere as error:
            self._break(error)
            return
        if self._exchange.has_answer:
            self._protocol.data_received(self._exchange.take(PIECE))
        if self._exchange.asks:
            self._task = asyncio.ensure_future(self._ask())

    def close(self) -> None:
        """End the connection, and what is under way on it."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._lost()

    def abort(self) -> None:
        """End the connection."""
        self.close()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Tell nothing: there is no socket."""
        return default

    def get_write_buffer_size(self) -> int:
        """Tell that all is sent."""
        return 0

    def pause_reading(self) -> None:
        """Wait with what is still to be read."""
        self._flows.clear()

    def resume_reading(self) -> None:
        """Go on."""
        self._flows.set()

    async def _ask(self) -> None:
        exchange, protocol = self._exchange, self._protocol
        try:
            while exchange.is_open:
                await self._flows.wait()
                await REQUESTS.attempt_async(exchange, protocol.read_timeout, self._fail)
                while exchange.has_answer:
                    await self._flows.wait()
                    protocol.data_received(exchange.take(PIECE))
            if exchange.ended:
                self._lost()
        except Exception as error:
            self._break(error)

    def _break(self, error: Exception) -> None:
        protocol = self._protocol
        if protocol is None:
            return
        protocol.set_exception(error)
        if protocol._payload is not None:
            protocol._payload.set_exception(error)
        self._lost()

    def _lost(self) -> None:
        self._exchange.ended = True
        protocol, self._protocol = self._protocol, None
        if protocol is not None:
            # Whoever closes a session waits for this.
            asyncio.get_running_loop().call_soon(protocol.connection_lost, None)


def _failing(module: Any, key: Any) -> Fail:
    """The library's own exceptions."""
    top = sys.modules["aiohttp"]

    def fail(kind: str, message: str) -> Exception:
        cause = os_error(kind, message)
        match kind:
            case "dns":
                return module.ClientConnectorDNSError(key, cause)
            case "connect":
                return module.ClientConnectorError(key, cause)
            case "tls":
                return module.ClientConnectorCertificateError(key, cause)
            case "connect_timeout":
                return top.ConnectionTimeoutError(message)
            case "timeout":
                return top.SocketTimeoutError(message)
            case _:
                return top.ClientOSError(*cause.args)

    return fail


def cure_aiohttp(module: Any) -> None:
    """Connect in memory."""

    async def create_connection(self: Any, req: Any, traces: Any, timeout: Any) -> Any:
        if req.proxy:
            raise NotHere(NO_PROXY)
        if self._get_fingerprint(req):
            raise NotHere(NO_CERTIFICATES)
        scheme = "https" if req.is_ssl() else "http"
        seconds = timeout.sock_connect or timeout.connect
        protocol = self._factory()
        exchange = Exchange(scheme, req.url.raw_host, req.port, seconds)
        fail = _failing(module, req.connection_key)
        protocol.connection_made(MemoryTransport(exchange, protocol, fail))
        return protocol

    module.TCPConnector._create_connection = create_connection
