"""One connection pool to one provider. Errors of the network come out as `TryAgain`."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from actum.errors import ModelFailed
from actum.models.endpoints import Endpoint, is_here
from actum.models.retries import TryAgain

if TYPE_CHECKING:
    import httpx2

CHUNK = 64 * 1024
# After its end mark a stream is read to its last byte, so that the connection can be used again.
GRACE = 0.2
MOST_ERROR_BYTES = 64 * 1024


class TimeOuts(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds that the provider may take."""

    connect: float = 10.0
    idle: float = 300.0
    """Without a byte, before the answer or in the middle of it."""
    total: float = 1200.0
    """For one request with all its attempts."""


class Deadline:
    """When the whole request must be over, and the next byte be here."""

    def __init__(self, time_outs: TimeOuts) -> None:
        self._idle = time_outs.idle
        self._total = time_outs.total
        self._end = time.monotonic() + time_outs.total
        self.answered = False

    def answer_is_whole(self) -> None:
        """Nothing more is needed: a server that goes on is not waited for."""
        if not self.answered:
            self.answered = True
            self._end = min(self._end, time.monotonic() + GRACE)

    def left(self) -> float:
        """Seconds until the end."""
        return self._end - time.monotonic()

    def next_byte(self) -> float:
        """Seconds until the next byte must be here."""
        return max(min(self._idle, self.left()), 0.0)

    def failure(self, name: str) -> ModelFailed:
        """What to say when time was up."""
        if self.left() <= 0:
            why = f"the whole request may take {self._total:g} seconds"
        else:
            why = f"nothing came for {self._idle:g} seconds"
        return ModelFailed(f"{name} took too long to answer.", why=why)


class Response:
    """An answer whose head is here and whose body is still to come."""

    def __init__(self, response: "httpx2.Response", deadline: Deadline, name: str) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self._response = response
        self._deadline = deadline
        self._name = name

    @property
    def content_type(self) -> str:
        """Without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body as it arrives."""
        import httpx2

        size = CHUNK if self.status >= 300 else None
        pieces = self._response.aiter_bytes(size)
        async with aclosing(pieces):
            while True:
                try:
                    # The limit is around the wait alone, never around what the reader does then.
                    async with asyncio.timeout(self._deadline.next_byte()):
                        chunk = await anext(pieces, None)
                except (TimeoutError, httpx2.HTTPError) as error:
                    if self._deadline.answered:
                        return
                    raise TryAgain(self._broken(error)) from None
                if chunk is None:
                    return
                yield chunk

    async def start(self) -> bytes:
        """As much of the body as an explanation needs."""
        body = bytearray()
        try:
            async for chunk in self.chunks():
                body += chunk
                if len(body) >= MOST_ERROR_BYTES:
                    break
        except TryAgain:
            # The status has been read and says enough.
            return bytes(body)
        return bytes(body)

    def _broken(self, error: Exception) -> ModelFailed:
        if isinstance(error, TimeoutError):
            return self._deadline.failure(self._name)
        return ModelFailed(
            f"The connection to {self._name} broke in the middle of the answer.",
            why=str(error) or type(error).__name__,
        )


class HttpClient:
    """Keeps connections open between requests, one pool an event loop."""

    def __init__(self, endpoint: Endpoint, time_outs: TimeOuts) -> None:
        self._endpoint = endpoint
        self._time_outs = time_outs
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._in_flight = 0

    @asynccontextmanager
    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline: Deadline
    ) -> AsyncGenerator[Response, None]:
        """Send, and close the connection if the reader leaves before the end."""
        self._in_flight += 1
        try:
            async with self._sent(url, headers, body, deadline) as response:
                yield response
        finally:
            self._in_flight -= 1

    @asynccontextmanager
    async def _sent(
        self, url: str, headers: Mapping[str, str], body: bytes, deadline: Deadline
    ) -> AsyncGenerator[Response, None]:
        import httpx2

        name = self._endpoint.name
        try:
            client = self._open()
            request = client.build_request("POST", url, headers=dict(headers), content=body)
            async with asyncio.timeout(deadline.next_byte()):
                response = await client.send(request, stream=True)
        except TimeoutError:
            raise TryAgain(deadline.failure(name)) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise self._unreachable(error) from None
        try:
            yield Response(response, deadline, name)
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        """Close what is open, once nobody is in the middle of an answer."""
        if self._in_flight:
            # Another run uses this model too, and closes it when it ends.
            return
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    def _open(self) -> "httpx2.AsyncClient":
        import httpx2

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            # Connections belong to the loop that made them: a new loop begins anew.
            self._client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(None, connect=self._time_outs.connect),
                limits=httpx2.Limits(keepalive_expiry=60),
                follow_redirects=False,
                # Proxies and certificates of the environment; no proxy can reach this machine.
                trust_env=not is_here(self._endpoint.base_url),
            )
            self._loop = loop
        return self._client

    def _unreachable(self, error: Exception) -> Exception:
        import httpx2

        hints = ("is the server running?",) if self._endpoint.provider.local else ()
        failure = ModelFailed(
            f"{self._endpoint.name} cannot be reached.",
            where=self._endpoint.base_url,
            why=self._endpoint.masked(str(error) or type(error).__name__),
            hints=hints,
        )
        return TryAgain(failure) if isinstance(error, httpx2.TransportError) else failure
