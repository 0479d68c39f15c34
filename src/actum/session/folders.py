"""The folders that a session is shown, as its record knows them."""

from collections.abc import Sequence
from typing import Protocol

from actum.records.sessions import Mount


class Folders(Protocol):
    """Says what a fresh session is shown, and writes down what programs open there."""

    async def mounts(self, *, fresh: bool) -> Sequence[Mount]:
        """What the next session is shown.

        `fresh`: no program has run that this session must repeat, so it may see what is there now.
        """
        ...

    def look(self, step: int) -> None:
        """Write down what was opened so far. Raises `NotKept` where that is not in the record."""
        ...

    async def settle(self, step: int) -> None:
        """As `look`, after everything that was opened until now has been read."""
        ...


class NoFolders:
    """For a run that is shown none."""

    async def mounts(self, *, fresh: bool) -> Sequence[Mount]:
        """None."""
        del fresh
        return ()

    def look(self, step: int) -> None:
        """Nothing can be opened."""

    async def settle(self, step: int) -> None:
        """As above."""
