"""A host that first looks at which files the program has opened, whatever the program wants."""

from actum.places.contract import Host
from actum.records.calls import ToolCall
from actum.records.sessions import Delivery, ModuleText, OutputChunk, Waiting
from actum.records.values import BlobRef
from actum.session.folders import Folders


class WatchingHost:
    """Keeps `Host`, by the host behind it. Nothing made from a file gets past it unseen."""

    def __init__(self, host: Host, folders: Folders, step: int) -> None:
        self._host = host
        self._folders = folders
        self._step = step

    @property
    def thought(self) -> float:
        """Seconds that people have taken."""
        return self._host.thought

    def submit(self, call: ToolCall) -> None:
        """Take a call."""
        self._folders.look(self._step)
        self._host.submit(call)

    async def next(self, waiting: Waiting) -> Delivery:
        """What happens next, when all that was opened is written down."""
        await self._folders.settle(self._step)
        return await self._host.next(waiting)

    async def module(self, name: str) -> ModuleText:
        """The text of a tool module."""
        self._folders.look(self._step)
        return await self._host.module(name)

    def output(self, chunk: OutputChunk) -> None:
        """Take what the program wrote."""
        self._folders.look(self._step)
        self._host.output(chunk)

    def keep(self, content: bytes, content_type: str) -> BlobRef:
        """Take bytes that the program made."""
        self._folders.look(self._step)
        return self._host.keep(content, content_type)
