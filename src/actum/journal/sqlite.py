"""A run in one SQLite file: written by one process, readable by all while it is."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from actum.errors import StoreLost
from actum.journal.blobs import LARGE, LargeBlobs, checked_blob, read_blob
from actum.journal.chain import Chain, Mask, unmasked
from actum.journal.contract import Hiding
from actum.journal.lock import WriterLock
from actum.journal.recording import read_events
from actum.journal.writing import Batch, RunFile
from actum.records.events import Draft, Event
from actum.records.values import BlobRef, blob_ref

COMMIT_WITHIN = 0.01


class SqliteStore:
    """The record of one run. Used from one thread; only flushing to disk happens in another."""

    def __init__(self, path: Path, lock: WriterLock, file: RunFile, chain: Chain) -> None:
        """Use `create` or `open`."""
        self.run = chain.run
        self.path = path
        self.mask: Mask = unmasked
        """Applied to the text of each body before it is chained. What it returns must be JSON."""
        self._hide_data: Callable[[bytes], bytes] = bytes
        self._lock = lock
        self._file = file
        self._chain = chain
        self._large = LargeBlobs(path)
        self._events: list[Event] = []
        self._batch = Batch()
        self._version = 0
        self._durable = 0
        self._flight: Future[StoreLost | None] | None = None
        self._flying = Batch()
        self._lost: StoreLost | None = None
        self._told = False
        self._timer_of: asyncio.AbstractEventLoop | None = None
        self._thread = ThreadPoolExecutor(1, "actum-journal")
        self._closed = False

    @classmethod
    def create(cls, folder: Path, run: str) -> "SqliteStore":
        """Begin the record of a new run in this folder."""
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{run}.actum"
        lock = WriterLock(path)
        try:
            file = RunFile.create(path, flush_parent=made)
        except BaseException:
            lock.release()
            raise
        store = cls(path, lock, file, Chain(run))
        store._version = 1
        return store

    @classmethod
    def open(cls, path: Path) -> "SqliteStore":
        """Go on with a record. Raises `RunBusy`, `DoesNotVerify`, or `StoreLost` if it is not there."""
        if not path.exists():
            raise StoreLost(f"The record of the run {path.stem} is not there.", where=str(path))
        lock = WriterLock(path)
        try:
            # Read before it is opened to write: what does not verify is left as it was found.
            chain = Chain(path.stem)
            events = read_events(path, chain)
            file = RunFile.open(path)
        except BaseException:
            lock.release()
            raise
        store = cls(path, lock, file, chain)
        store._events = events
        return store

    def append(self, draft: Draft) -> Event:
        """Number it, chain it, keep it: committed within 10 ms, not waited for."""
        if self._lost is not None or self._closed:
            raise self._why_lost()
        event = self._chain.add(draft, self.mask)
        self._events.append(event)
        self._batch.events.append(event)
        self._version += 1
        self._commit_soon()
        return event

    def hide(self, hiding: Hiding) -> None:
        """Let nothing into events and blobs from now on that this takes out."""
        self.mask = hiding.body
        self._hide_data = hiding.data

    async def sync(self) -> str:
        """Everything appended so far is on disk when this returns. The head of the chain."""
        if self._lost is not None or self._closed:
            raise self._why_lost()
        head = self._chain.head
        await self._keep(self._version)
        return head

    def events(self, after: int = 0) -> Sequence[Event]:
        """The events behind number `after`, those not yet committed included."""
        return self._events[max(after, 0) :]

    def put(self, content: bytes, content_type: str = "application/octet-stream") -> BlobRef:
        """Keep bytes under the hash of their content."""
        if self._lost is not None or self._closed:
            raise self._why_lost()
        content = self._hide_data(content)
        reference = blob_ref(content, content_type)
        if len(content) > LARGE:
            self._put_beside(reference.sha256, content)
        elif self._unwritten(reference.sha256) is None:
            self._batch.blobs[reference.sha256] = content
            self._version += 1
            self._commit_soon()
        return reference

    def get(self, blob: BlobRef) -> bytes:
        """The bytes back, checked against their name. Raises `BlobMissing`, `DoesNotVerify`."""
        content = self._unwritten(blob.sha256)
        if content is None:
            # Not by the writing connection, which may be waiting for the disk.
            return read_blob(self.path, blob)
        return checked_blob(self.run, blob, content)

    async def close(self) -> None:
        """Commit what is left and let go of the file. May be called twice."""
        if self._closed:
            return
        try:
            if self._lost is None:
                await self._keep(self._version)
            elif not self._told:
                raise self._why_lost()
        finally:
            self._closed = True
            try:
                with contextlib.suppress(sqlite3.Error):
                    await asyncio.wrap_future(self._thread.submit(self._file.close))
            finally:
                self._thread.shutdown(wait=False)
                self._lock.release()

    def _put_beside(self, sha256: str, content: bytes) -> None:
        try:
            written = self._large.write(sha256, content)
        except OSError as error:
            self._lost = self._file.lost(error)
            raise self._lost from error
        if written is not None:
            self._batch.files.append(written)
            self._version += 1

    def _unwritten(self, sha256: str) -> bytes | None:
        found = self._batch.blobs.get(sha256)
        return self._flying.blobs.get(sha256) if found is None else found

    async def _keep(self, version: int) -> None:
        while self._durable < version:
            flight = self._flight or self._take_off()
            # Whoever waits may be cancelled; what is under way lands all the same.
            await asyncio.wait({asyncio.wrap_future(flight)})
            self._land()
            if self._lost is not None:
                raise self._why_lost()

    def _take_off(self) -> Future[StoreLost | None]:
        self._flying, self._batch = self._batch, Batch()
        self._flying.version = self._version
        self._flight = self._thread.submit(self._file.write_durably, self._flying)
        return self._flight

    def _land(self) -> None:
        if self._flight is None or not self._flight.done():
            return
        self._lost = self._lost or self._flight.result()
        if self._lost is None:
            self._durable = max(self._durable, self._flying.version)
        self._flight = None
        self._flying = Batch()

    def _commit_soon(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        if self._timer_of is not loop:
            self._timer_of = loop
            loop.call_later(COMMIT_WITHIN, self._commit)

    def _commit(self) -> None:
        self._timer_of = None
        self._land()
        if self._lost is not None or self._closed or self._batch.is_empty:
            return
        if self._flight is not None:
            self._commit_soon()
            return
        try:
            written = self._file.write_now(self._batch)
        except StoreLost as error:
            self._lost = error
            return
        if written:
            files = self._batch.files
            self._batch = Batch(files=files)
        else:
            self._commit_soon()

    def _why_lost(self) -> StoreLost:
        if self._lost is None:
            return StoreLost(f"The record of the run {self.run} is closed.")
        self._told = True
        return StoreLost(
            self._lost.message,
            where=self._lost.where,
            why=self._lost.why,
            hints=self._lost.hints,
        )
