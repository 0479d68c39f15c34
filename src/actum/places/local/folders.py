"""Folders on the host's own disk: one for each place, and in it one for each session without mounts."""

import contextlib
import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = "actum-"
RANDOM_LETTERS = 8
ROOT, ZYGOTE, LOCK = "root", "zygote", "lock"
LINK = "/tmp/actum-box"  # noqa: S108 -- it is a link, and checked to be ours before it is used
LINK_TARGET = "/proc/self/fd/4"
"""Each session has its own folder open under this number: one link shows each its own."""
SESSION_NAME = "{:08d}"


class BaseFolder:
    """The folder of one place, locked for as long as its process lives."""

    def __init__(self) -> None:
        sweep()
        self.path, self._lock = locked_folder()
        for name in (ROOT, ZYGOTE):
            Path(self.path, name).mkdir(mode=0o700)
        # Sessions may run as another account: it may pass through, and list nothing.
        Path(self.path).chmod(0o711)
        self._count = 0

    def for_session(self, account: int) -> tuple[str, int]:
        """A fresh work folder: its name, and a descriptor. Names are equally long."""
        self._count += 1
        path = f"{self.path}/{SESSION_NAME.format(self._count)}"
        Path(path).mkdir(mode=0o700)
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for name in (".tmp", ".shm", "out"):
            os.mkdir(name, 0o700, dir_fd=descriptor)
            own(name, account, descriptor)
        own(".", account, descriptor)
        return path, descriptor

    def remove(self) -> None:
        """Remove it with everything in it."""
        remove_tree(self.path)
        os.close(self._lock)


def own(name: str, account: int, folder: int) -> None:
    """Give a folder to the account that sessions run as."""
    if account != os.geteuid():
        os.chown(name, account, account, dir_fd=folder, follow_symlinks=False)


def locked_folder() -> tuple[str, int]:
    """A fresh folder and the descriptor of its lock, which is held while the descriptor is open."""
    while True:
        path = tempfile.mkdtemp(prefix=PREFIX)
        try:
            lock = os.open(f"{path}/{LOCK}", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:
            return path, lock
        # Somebody swept it away between its making and its locking.
        os.close(lock)


def sweep() -> None:
    """Remove what places whose process was killed have left behind."""
    for path in Path(tempfile.gettempdir()).glob(PREFIX + "?" * RANDOM_LETTERS):
        with contextlib.suppress(OSError):
            if not path.is_symlink() and path.stat().st_uid == os.geteuid():
                remove_if_abandoned(path)


def remove_if_abandoned(path: Path) -> None:
    """Remove a folder whose lock nobody holds, and hold it meanwhile."""
    lock = os.open(path / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_tree(str(path))
    finally:
        os.close(lock)


def shared_name() -> str:
    """The path by which every session knows its folder, on every machine where it can be had.

    A link of this name that another account made is not followed: the kernel refuses to, in a
    folder where everybody may write. Then the link is one of our own account.
    """
    for path in (LINK, f"{LINK}-{os.geteuid():010d}"):
        with contextlib.suppress(OSError):
            Path(path).symlink_to(LINK_TARGET)
        if is_usable(path):
            return path
    return LINK_TARGET


def is_usable(path: str) -> bool:
    """Whether the link says what it should, and belongs to somebody whose links are followed."""
    try:
        status = os.lstat(path)
        return (
            stat.S_ISLNK(status.st_mode)
            and status.st_uid in {0, os.geteuid()}
            and str(Path(path).readlink()) == LINK_TARGET
        )
    except OSError:
        return False


def entries(folder: int) -> Iterator[tuple[str, bool, int]]:
    """The entries of a folder: name, whether it is a folder, and its size on the disk."""
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            yield name, stat.S_ISDIR(status.st_mode), status.st_blocks * 512


def open_folder(name: str, within: int | None) -> int:
    """Open a folder that a program may have closed to itself and to us."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=within)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=within)
        return os.open(name, flags, dir_fd=within)


def remove_tree(path: str) -> None:
    """Remove a folder whatever a program made in it: closed folders, deep ones, links.

    What lies deep is moved to the top first, so that neither our stack nor a path grows long.
    """
    with contextlib.suppress(OSError):
        top = open_folder(path, None)
        try:
            empty(top)
        finally:
            os.close(top)
        Path(path).rmdir()


def empty(top: int) -> None:
    """Empty a folder, level by level."""
    moved = 0
    while folders := [
        name for name, is_folder, _ in entries(top) if is_folder or unlink(top, name)
    ]:
        for name in folders:
            inner = open_folder(name, top)
            try:
                for child, is_folder, _ in entries(inner):
                    if is_folder:
                        moved += 1
                        os.rename(child, f".removing-{moved}", src_dir_fd=inner, dst_dir_fd=top)
                    else:
                        unlink(inner, child)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)


def unlink(folder: int, name: str) -> bool:
    """Remove a file. Answers False, so that it can stand where folders are sought."""
    os.unlink(name, dir_fd=folder)
    return False


LEAST_SIZE = 16 << 10
"""What an empty file counts: 64 MB hold as many of them as at level `full`."""
DEEPEST = 64


def takes_more_than(folder: int, allowed: int) -> bool:
    """Whether a folder takes more than this on the disk, or nests deeper than it can be counted."""
    total = 0
    open_now = [os.dup(folder)]
    to_enter = [[""]]
    try:
        while open_now:
            if not to_enter[-1]:
                to_enter.pop()
                os.close(open_now.pop())
                continue
            name = to_enter[-1].pop()
            inner = enter(name, open_now[-1])
            if inner is None:
                continue
            open_now.append(inner)
            found = list(entries(inner))
            total += sum(max(size, LEAST_SIZE) for _, _, size in found)
            to_enter.append([name for name, is_folder, _ in found if is_folder])
            if total > allowed or len(open_now) > DEEPEST:
                return True
        return False
    finally:
        for descriptor in open_now:
            os.close(descriptor)


def enter(name: str, within: int) -> int | None:
    """Open a folder as it is; None where it is closed or gone."""
    try:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name or ".", flags, dir_fd=within)
    except OSError:
        return None
