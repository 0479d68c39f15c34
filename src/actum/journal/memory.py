"""A run that is kept nowhere: it is gone with the object."""

from collections.abc import Callable, Sequence

from actum.errors import StoreLost
from actum.journal.blobs import checked_blob
from actum.journal.chain import Chain, Mask, unmasked
from actum.journal.contract import Hiding
from actum.records.events import Draft, Event
from actum.records.values import BlobRef, blob_ref


class MemoryStore:
    """The record of one run, in memory alone."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.mask: Mask = unmasked
        """Applied to the text of each body before it is chained. What it returns must be JSON."""
        self._hide_data: Callable[[bytes], bytes] = bytes
        self._chain = Chain(run)
        self._events: list[Event] = []
        self._blobs: dict[str, bytes] = {}
        self._closed = False

    def append(self, draft: Draft) -> Event:
        """Number it, chain it, keep it."""
        self._refuse_if_closed()
        event = self._chain.add(draft, self.mask)
        self._events.append(event)
        return event

    def hide(self, hiding: Hiding) -> None:
        """Let nothing into events and blobs from now on that this takes out."""
        self.mask = hiding.body
        self._hide_data = hiding.data

    async def sync(self) -> str:
        """The head of the chain. There is no disk to wait for."""
        self._refuse_if_closed()
        return self._chain.head

    def events(self, after: int = 0) -> Sequence[Event]:
        """The events behind number `after`."""
        return self._events[max(after, 0) :]

    def put(self, content: bytes, content_type: str = "application/octet-stream") -> BlobRef:
        """Keep bytes under the hash of their content."""
        self._refuse_if_closed()
        content = self._hide_data(content)
        reference = blob_ref(content, content_type)
        self._blobs[reference.sha256] = content
        return reference

    def get(self, blob: BlobRef) -> bytes:
        """The bytes back, checked against their name. Raises `BlobMissing`, `DoesNotVerify`."""
        return checked_blob(self.run, blob, self._blobs.get(blob.sha256))

    async def close(self) -> None:
        """Take no more events."""
        self._closed = True

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreLost(f"The record of the run {self.run} is closed.")
