"""`http.request`: the one tool behind the HTTP libraries of a program, and `http.read` for the rest."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from actum.records.calls import ToolAnswer, ToolFailure, ToolRefusal
from actum.records.run_events import SourceRecord
from actum.records.tools import Effect, ToolSpec
from actum.records.values import mark
from actum.tools.egress import Caps, Egress, EgressRefused, LookUp
from actum.tools.hosts import BadUrl, Hosts, Target, read_url
from actum.tools.signature import Signature
from actum.tools.wanted_request import WantedRequest

if TYPE_CHECKING:
    from actum.tools.raw_requests import RawRequests

NAME = "http.request"
REST = "http.read"
RULE = "network"
_OF_THE_NETWORK = frozenset(("dns", "connect", "connect_timeout", "timeout", "tls", "closed"))


class Answer(TypedDict):
    """What a server answered, as it came: nothing is unpacked or followed."""

    status: int
    reason: str
    headers: list[list[str]]
    body: bytes


class Rest(TypedDict):
    """More of a body."""

    body: bytes


async def request(  # noqa: PLR0917 -- as programs call it
    method: str,
    url: str,
    headers: list[list[str]] | None = None,
    body: bytes = b"",
    timeout: float | None = None,
    connect_timeout: float | None = None,
) -> Answer:
    """Make one HTTP request. Redirects are not followed; `timeout` is between two bytes.

    url: the whole address, in ASCII
    headers: pairs of name and value
    """
    raise LookupError(
        f"{method} {url} goes to the guard: {headers}{body}{timeout}{connect_timeout}"
    )


async def read(more: str) -> Rest:
    """Take more of an answer that is still coming; `more` is its name."""
    raise LookupError(f"{more} goes to the guard")


class HttpRequests:
    """The source of both tools, for one run. It reaches the hosts that the user named, no others."""

    name = "network"

    def __init__(
        self,
        network: Sequence[str],
        environ: Mapping[str, str],
        *,
        caps: Caps | None = None,
        look_up: LookUp | None = None,
    ) -> None:
        self._hosts = Hosts(network)
        self._environ = environ
        self._egress = Egress(self._hosts, caps=caps, look_up=look_up)
        self._signatures = {f: Signature(f, g) for f, g in ((NAME, request), (REST, read))}
        self._requests: RawRequests | None = None

    def record(self) -> SourceRecord:
        """It is part of every run: its hosts stand in `run.start`."""
        return SourceRecord(kind="process", alias=self.name)

    async def tools(self) -> Sequence[ToolSpec]:
        """Both tools, as they are where nothing is known of the call."""
        return [self._spec(NAME, "write", ""), self._spec(REST, "read", "")]

    def check(
        self, tool: str, args: Sequence[object], kwargs: dict[str, object]
    ) -> dict[str, object]:
        """The arguments by name, each of its type."""
        arguments = self._signatures[tool].check(args, kwargs)
        if tool == NAME:
            WantedRequest(arguments)
        return arguments

    def spec_for(self, tool: str, arguments: dict[str, object]) -> ToolSpec:
        """GET and HEAD read; all else writes, and is allowed together by host and method."""
        if tool == REST:
            return self._spec(REST, "read", "")
        wanted = WantedRequest(arguments)
        try:
            where = read_url(wanted.url).authority
        except BadUrl:
            where = wanted.url
        return self._spec(NAME, "read" if wanted.reads else "write", f"{wanted.method} {where}")

    def refusal(self, tool: str, arguments: dict[str, object]) -> ToolRefusal | None:
        """A host that the user did not name is not reached, whatever the rules say."""
        if tool == REST:
            return None
        wanted = WantedRequest(arguments)
        try:
            target = read_url(wanted.url)
            other = wanted.other_host(target)
        except BadUrl as error:
            return ToolRefusal(message=f"{RULE}: {error}", rule=RULE)
        if not self._hosts.name(target.host, target.port):
            return _not_allowed(target)
        # A server may hold several hosts: the one that is asked for must be allowed as well.
        if other is not None and not any(
            self._hosts.name(other.host, port) for port in (other.port, target.port)
        ):
            return _not_allowed(other)
        return None

    async def call(
        self, tool: str, arguments: dict[str, object], key: str
    ) -> ToolAnswer | ToolFailure:
        """Make the request."""
        requests = self._open()
        try:
            if tool == REST:
                answer = await requests.read(str(arguments["more"]))
            else:
                answer = await requests.send(WantedRequest(arguments).request())
        except EgressRefused as refused:
            retryable = refused.kind in _OF_THE_NETWORK
            return ToolFailure(message=refused.message, status=refused.kind, retryable=retryable)
        except ValueError as error:
            return ToolFailure(message=str(error), status="arguments")
        return ToolAnswer(value=mark(answer.as_data()))

    async def close(self) -> None:
        """Close every connection."""
        transport, self._requests = self._requests, None
        if transport is not None:
            await transport.aclose()

    def _open(self) -> "RawRequests":
        if self._requests is None:
            from actum.tools.raw_requests import RawRequests

            self._requests = RawRequests(self._egress, self._environ)
        return self._requests

    def _spec(self, tool: str, effect: Effect, scope: str) -> ToolSpec:
        signature = self._signatures[tool]
        told = (request if tool == NAME else read).__doc__ or ""
        return ToolSpec(
            name=tool,
            effect=effect,
            idempotent=effect == "read",
            callable_from="code",
            source=self.name,
            description=told.partition("\n")[0],
            parameters=signature.parameters,
            returns=signature.returns_text(),
            input_schema=signature.input_schema(),
            scope=scope,
        )


def _not_allowed(target: Target) -> ToolRefusal:
    return ToolRefusal(
        message=f"{RULE}: host {target.written} is not allowed in this run",
        rule=RULE,
        hint=f"whoever starts the run can allow it: --net {target.written}",
    )
