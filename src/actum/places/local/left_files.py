"""What programs left under `out/`, read by the host.

A program made these names and files: nothing is followed, and only plain files count.
"""

import contextlib
import hashlib
import os
import stat
from collections.abc import Generator

from actum.places.contract import LeftFile

OUT = "out"
DEEPEST = 32
MOST = 4096
Stamp = tuple[int, int, int, int]


class LeftFiles:
    """The files of one session, and what they were at the last look."""

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._known: dict[str, tuple[Stamp, LeftFile]] = {}

    def is_unchanged(self, folder: int) -> bool:
        """Whether nothing is there and nothing was: that is quick to see."""
        if self._known:
            return False
        try:
            with opened(OUT, folder) as top:
                return not os.listdir(top)  # noqa: PTH208 -- by its descriptor
        except OSError:
            return True

    def look(self, folder: int) -> tuple[LeftFile, ...]:
        """All that is there now, in the order of the names; content where it is new."""
        found: dict[str, tuple[Stamp, LeftFile]] = {}
        told: list[LeftFile] = []
        room = self._allowed
        with contextlib.suppress(OSError), opened(OUT, folder) as top:
            for name, status, within, last in files_below(top, "", 0):
                stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
                known = self._known.get(name)
                if known is not None and known[0] == stamp:
                    one = known[1]
                else:
                    one = read_file(name, last, within, status, room)
                room -= one.size
                told.append(one)
                found[name] = (stamp, without_content(one))
                if len(told) >= MOST:
                    break
        self._known = found
        return tuple(sorted(told, key=lambda one: one.name))


def without_content(one: LeftFile) -> LeftFile:
    """The same, as it is remembered."""
    return LeftFile(name=one.name, sha256=one.sha256, size=one.size, problem=one.problem)


@contextlib.contextmanager
def opened(name: str, within: int) -> Generator[int]:
    """A folder, never by a link."""
    descriptor = os.open(
        name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=within
    )
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def files_below(
    folder: int, path: str, depth: int
) -> Generator[tuple[str, os.stat_result, int, str]]:
    """Everything that is no folder: its name, status, the folder it is in, and its last part."""
    for last in sorted(os.listdir(folder)):
        name = f"{path}{last}"
        try:
            status = os.stat(last, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        if not stat.S_ISDIR(status.st_mode):
            yield name, status, folder, last
        elif depth < DEEPEST:
            with contextlib.suppress(OSError), opened(last, folder) as inner:
                yield from files_below(inner, f"{name}/", depth + 1)


def read_file(name: str, last: str, within: int, status: os.stat_result, room: int) -> LeftFile:
    """A file with its content, or why it is left where it is."""
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if not stat.S_ISREG(status.st_mode):
        return LeftFile(name=shown, problem="it is no plain file")
    if status.st_size > room:
        return LeftFile(name=shown, problem="the files under out/ are too large together")
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(last, flags, dir_fd=within), "rb") as file:  # noqa: PTH123 -- by its descriptor
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return LeftFile(name=shown, problem="it is no plain file")
            content = file.read(max(0, room) + 1)
    except OSError as problem:
        return LeftFile(name=shown, problem=f"it cannot be read: {problem.strerror}")
    if len(content) > room:
        return LeftFile(name=shown, problem="the files under out/ are too large together")
    digest = hashlib.sha256(content).hexdigest()
    return LeftFile(name=shown, sha256=digest, size=len(content), content=content)
