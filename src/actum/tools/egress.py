"""What may leave this machine by HTTP: the one rule for every request that actum makes.

Hosts that the user named are reached as written. Any other must be a name, and only where the
guard is opened for names; whatever a name stands for must be an address of the open network.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from actum.tools.hosts import Address, Hosts, Target, address_of, is_public, is_this_machine

LookUp = Callable[[str, int], Awaitable[Sequence[Address]]]


class Caps(msgspec.Struct, frozen=True, kw_only=True):
    """How much one answer may be, and how long one request may take."""

    size: int = 32 << 20
    seconds: float = 45.0
    """Below the time of a program, so that it can still say what happened."""


class EgressRefused(Exception):
    """A request that does not leave, or an answer that is not waited for. `kind` is one word."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


class Egress:
    """Decides where a request may go, and at which addresses that is."""

    def __init__(
        self,
        named: Hosts,
        *,
        others: bool = False,
        caps: Caps | None = None,
        look_up: LookUp | None = None,
    ) -> None:
        """`others`: names of the open network may be reached too, though the user named none."""
        self.caps = caps or Caps()
        self._named = named
        self._others = others
        self._look_up = look_up or _look_up

    def check(self, target: Target) -> None:
        """Raise `EgressRefused` where a request may not go there, before anything is looked up."""
        if self._named.name(target.host, target.port):
            return
        if not self._others:
            raise EgressRefused(
                "refused", f"{target.written} was not named: --net {target.written}"
            )
        if address_of(target.host) is not None or is_this_machine(target.host):
            raise EgressRefused(
                "refused",
                f"{target.host} is an address, not a name of the open network; "
                f"name it to allow it: --net {target.written}",
            )

    async def addresses(self, target: Target) -> Sequence[Address]:
        """Where to connect: these and no others. One that is not allowed spoils them all."""
        literal = address_of(target.host)
        if literal is not None:
            return [literal]
        try:
            found = await self._look_up(target.host, target.port)
        except (OSError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise EgressRefused("dns", f"{target.host} cannot be found: {why}") from None
        for address in found:
            self._check_address(target, address)
        return found

    def _check_address(self, target: Target, address: Address) -> None:
        if is_public(address) or self._named.name(str(address), target.port):
            return
        if address.is_loopback and is_this_machine(target.host):
            return
        raise EgressRefused(
            "refused",
            f"{target.host} stands for {address}, which is no address of the open network; "
            "where that is meant, name the address as well",
        )


async def _look_up(host: str, port: int) -> Sequence[Address]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [address_of(str(where[0])) for *_, where in found]
    return list(dict.fromkeys(address for address in addresses if address is not None))
