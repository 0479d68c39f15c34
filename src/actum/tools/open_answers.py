"""Answers that are still coming: read in the background, handed over in pieces."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

import msgspec

MOST_WAITING = 8
"""Pieces that are read ahead."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What has come of a body."""

    body: bytes
    over: bool


class Broken(Exception):
    """A body ended before its end. `body` is what came, `error` why."""

    def __init__(self, body: bytes, error: Exception) -> None:
        super().__init__(str(error))
        self.body = body
        self.error = error


class OpenAnswer:
    """One body. `patience` is how many seconds are waited for more of it, once some is there."""

    def __init__(self, body: AsyncGenerator[bytes, None], patience: float) -> None:
        self._patience = patience
        self._come: asyncio.Queue[bytes | Exception | None] = asyncio.Queue(MOST_WAITING)
        self._task = asyncio.create_task(self._read(body))

    async def take(self, *, first: bool = False) -> Part:
        """Collect until the end or until patience is over. Raises `Broken`.

        The first part may be empty; any other is waited for.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + self._patience if first else None
        body = bytearray()
        while True:
            try:
                async with asyncio.timeout_at(end):
                    come = await self._come.get()
            except TimeoutError:
                return Part(body=bytes(body), over=False)
            if come is None:
                return Part(body=bytes(body), over=True)
            if isinstance(come, Exception):
                raise Broken(bytes(body), come)
            body += come
            end = end if end is not None else loop.time() + self._patience

    def put_back(self, error: Exception) -> None:
        """Let the next `take` meet what broke this one."""
        self._come.put_nowait(error)

    async def close(self) -> None:
        """Read no further."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _read(self, body: AsyncGenerator[bytes, None]) -> None:
        try:
            async with contextlib.aclosing(body):
                async for piece in body:
                    await self._come.put(piece)
        except Exception as error:  # noqa: BLE001 -- it belongs to whoever takes
            await self._come.put(error)
        else:
            await self._come.put(None)
