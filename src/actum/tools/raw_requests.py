"""Single requests through the egress guard, and what went wrong with them in one word each."""

import ssl
from collections.abc import AsyncGenerator, Mapping

import httpx2

from actum.tools.egress import Egress, EgressRefused
from actum.tools.guarded_transport import GuardedTransport
from actum.tools.open_answers import Broken, OpenAnswer, Part
from actum.tools.raw_messages import Piece, RawAnswer, RawRequest

PATIENCE = 1.0
"""Seconds after which an answer that is still coming is handed over in pieces."""
BETWEEN_EVENTS = 0.05
EVENTS = ("text/event-stream", "application/x-ndjson", "application/stream+json")
MOST_OPEN = 16


class RawRequests:
    """Sends requests as they are and brings back whole answers."""

    def __init__(self, egress: Egress, environ: Mapping[str, str]) -> None:
        self._transport = GuardedTransport(egress, environ)
        self._open: dict[str, OpenAnswer] = {}
        self._count = 0

    async def send(self, request: RawRequest) -> RawAnswer:
        """Make the request. Raises `EgressRefused`, whatever was in the way."""
        try:
            response = await self._transport.handle_async_request(_sent(request))
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            patience = BETWEEN_EVENTS if kind in EVENTS else PATIENCE
            answer = OpenAnswer(_bytes_of(response), patience)
            piece = await self._taken(answer, first=True)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _refused(error) from None
        reason = response.extensions.get("reason_phrase", b"")
        return RawAnswer(
            status=response.status_code,
            reason=reason.decode("latin-1") if isinstance(reason, bytes) else "",
            headers=[(n.decode("latin-1"), v.decode("latin-1")) for n, v in response.headers.raw],
            body=piece.body,
            more=piece.more,
            truncated=piece.truncated,
        )

    async def read(self, more: str) -> Piece:
        """More of an answer that is still coming. One that nobody knows is gone."""
        answer = self._open.pop(more, None)
        if answer is None:
            raise EgressRefused("closed", "the rest of this answer is gone")
        try:
            return await self._taken(answer)
        except httpx2.HTTPError as error:
            raise _refused(error) from None

    async def _taken(self, answer: OpenAnswer, *, first: bool = False) -> Piece:
        try:
            part = await answer.take(first=first)
        except Broken as broken:
            if isinstance(broken.error, httpx2.RemoteProtocolError | httpx2.ReadError):
                # The server went away in the middle: the library of the program finds that out.
                return Piece(body=broken.body, truncated=True)
            silent = isinstance(broken.error, httpx2.TimeoutException)
            if not silent or not (first or broken.body):
                raise broken.error from None
            # What came is for the program: it hears of the silence when it reads on.
            answer.put_back(broken.error)
            part = Part(body=broken.body, over=False)
        if part.over:
            return Piece(body=part.body)
        self._count += 1
        name = f"rest-{self._count}"
        self._open[name] = answer
        if len(self._open) > MOST_OPEN:
            await self._open.pop(next(iter(self._open))).close()
        return Piece(body=part.body, more=name)

    async def aclose(self) -> None:
        """Close every answer and every connection."""
        left, self._open = self._open, {}
        for answer in left.values():
            await answer.close()
        await self._transport.aclose()


def _sent(request: RawRequest) -> httpx2.Request:
    target = request.target
    timeouts = {
        "connect": request.connect_timeout,
        "read": request.timeout,
        "write": request.timeout,
        "pool": None,
    }
    return httpx2.Request(
        request.method,
        f"{target.scheme}://{target.authority}{target.path}",
        headers=[(n.encode("latin-1"), v.encode("latin-1")) for n, v in request.headers],
        stream=httpx2.ByteStream(request.body),
        extensions={"timeout": timeouts, "target": target.path.encode()},
    )


async def _bytes_of(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    stream = response.stream
    if not isinstance(stream, httpx2.AsyncByteStream):
        raise TypeError("an asynchronous transport answers with an asynchronous stream")
    try:
        async for piece in stream:
            yield piece
    finally:
        await stream.aclose()


def _refused(error: Exception) -> EgressRefused:
    kind = _kind_of(error)
    told = "timed out" if kind.endswith("timeout") else type(error).__name__
    return EgressRefused(kind, str(error) or told)


def _kind_of(error: Exception) -> str:
    match error:
        case httpx2.ConnectTimeout():
            return "connect_timeout"
        case httpx2.TimeoutException():
            return "timeout"
        case httpx2.ConnectError():
            return "tls" if _by_tls(error) else "connect"
        case httpx2.RemoteProtocolError() | httpx2.NetworkError():
            return "closed"
        case httpx2.ProxyError():
            return "connect"
        case _:
            return "arguments"


def _by_tls(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
