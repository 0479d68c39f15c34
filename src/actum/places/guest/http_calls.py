"""A request on its way: one call of the tool `http.request`, and its failures in a library's words.

Phase 2.
"""

import errno
import socket
import ssl
from collections.abc import Callable
from typing import Any

from actum.places.guest.http_exchange import Exchange
from actum.places.guest.tool_calls import ToolCalls, ToolError, value_of

OF_THE_NETWORK = frozenset(("dns", "connect", "connect_timeout", "timeout", "tls", "closed"))
"""Failures that a library knows by itself. Any other, and a refusal, goes through it unchanged."""

Fail = Callable[[str, str], Exception]


class Requests:
    """Makes the calls of one session."""

    def __init__(self) -> None:
        self._calls: ToolCalls | None = None

    def begin(self, calls: ToolCalls) -> None:
        """A session begins: its calls go this way."""
        self._calls = calls

    def attempt(self, exchange: Exchange, timeout: float | None, fail: Fail) -> None:
        """Make the call and wait for it, also where an event loop runs in this thread."""
        wanted = exchange.next_call(timeout)
        if wanted is None:
            return
        tool, arguments = wanted
        assert self._calls is not None, "no session has begun"
        try:
            (result,) = self._calls.call_and_wait(tool, [((), arguments)])
            exchange.answer(value_of(tool, result))
        except ToolError as error:
            _fail(error, exchange, fail)

    async def attempt_async(self, exchange: Exchange, timeout: float | None, fail: Fail) -> None:
        """Make the call and let the event loop go on meanwhile."""
        wanted = exchange.next_call(timeout)
        if wanted is None:
            return
        tool, arguments = wanted
        assert self._calls is not None, "no session has begun"
        try:
            exchange.answer(await self._calls.call(tool, (), arguments))
        except ToolError as error:
            _fail(error, exchange, fail)


REQUESTS = Requests()


def os_error(kind: str, message: str) -> Exception:
    """The failure as the system would tell it."""
    match kind:
        case "dns":
            return socket.gaierror(socket.EAI_NONAME, message)
        case "connect":
            return ConnectionRefusedError(errno.ECONNREFUSED, message)
        case "connect_timeout":
            return TimeoutError(errno.ETIMEDOUT, message)
        case "timeout":
            return TimeoutError(message)
        case "tls":
            return ssl.SSLCertVerificationError(1, message)
        case _:
            return OSError(message)


def seconds_of(timeout: Any) -> float | None:
    """A timeout as libraries keep it."""
    if timeout is socket._GLOBAL_DEFAULT_TIMEOUT:
        return socket.getdefaulttimeout()
    return timeout


def _fail(error: ToolError, exchange: Exchange, fail: Fail) -> None:
    if error.status not in OF_THE_NETWORK:
        raise error
    if error.status == "closed":
        # The library itself finds that the server went away.
        exchange.ended = True
        return
    raise fail(error.status, error.message) from None
