"""The transport of httpx2 behind the egress guard. Imported where a request is made, not before."""

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import TypeVar

import httpx2

from actum.tools.egress import Caps, Egress, EgressRefused
from actum.tools.hosts import BadUrl, Target, address_of, is_this_machine, read_url

T = TypeVar("T")

MOST_KEPT = 32
"""Hosts whose connections are kept for the next request."""


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends requests where the guard lets them go, to the addresses that it looked at."""

    def __init__(self, egress: Egress, environ: Mapping[str, str]) -> None:
        self._egress = egress
        self._proxies = Proxies(environ)
        self._tls: ssl.SSLContext | None = None
        self._kept: dict[tuple[str, ...], httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it. Raises `EgressRefused`, and what httpx2 raises."""
        try:
            target = read_url(str(request.url))
        except BadUrl as error:
            raise EgressRefused("refused", str(error)) from None
        self._egress.check(target)
        allowance = _Allowance(self._egress.caps)
        response = await allowance.in_time(self._send(request, target))
        stream = response.stream
        if not isinstance(stream, httpx2.AsyncByteStream):
            raise TypeError("an asynchronous transport answers with an asynchronous stream")
        length = response.headers.get("content-length", "")
        if length.isdigit() and int(length) > self._egress.caps.size and request.method != "HEAD":
            await stream.aclose()
            allowance.take(int(length))
        response.stream = _CappedStream(stream, allowance)
        return response

    async def aclose(self) -> None:
        """Close every connection."""
        kept, self._kept = self._kept, {}
        for transport in kept.values():
            await transport.aclose()

    async def _send(self, request: httpx2.Request, target: Target) -> httpx2.Response:
        proxy = self._proxies.of(target)
        if proxy is not None:
            # Names are looked up by the proxy: what they stand for is its to decide.
            transport = self._transport("proxy", proxy, target)
            return await transport.handle_async_request(_aimed(request, target, target.host))
        problem: Exception | None = None
        for address in await self._egress.addresses(target):
            transport = self._transport("direct", str(address), target)
            try:
                return await transport.handle_async_request(_aimed(request, target, str(address)))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                problem = error
        raise problem or EgressRefused("dns", f"{target.host} has no address")

    def _transport(self, kind: str, by: str, target: Target) -> httpx2.AsyncHTTPTransport:
        # Apart for each host: a connection that was checked for one is not used for another.
        key = (kind, by, target.scheme, target.host, str(target.port))
        transport = self._kept.pop(key, None)
        if transport is None:
            if self._tls is None:
                self._tls = httpx2.create_ssl_context()
            proxy = by if kind == "proxy" else None
            transport = httpx2.AsyncHTTPTransport(verify=self._tls, proxy=proxy, trust_env=False)
        if len(self._kept) < MOST_KEPT:
            self._kept[key] = transport
        return transport


class Proxies:
    """`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either spelling."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        words = {
            name: environ.get(f"{name}_proxy") or environ.get(f"{name.upper()}_PROXY") or ""
            for name in ("http", "https", "all", "no")
        }
        self._without = [one.strip().lower() for one in words.pop("no").split(",") if one.strip()]
        self._by_scheme = words

    def of(self, target: Target) -> str | None:
        """The proxy of this request, if any. None can reach this machine."""
        proxy = self._by_scheme[target.scheme] or self._by_scheme["all"]
        if not proxy or is_this_machine(target.host):
            return None
        if any(_is_of(target.host, one) for one in self._without):
            return None
        return proxy if "://" in proxy else f"http://{proxy}"


def _is_of(host: str, entry: str) -> bool:
    """Whether an entry of `NO_PROXY` means this host: a name, the end of one, addresses, or all."""
    if entry in {"*", host}:
        return True
    literal = address_of(host)
    if literal is None:
        return host.endswith(f".{entry.lstrip('*.')}")
    try:
        return literal in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return False


class _Allowance:
    """What is left of one request: until when it must be over, how much may still come."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._end = asyncio.get_running_loop().time() + caps.seconds
        self._left = caps.size

    async def in_time(self, work: Awaitable[T]) -> T:
        """Wait no longer than the end."""
        try:
            async with asyncio.timeout_at(self._end):
                return await work
        except TimeoutError:
            told = f"the answer took longer than {self._caps.seconds:g} seconds"
            raise EgressRefused("too_slow", told) from None

    def take(self, size: int) -> None:
        """Count what has come, or is announced."""
        self._left -= size
        if self._left < 0:
            told = f"the answer is larger than {self._caps.size:,} bytes"
            raise EgressRefused("too_large", told)


class _CappedStream(httpx2.AsyncByteStream):
    """A body that ends where the allowance does."""

    def __init__(self, stream: httpx2.AsyncByteStream, allowance: _Allowance) -> None:
        self._stream = stream
        self._allowance = allowance

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = aiter(self._stream)
        while (piece := await self._allowance.in_time(anext(pieces, None))) is not None:
            self._allowance.take(len(piece))
            yield piece

    async def aclose(self) -> None:
        """Let go of the connection."""
        await self._stream.aclose()


def _aimed(request: httpx2.Request, target: Target, host: str) -> httpx2.Request:
    """The same request, sent to this host or address; its Host and its certificate stay."""
    literal = f"[{host}]" if ":" in host else host
    extensions = {"target": request.url.raw_path, **request.extensions}
    if address_of(target.host) is None:
        extensions["sni_hostname"] = target.host
    return httpx2.Request(
        request.method,
        f"{target.scheme}://{literal}:{target.port}{target.path}",
        headers=request.headers,
        stream=request.stream,
        extensions=extensions,
    )
