"""What a store of events must do. One store holds one run and has one writer."""

from collections.abc import Sequence
from typing import Protocol

from actum.records.events import Draft, Event
from actum.records.values import BlobRef


class Hiding(Protocol):
    """What takes secrets out of whatever is about to be kept."""

    def body(self, text: str) -> str:
        """The text of an event without them: JSON before and after."""
        ...

    def data(self, content: bytes) -> bytes:
        """Bytes without them."""
        ...


class Store(Protocol):
    """The events of one run, in order, each bound to the one before it."""

    run: str

    def append(self, draft: Draft) -> Event:
        """Number it, chain it, keep it: ordered at once, committed within 10 ms, not waited for.

        Raises `StoreLost` where an earlier event could not be kept.
        """
        ...

    async def sync(self) -> str:
        """Everything appended so far is on disk when this returns. The head of the chain."""
        ...

    def hide(self, hiding: Hiding) -> None:
        """Let nothing into events and blobs from now on that this takes out."""
        ...

    def events(self, after: int = 0) -> Sequence[Event]:
        """The events behind number `after`, those not yet committed included."""
        ...

    def put(self, content: bytes, content_type: str) -> BlobRef:
        """Keep bytes under the hash of their content."""
        ...

    def get(self, blob: BlobRef) -> bytes:
        """The bytes back, checked against their name. Raises `BlobMissing`, `DoesNotVerify`."""
        ...

    async def close(self) -> None:
        """Commit what is left and let go of the file. May be called twice."""
        ...
