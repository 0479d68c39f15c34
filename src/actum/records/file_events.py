"""The events about files: folders that were mounted, files that were opened, files that were left."""

import msgspec

from actum.records.event_bodies import Body
from actum.records.values import BlobRef


class Mounted(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A folder that programs may read, as it was when the first of them began."""

    kind = "mount"

    name: str
    path: str
    tree: BlobRef
    """A list of `TreeEntry`."""
    entries: int = 0
    cut: bool = False
    """There was more than the record lists."""
    watched: bool = True
    """False where the machine could not tell which files were opened: the list may be incomplete."""


class TreeEntry(msgspec.Struct, frozen=True, array_like=True):
    """One name below a mount. The folder itself has the empty path."""

    path: str
    kind: str
    """`file`, `folder`, `link`, or `other`."""
    size: int
    modified: int
    """Nanoseconds since 1970."""
    mode: int
    target: str = ""
    """Where a link leads to, as it stands in it."""


class InputOpened(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A program opened a file below a mount. Recorded once for each content."""

    kind = "input"

    mount: str
    path: str
    size: int
    sha256: str
    modified: int
    blob: BlobRef | None = None
    """The content, where it was small enough to be kept."""
    note: str = ""
    """What is to be known of it: it was changed while it was read."""


class Artifact(Body, frozen=True, kw_only=True, omit_defaults=True):
    """A file that a program left under `out/`, or changed there, or removed from there."""

    kind = "artifact"

    name: str
    """Its path below `out/`."""
    blob: BlobRef | None = None
    problem: str = ""
    """Why there is no content. Without a problem and without content the file is gone."""
