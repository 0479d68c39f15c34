"""The files that programs open below one folder: read by the host, once each, as they are opened."""

import contextlib
import hashlib
import os
import stat
import threading
from collections import deque
from collections.abc import Generator, Iterable

import msgspec

from actum.lifecycle.opened_files import Ear, listening
from actum.records.file_events import InputOpened, TreeEntry

MEGABYTE = 1 << 20
PIECE = 1 << 20
CHANGED_WHILE_READ = "it was changed while it was read"
CHANGED_SINCE = "it was changed after the run began"
State = tuple[str, int, int]
"""Path, size, time of the last change."""


class Room:
    """How much of all files together is kept."""

    def __init__(self, file_mb: int, run_mb: int, used: int = 0) -> None:
        self.file = file_mb * MEGABYTE
        self._left = run_mb * MEGABYTE - used
        self._lock = threading.Lock()

    def take(self, size: int) -> bool:
        """Whether there is room for a file of this size; then it is taken."""
        with self._lock:
            if size > min(self.file, self._left):
                return False
            self._left -= size
            return True


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was opened, as it was then."""

    path: str
    size: int
    modified: int
    sha256: str
    content: bytes | None
    note: str


class Inputs:
    """What is opened below one folder while a run goes on."""

    def __init__(
        self,
        folder: str,
        tree: Iterable[TreeEntry],
        room: Room,
        recorded: Iterable[InputOpened] = (),
    ) -> None:
        self._room = room
        self._tree = {entry.path: entry for entry in tree}
        self._seen: set[State] = {(body.path, body.size, body.modified) for body in recorded}
        self._folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._waiting: deque[str] = deque()
        self._found: deque[Found] = deque()
        self._lock = threading.Lock()
        self._ear = Ear(self._waiting.append)
        self._ear.awake = self.read
        paths = [path for path, entry in self._tree.items() if entry.kind == "folder"]
        ears = listening()
        self.watched = ears is not None and ears.attach(self._ear, folder, paths)

    @property
    def whole(self) -> bool:
        """Whether everything that was opened so far was heard of."""
        return self.watched and not self._ear.deaf

    @property
    def busy(self) -> bool:
        """Whether something was opened that is not read yet."""
        ears = listening()
        if ears is not None:
            ears.pull()
        return bool(self._waiting) or self._lock.locked()

    def read(self) -> None:
        """Read what was opened until now. From any thread."""
        with self._lock:
            while self._waiting and self._folder >= 0:
                path = self._waiting[0]
                with contextlib.suppress(OSError):
                    self._read_one(path)
                self._waiting.popleft()

    def found(self) -> list[Found]:
        """What was read since the last time."""
        found: list[Found] = []
        while self._found:
            found.append(self._found.popleft())
        return found

    def close(self) -> None:
        """Let go of the folder."""
        ears = listening()
        if ears is not None:
            ears.detach(self._ear)
        with self._lock:
            if self._folder >= 0:
                os.close(self._folder)
            self._folder = -1

    def _read_one(self, path: str) -> None:
        with opened_below(self._folder, path) as file:
            before = os.fstat(file)
            state = (path, before.st_size, before.st_mtime_ns)
            # Reading it opens it too: what is known is not read again.
            if not stat.S_ISREG(before.st_mode) or state in self._seen:
                return
            self._seen.add(state)
            keep = self._room.take(before.st_size)
            digest, content = read_whole(file, before.st_size if keep else 0)
            after = os.fstat(file)
        at_start = self._tree.get(path)
        note = ""
        if (after.st_size, after.st_mtime_ns) != state[1:]:
            note = CHANGED_WHILE_READ
        elif at_start is None or (at_start.size, at_start.modified) != state[1:]:
            note = CHANGED_SINCE
        self._found.append(
            Found(
                path=path,
                size=before.st_size,
                modified=before.st_mtime_ns,
                sha256=digest,
                content=content if keep else None,
                note=note,
            )
        )


@contextlib.contextmanager
def opened_below(folder: int, path: str) -> Generator[int]:
    """A file below a folder, by no link on the way, and without waiting for it."""
    *folders, last = path.split("/")
    here = os.dup(folder)
    try:
        for name in folders:
            inner = os.open(name, _FOLDER, dir_fd=here)
            os.close(here)
            here = inner
        file = os.open(last, _FILE, dir_fd=here)
    finally:
        os.close(here)
    try:
        yield file
    finally:
        os.close(file)


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_whole(file: int, kept: int) -> tuple[str, bytes]:
    """The hash of a file, and its first bytes."""
    digest = hashlib.sha256()
    pieces: list[bytes] = []
    while piece := os.read(file, PIECE):
        digest.update(piece)
        if kept > 0:
            pieces.append(piece[:kept])
            kept -= len(piece)
    return digest.hexdigest(), b"".join(pieces)
