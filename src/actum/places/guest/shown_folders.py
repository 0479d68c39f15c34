"""Folders of the host in the working folder. Without mounts each is a link, and shows as a folder.

Phase 2.
"""

import os
import stat
from typing import Any

LINK_TO = "/proc/self/fd/"

_readlink = os.readlink
_lstat = os.lstat


class ShownFolders:
    """The names of these folders, and what is told of them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def actual(self, folder: str, path: str) -> str | None:
        """A path behind one of the links, as a path below `folder`; None for any other.

        Asked anew each time: where a folder lies on the host may not lengthen what we remember.
        """
        for name in self._names:
            behind = self._behind(f"{folder}/{name}")
            if behind and (path == behind or path.startswith(behind + "/")):
                return f"{name}{path[len(behind) :]}"
        return None

    def is_ours(self, path: Any) -> bool:
        """Whether this name is one of the links."""
        try:
            last = os.fsdecode(path).rstrip("/").rpartition("/")[2]
            return last in self._names and _readlink(path).startswith(LINK_TO)
        except (OSError, TypeError, ValueError):
            return False

    def status(self, path: Any, *, dir_fd: int | None = None) -> os.stat_result:
        """Take the place of `os.lstat`."""
        found = _lstat(path, dir_fd=dir_fd)
        if stat.S_ISLNK(found.st_mode) and dir_fd is None and self.is_ours(path):
            return os.stat(path)
        return found

    def entry(self, entry: "os.DirEntry[Any]") -> "os.DirEntry[Any] | ShownEntry":
        """An entry of a folder as it is to be seen."""
        if entry.name in self._names and entry.is_symlink() and self.is_ours(entry.path):
            return ShownEntry(entry)
        return entry

    def _behind(self, path: str) -> str:
        try:
            link = _readlink(path)
            return _readlink(link) if link.startswith(LINK_TO) else ""
        except OSError:
            return ""


class ShownEntry:
    """Takes the place of `os.DirEntry`: a folder, and no link."""

    def __init__(self, entry: "os.DirEntry[Any]") -> None:
        self.name = entry.name
        self.path = entry.path

    def __fspath__(self) -> Any:
        return self.path

    def inode(self) -> int:
        """Of the folder itself."""
        return os.stat(self.path).st_ino

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """It is one."""
        return True

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """It is none."""
        return False

    def is_symlink(self) -> bool:
        """It is none, as far as anybody can see."""
        return False

    def is_junction(self) -> bool:
        """Nothing here is one."""
        return False

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Of the folder itself."""
        return os.stat(self.path)
