"""Hosts and addresses: as a user names them, and as a URL spells them."""

import ipaddress
import re
import socket
from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec

from actum.errors import UserMistake

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
USUAL_PORTS = {"http": 80, "https": 443}
_PLAIN = re.compile(r"[!-\[\]-~]+")
"""What a URL is written in: ASCII without spaces, control characters and the backslash."""
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")


class BadUrl(ValueError):
    """A URL that is not fetched, in a sentence."""


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where a request goes."""

    scheme: str
    host: str
    """A name, or an address in its one usual spelling."""
    port: int
    path: str
    """With its query: what stands in the first line of the request."""

    @property
    def written(self) -> str:
        """The host as a user would name it."""
        return written(self.host, self.port)

    @property
    def authority(self) -> str:
        """The host as a URL has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == USUAL_PORTS[self.scheme] else f"{host}:{self.port}"


class Hosts:
    """The hosts that a user named. HOST is ports 80 and 443; HOST:PORT is that port."""

    def __init__(self, written_as: Iterable[str] = ()) -> None:
        self.written = tuple(dict.fromkeys(text.strip() for text in written_as))
        self._named = {pair for text in self.written for pair in _pairs(text)}

    def name(self, host: str, port: int) -> bool:
        """Whether the user named this host, at this port."""
        return (host, port) in self._named


def read_url(url: str) -> Target:
    """The parts of a URL. Raises `BadUrl` where it is none, or could be read in two ways."""
    if not _PLAIN.fullmatch(url):
        raise BadUrl("a URL is written in ASCII, without spaces and backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadUrl(f"this URL cannot be read: {error}") from None
    if parts.scheme not in USUAL_PORTS:
        raise BadUrl(f"only http and https can be fetched, not {parts.scheme or 'a bare name'}:")
    if port == 0 or not parts.hostname:
        raise BadUrl("this URL names no host" if port != 0 else "there is no port 0")
    path = parts.path or "/"
    return Target(
        scheme=parts.scheme,
        host=one_spelling(parts.hostname),
        port=USUAL_PORTS[parts.scheme] if port is None else port,
        path=f"{path}?{parts.query}" if parts.query else path,
    )


def one_spelling(host: str) -> str:
    """A host as it is compared. Raises `BadUrl` where it hides what it is."""
    plain = host.lower().rstrip(".")
    address = address_of(plain)
    if address is not None:
        return str(address)
    try:
        hidden = socket.inet_ntoa(socket.inet_aton(plain))
    except OSError:
        hidden = None
    if hidden is not None:
        raise BadUrl(f"{host} is the address {hidden} in disguise")
    if not _NAME.fullmatch(plain):
        raise BadUrl(f"{host!r} is no name of a host")
    return plain


def address_of(host: str) -> Address | None:
    """The address, where the host is written as one."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return None if getattr(address, "scope_id", None) else address


def is_this_machine(host: str) -> bool:
    """Whether a host can only be this machine, by name or by number."""
    address = address_of(host)
    if address is not None:
        return address.is_loopback
    return host == "localhost" or host.endswith(".localhost")


def is_public(address: Address) -> bool:
    """Whether an address, and every other one that is packed into it, is of the open network."""
    if not address.is_global or address.is_multicast:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return True
    teredo = address.teredo or ()
    packed = [address.ipv4_mapped, address.sixtofour, *teredo, _translated(address)]
    return all(is_public(inner) for inner in packed if inner is not None)


def written(host: str, port: int) -> str:
    """`HOST` where the port is a usual one, else `HOST:PORT`."""
    if port in USUAL_PORTS.values():
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _translated(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The address behind one of NAT64, which `ipaddress` does not know."""
    if address in ipaddress.IPv6Network("64:ff9b::/96"):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _pairs(text: str) -> list[tuple[str, int]]:
    """The hosts and ports that a user's words stand for."""
    host, port = text, ""
    if address_of(text) is None:
        match = re.fullmatch(r"\[(.+)\](?::(\d+))?|([^:]+)(?::(\d+))?", text)
        if match is None:
            raise _no_host(text)
        host, port = match[1] or match[3], match[2] or match[4] or ""
    try:
        name = one_spelling(host.encode("idna").decode() if not host.isascii() else host)
    except (BadUrl, UnicodeError):
        raise _no_host(text) from None
    if port and not 0 < int(port) < 65536:
        raise _no_host(text)
    return [(name, int(port))] if port else [(name, p) for p in USUAL_PORTS.values()]


def _no_host(text: str) -> UserMistake:
    near = text.partition("//")[2].partition("/")[0]
    return UserMistake(
        f"{text!r} names no host",
        hints=(f"give the host alone: {near or 'api.example.com'}, or HOST:PORT",),
    )
