"""Single requests through the egress guard, and what went wrong with them in one word each."""

import ssl
from collections.abc import Mapping

import httpx2

from actum.tools.egress import Egress, EgressRefused
from actum.tools.guarded_transport import GuardedTransport
from actum.tools.raw_messages import RawAnswer, RawRequest


class RawRequests:
    """Sends requests as they are and brings back whole answers."""

    def __init__(self, egress: Egress, environ: Mapping[str, str]) -> None:
        self._transport = GuardedTransport(egress, environ)

    async def send(self, request: RawRequest) -> RawAnswer:
        """Make the request. Raises `EgressRefused`, whatever was in the way."""
        try:
            response = await self._transport.handle_async_request(_sent(request))
            return await _received(response)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            kind = _kind_of(error)
            told = "timed out" if kind.endswith("timeout") else type(error).__name__
            raise EgressRefused(kind, str(error) or told) from None

    async def aclose(self) -> None:
        """Close every connection."""
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


async def _received(response: httpx2.Response) -> RawAnswer:
    body = bytearray()
    truncated = False
    stream = response.stream
    if not isinstance(stream, httpx2.AsyncByteStream):
        raise TypeError("an asynchronous transport answers with an asynchronous stream")
    try:
        async for piece in stream:
            body += piece
    except (httpx2.RemoteProtocolError, httpx2.ReadError):
        # The server went away in the middle: the library of the program finds that out itself.
        truncated = True
    finally:
        await stream.aclose()
    reason = response.extensions.get("reason_phrase", b"")
    return RawAnswer(
        status=response.status_code,
        reason=reason.decode("latin-1") if isinstance(reason, bytes) else "",
        headers=[(n.decode("latin-1"), v.decode("latin-1")) for n, v in response.headers.raw],
        body=bytes(body),
        truncated=truncated,
    )


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
