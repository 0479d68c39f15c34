"""The arguments of `http.request`, by what they mean. A program may have put anything there."""

import math
import re

import msgspec

from actum.errors import BadArguments
from actum.tools.hosts import BadUrl, Target, read_url
from actum.tools.raw_messages import RawRequest

READING = ("GET", "HEAD")
OVERRIDES = frozenset(("x-http-method-override", "x-http-method", "x-method-override"))
"""By these a request asks to be taken for one of another method."""
OURS = frozenset(
    (
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
"""Headers about one connection: the host has connections of its own."""
WITH_A_LENGTH = ("POST", "PUT", "PATCH")
_METHOD = re.compile(r"[A-Z][A-Z-]{0,30}")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t -~\x80-\xff]*")
_HOST = re.compile(r"[0-9A-Za-z_.:\[\]-]+")


class WantedRequest:
    """One request that a program wants. Raises `BadArguments` where it could not be sent."""

    def __init__(self, arguments: dict[str, object]) -> None:
        self.method = str(arguments["method"]).upper()
        self.url = str(arguments["url"])
        if not _METHOD.fullmatch(self.method):
            raise _bad("method", f"{self.method!r} is no method of HTTP")
        self._headers = _headers(arguments.get("headers") or [])
        body = arguments.get("body")
        self._body = body if isinstance(body, bytes) else b""
        self._connect_timeout = _seconds(arguments, "connect_timeout")
        self._timeout = _seconds(arguments, "timeout")

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        disguised = any(name.lower() in OVERRIDES for name, _ in self._headers)
        return self.method in READING and not disguised

    def other_host(self, target: Target) -> Target | None:
        """The host that the request itself asks for, where it names one. Raises `BadUrl`."""
        named = [value for name, value in self._headers if name.lower() == "host"]
        if not named:
            return None
        if len(named) > 1 or not _HOST.fullmatch(named[0]):
            raise BadUrl("the Host header names one host, and nothing else")
        return read_url(f"{target.scheme}://{named[0]}/")

    def request(self) -> RawRequest:
        """As it is sent."""
        target = read_url(self.url)
        headers = [pair for pair in self._headers if pair[0].lower() not in OURS]
        if self.other_host(target) is None:
            headers.insert(0, ("Host", target.authority))
        if self._body or self.method in WITH_A_LENGTH:
            headers.append(("Content-Length", str(len(self._body))))
        return RawRequest(
            method=self.method,
            target=target,
            headers=headers,
            body=self._body,
            connect_timeout=self._connect_timeout,
            timeout=self._timeout,
        )


def _headers(given: object) -> list[tuple[str, str]]:
    try:
        headers = msgspec.convert(given, list[tuple[str, str]])
    except msgspec.ValidationError:
        raise _bad("headers", "each is a pair of name and value") from None
    for name, value in headers:
        if not (_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(value)):
            raise _bad("headers", f"{name!r} cannot be sent as a header")
    return headers


def _seconds(arguments: dict[str, object], name: str) -> float | None:
    value = arguments.get(name)
    if not isinstance(value, int | float):
        return None
    if not (math.isfinite(value) and value >= 0):
        raise _bad(name, "seconds are a number from 0 on")
    return float(value)


def _bad(name: str, why: str) -> BadArguments:
    return BadArguments(f"http.request: {name}: {why}")
