"""The names, sizes and times below a folder: written down, compared, and built again."""

import os
import stat
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from actum.errors import DoesNotVerify
from actum.records.file_events import TreeEntry

MOST_ENTRIES = 50_000
NOT_ALLOWED = 0
MOMENT = 1.0
_RECENT: dict[str, tuple[float, "Tree"]] = {}
_DECODER = msgspec.json.Decoder(list[TreeEntry])


class Tree(msgspec.Struct, frozen=True):
    """A folder and what is below it, each folder before what it holds."""

    entries: tuple[TreeEntry, ...]
    cut: bool = False
    """There is more below it than is listed."""

    def encoded(self) -> bytes:
        """As a blob."""
        return msgspec.json.encode(self.entries)

    def folders(self) -> list[str]:
        """Every folder that is listed, the first of them the folder itself."""
        return [entry.path for entry in self.entries if entry.kind == "folder"]

    def special(self) -> str | None:
        """A pipe or a device: what a program could speak through."""
        return next((entry.path for entry in self.entries if entry.kind == "special"), None)


def decode_tree(content: bytes, *, cut: bool) -> Tree:
    """The tree behind a blob."""
    return Tree(tuple(_DECODER.decode(content)), cut)


def read_tree(folder: str) -> Tree:
    """What is below a folder now. Links are not followed; what is closed to us stays unlisted."""
    entries = [entry_of("", Path(folder).stat(), "")]
    waiting = deque([""])
    while waiting:
        path = waiting.popleft()
        for entry in listed(folder, path):
            if len(entries) >= MOST_ENTRIES:
                return Tree(tuple(entries), cut=True)
            entries.append(entry)
            if entry.kind == "folder":
                waiting.append(entry.path)
    return Tree(tuple(entries))


def recent_tree(folder: str) -> Tree:
    """What is below a folder now, or was a moment ago: a run asks more than once as it begins."""
    now = time.monotonic()
    for path, (read_at, _) in list(_RECENT.items()):
        if now - read_at > MOMENT:
            _RECENT.pop(path, None)
    known = _RECENT.get(folder)
    if known is not None:
        return known[1]
    tree = read_tree(folder)
    _RECENT[folder] = (time.monotonic(), tree)
    return tree


def listed(folder: str, path: str) -> list[TreeEntry]:
    """What one folder holds, in the order of the names."""
    found: list[TreeEntry] = []
    try:
        with os.scandir(Path(folder, path)) as names:
            for name in names:
                below = f"{path}/{name.name}" if path else name.name
                entry = entry_at(name, below)
                if entry is not None:
                    found.append(entry)
    except OSError:
        return []
    return sorted(found, key=lambda entry: entry.path)


def entry_at(name: "os.DirEntry[str]", path: str) -> TreeEntry | None:
    """One name; None where it is gone already, or no text could name it."""
    try:
        path.encode()
        target = str(Path(name.path).readlink()) if name.is_symlink() else ""
        return entry_of(path, name.stat(follow_symlinks=False), target)
    except (OSError, UnicodeEncodeError):
        return None


def entry_of(path: str, status: os.stat_result, target: str) -> TreeEntry:
    """One name, as the record has it."""
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "special")
    return TreeEntry(
        path,
        kind,
        status.st_size,
        status.st_mtime_ns,
        stat.S_IMODE(status.st_mode),
        target.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
    )


_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFSOCK: "socket",
}


class Content(msgspec.Struct, frozen=True):
    """A file that was opened, and is kept."""

    content: bytes
    modified: int


def build(
    tree: Sequence[TreeEntry], kept: Mapping[str, Content], folder: str, *, closed: bool
) -> None:
    """Build it again in an empty folder: kept files with their content, the rest as holes.

    `closed`: the holes can be opened by nobody. A record may come from anybody: raises
    `DoesNotVerify` where a name would lead out of the folder.
    """
    _stay_inside(tree, kept)
    for entry in tree:
        build_one(entry, kept.get(entry.path), folder, closed=closed)
    known = {entry.path for entry in tree}
    for path, content in kept.items():
        if path not in known:
            # It came after the start, and was opened.
            entry = TreeEntry(path, "file", 0, content.modified, 0o644)
            Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
            build_one(entry, content, folder, closed=closed)
    for entry in reversed(tree):
        if entry.kind == "folder":
            place = Path(folder, entry.path)
            place.chmod(entry.mode)
            os.utime(place, ns=(entry.modified, entry.modified))


def _stay_inside(tree: Sequence[TreeEntry], kept: Mapping[str, Content]) -> None:
    """No name goes up, begins at the root, or passes through a link."""
    links = {entry.path for entry in tree if entry.kind == "link"}
    for path in [entry.path for entry in tree if entry.path] + list(kept):
        parts = path.split("/")
        above = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        if "\0" in path or {"", ".", ".."} & set(parts) or above & links:
            raise DoesNotVerify(
                f"the record names {path!r} below a folder, which is not below it",
                why="no run of actum writes such a name",
                hints=("do not trust this record: it was made or changed by hand",),
            )


def build_one(entry: TreeEntry, content: Content | None, folder: str, *, closed: bool) -> None:
    """One name."""
    place = Path(folder, entry.path)
    if entry.kind == "folder":
        place.mkdir(mode=0o700, exist_ok=not entry.path)
        return
    if entry.kind == "link":
        place.symlink_to(entry.target)
        os.utime(place, ns=(entry.modified, entry.modified), follow_symlinks=False)
        return
    mode, modified = entry.mode, entry.modified
    with place.open("xb") as file:
        if content is not None:
            file.write(content.content)
            modified = content.modified
        else:
            file.truncate(entry.size)
            mode = NOT_ALLOWED if closed else mode
    place.chmod(mode)
    os.utime(place, ns=(modified, modified))
