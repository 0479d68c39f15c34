"""The best place of this machine: the one with a wall, and another where none can be raised."""

from collections.abc import Callable

from actum.errors import NoWall
from actum.places.contract import Capability, Place, Session
from actum.records.sessions import Environment, SessionSpec


class Best:
    """Chooses once, before the first session."""

    name = "auto"

    def __init__(self, first: Place, otherwise: Callable[[], Place]) -> None:
        self._place = first
        self._otherwise: Callable[[], Place] | None = otherwise

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Of the one that was chosen so far."""
        return self._place.capabilities

    async def environment(self) -> Environment:
        """What sessions run in."""
        otherwise, self._otherwise = self._otherwise, None
        if otherwise is not None:
            try:
                return await self._place.environment()
            except NoWall:
                await self._place.close()
                self._place = otherwise()
        return await self._place.environment()

    async def open(self, spec: SessionSpec) -> Session:
        """A fresh session."""
        await self.environment()
        return await self._place.open(spec)

    async def close(self) -> None:
        """End every session and whatever stands behind them."""
        await self._place.close()
