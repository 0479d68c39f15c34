"""Bytes under the hash of their content: small ones in the run's file, large ones beside it."""

import hashlib
import os
import sqlite3
from pathlib import Path

from actum.errors import BlobMissing, DoesNotVerify
from actum.journal.reading import UNREADABLE, look_into
from actum.records.values import BlobRef

LARGE = 1024 * 1024
"""More bytes than this go into the folder."""


class LargeBlobs:
    """The folder `ID.blobs` of one run."""

    def __init__(self, path: Path) -> None:
        self._folder = path.with_suffix(".blobs")

    def path(self, sha256: str) -> Path:
        """Where the content with this hash stands."""
        return self._folder / sha256[:2] / sha256

    def write(self, sha256: str, content: bytes) -> Path | None:
        """Keep it, not yet flushed; None where it was there already."""
        path = self.path(sha256)
        if path.exists():
            return None
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = path.with_suffix(".part")
        unfinished.touch(mode=0o600)
        unfinished.write_bytes(content)
        unfinished.replace(path)
        return path

    def read(self, sha256: str) -> bytes | None:
        """The bytes, or None where they are not there."""
        try:
            return self.path(sha256).read_bytes()
        except FileNotFoundError:
            return None

    def measure(self, sha256: str) -> tuple[int, str] | None:
        """The size and hash of what stands there, without holding it in memory."""
        try:
            with self.path(sha256).open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
                return stream.tell(), found
        except OSError:
            return None


def read_blob(path: Path, blob: BlobRef) -> bytes:
    """The bytes from the files of a run. Raises `BlobMissing`, `DoesNotVerify`."""
    content = LargeBlobs(path).read(blob.sha256)
    if content is None:
        try:
            content = look_into(path, lambda file: _in_file(file, blob.sha256))
        except UNREADABLE as error:
            raise BlobMissing(
                _named(path.stem, blob) + " cannot be read.", why=f"SQLite: {error}"
            ) from error
    return checked_blob(path.stem, blob, content)


def checked_blob(run: str, blob: BlobRef, content: bytes | None) -> bytes:
    """The content, if it is what its name says. Raises `BlobMissing`, `DoesNotVerify`."""
    if content is None:
        raise BlobMissing(_named(run, blob) + " is not there.")
    if len(content) != blob.size or hashlib.sha256(content).hexdigest() != blob.sha256:
        raise DoesNotVerify(_named(run, blob) + " is not as it was written.")
    return content


def _named(run: str, blob: BlobRef) -> str:
    return f"The content {blob.sha256[:12]} of the run {run}"


def _in_file(connection: sqlite3.Connection, sha256: str) -> bytes | None:
    row: tuple[object] | None = connection.execute(
        "select data from blob where sha256 = ?", (sha256,)
    ).fetchone()
    return row[0] if row is not None and isinstance(row[0], bytes) else None


def flush_file(path: Path) -> None:
    """Wait until this file is on disk, and its name and its folder's with it."""
    flush(path, os.O_RDWR)
    flush_folder(path.parent)
    flush_folder(path.parent.parent)


def flush_folder(path: Path) -> None:
    """Wait until the names in this folder are on disk."""
    if os.name == "posix":
        flush(path, os.O_RDONLY)


def flush(path: Path, flags: int) -> None:
    """Wait until the content of this file or folder is on disk."""
    file = os.open(path, flags)
    try:
        os.fsync(file)
    finally:
        os.close(file)
