"""A store that tells somebody of each event as it is written."""

from collections.abc import Callable, Sequence

from actum.journal.contract import Hiding, Store
from actum.records.events import Draft, Event
from actum.records.values import BlobRef

Observer = Callable[[Event], None]


class ObservedStore:
    """Keeps `Store`, by the store behind it."""

    def __init__(self, store: Store, observer: Observer) -> None:
        self.run = store.run
        self._store = store
        self._observer = observer

    def append(self, draft: Draft) -> Event:
        """Keep it, and tell of it."""
        event = self._store.append(draft)
        self._observer(event)
        return event

    def hide(self, hiding: Hiding) -> None:
        """Let nothing into events and blobs from now on that this takes out."""
        self._store.hide(hiding)

    async def sync(self) -> str:
        """Everything is on disk when this returns."""
        return await self._store.sync()

    def events(self, after: int = 0) -> Sequence[Event]:
        """The events behind number `after`."""
        return self._store.events(after)

    def put(self, content: bytes, content_type: str) -> BlobRef:
        """Keep bytes."""
        return self._store.put(content, content_type)

    def get(self, blob: BlobRef) -> bytes:
        """The bytes back."""
        return self._store.get(blob)

    async def close(self) -> None:
        """Let go of the file."""
        await self._store.close()
