"""One request and its answer as they cross the network: nothing unpacked, nothing followed."""

import msgspec

from actum.tools.hosts import Target


class RawRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request with all of its headers."""

    method: str
    target: Target
    headers: list[tuple[str, str]]
    body: bytes = b""
    connect_timeout: float | None = None
    timeout: float | None = None
    """Seconds between two bytes."""


class RawAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, in the bytes of the server."""

    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes
    more: str = ""
    """The name of the rest, where the server still sends."""
    truncated: bool = False
    """The server went away in the middle."""

    def as_data(self) -> dict[str, object]:
        """As programs get it."""
        data: dict[str, object] = {
            "status": self.status,
            "reason": self.reason,
            "headers": [list(pair) for pair in self.headers],
            "body": self.body,
        }
        return data | _rest(self.more, truncated=self.truncated)


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """More of a body."""

    body: bytes
    more: str = ""
    truncated: bool = False

    def as_data(self) -> dict[str, object]:
        """As programs get it."""
        return {"body": self.body} | _rest(self.more, truncated=self.truncated)


def _rest(more: str, *, truncated: bool) -> dict[str, object]:
    rest: dict[str, object] = {"more": more} if more else {}
    return rest | {"truncated": True} if truncated else rest
