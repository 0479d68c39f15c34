"""A file that a run left, as a Python program holds it."""

from pathlib import Path

import msgspec

from actum.journal.blobs import read_blob
from actum.records.values import BlobRef


class ArtifactFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file under `out/`, as it was when the run ended."""

    name: str
    size: int
    sha256: str
    record: Path
    """The run's file, which holds its content."""
    type: str = ""

    def read_bytes(self) -> bytes:
        """Its content, checked against its hash."""
        return read_blob(self.record, BlobRef(sha256=self.sha256, size=self.size, type=self.type))

    def read_text(self) -> str:
        """Its content as text."""
        return self.read_bytes().decode()
