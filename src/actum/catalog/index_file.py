"""What was indexed before, kept in a file by the hash of its content."""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import TypeAlias

import msgspec

Documents: TypeAlias = "dict[str, dict[str, float]]"
FORMAT = 2


class _Kept(msgspec.Struct, frozen=True):
    """The file. Another format is no error: everything is read anew."""

    format: int
    documents: dict[str, dict[str, float]]


def load_documents(path: str | None) -> Documents:
    """What the file holds; nothing where it cannot be read."""
    if path is None:
        return {}
    try:
        kept = msgspec.msgpack.decode(Path(path).read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return {}
    return kept.documents if kept.format == FORMAT else {}


def save_documents(path: str | None, documents: Documents) -> None:
    """Keep them for the next time. A file that cannot be written costs only time."""
    if path is None:
        return
    content = msgspec.msgpack.encode(_Kept(FORMAT, documents))
    with contextlib.suppress(OSError):
        _write_whole(Path(path), content)


def _write_whole(path: Path, content: bytes) -> None:
    """Another process sees the old file or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
