"""The folders of a run: as they are, for programs that run now; as they were, for those that run again."""

import asyncio
import os
import time
from collections.abc import Sequence

import msgspec

from actum.journal.contract import Store
from actum.lifecycle.folder_trees import Tree, decode_tree, read_tree
from actum.lifecycle.inputs import Found, Inputs, Room, opened_below, read_whole
from actum.lifecycle.rebuilt_folder import Load, RebuiltFolder, as_read, contents
from actum.records.events import Draft, Event, InputOpened, Mounted, RunStart
from actum.records.sessions import Limits, Mount

FRESH = 1_000_000_000
"""Nanoseconds for which a tree that was read counts as what is there now."""
TREE_TYPE = "application/json"


class LiveFolders:
    """Keeps `Folders` for a run that goes on. What is opened is written down."""

    def __init__(self, store: Store, start: RunStart) -> None:
        self._store = store
        self._mounts = start.mounts
        self._limits = start.limits
        self._live: dict[str, Inputs] = {}
        self._rebuilt: dict[str, RebuiltFolder] = {}
        self._incomplete: set[str] = set()

    async def mounts(self, *, fresh: bool) -> Sequence[Mount]:
        """The folders themselves, or what the record has of them where they are no longer so."""
        if not self._mounts:
            return ()
        self.close()
        return [await self._shown(mount, fresh=fresh) for mount in self._mounts]

    def look(self, step: int) -> None:
        """Write down what was opened and read so far."""
        for folder in self._rebuilt.values():
            folder.look()
        for name, inputs in self._live.items():
            for found in inputs.found():
                self._write(name, found, step)
            if not inputs.whole and name not in self._incomplete:
                self._incomplete.add(name)
                self._write_incomplete(name)

    async def settle(self, step: int) -> None:
        """Write down everything that was opened until now."""
        for inputs in self._live.values():
            if inputs.busy:
                await asyncio.to_thread(inputs.read)
        self.look(step)

    def close(self) -> None:
        """Let go of them."""
        for inputs in self._live.values():
            inputs.close()
        for folder in self._rebuilt.values():
            folder.close()
        self._live, self._rebuilt = {}, {}

    async def _shown(self, mount: Mount, *, fresh: bool) -> Mount:
        record = FolderRecord(self._store.events(), mount.name, self._store.get)
        tree = await self._current(mount, record) if fresh else record.tree
        if fresh or await asyncio.to_thread(is_unchanged, mount, record):
            inputs = await asyncio.to_thread(
                Inputs, mount.path, tree.entries, self._room(), record.inputs
            )
            self._live[mount.name] = inputs
            return mount
        folder = await record.rebuilt(mount.name)
        self._rebuilt[mount.name] = folder
        return Mount(folder.path, mount.name)

    async def _current(self, mount: Mount, record: "FolderRecord") -> Tree:
        """What is there now; written down where the record does not have it so."""
        if record.mounted is not None and time.time_ns() - record.mounted.time < FRESH:
            return record.tree
        tree = await asyncio.to_thread(read_tree, mount.path)
        if record.mounted is None or tree != record.tree:
            write_tree(self._store, mount, tree)
        return tree

    def _room(self) -> Room:
        events = self._store.events()
        return room_for(self._limits, [e.body for e in events if isinstance(e.body, InputOpened)])

    def _write_incomplete(self, name: str) -> None:
        """Say that more may have been opened than the record has."""
        record = FolderRecord(self._store.events(), name, self._store.get)
        body = record.mounted.body if record.mounted is not None else None
        if isinstance(body, Mounted):
            self._store.append(Draft(body=msgspec.structs.replace(body, watched=False)))

    def _write(self, mount: str, found: Found, step: int) -> None:
        blob = None
        if found.content is not None:
            blob = self._store.put(found.content, "application/octet-stream")
        body = InputOpened(
            mount=mount,
            path=found.path,
            size=found.size,
            sha256=found.sha256,
            modified=found.modified,
            blob=blob,
            note=found.note,
        )
        self._store.append(Draft(body=body, step=step))


class RecordedFolders:
    """Keeps `Folders` for a replay: every folder is built anew from the record."""

    def __init__(self, events: Sequence[Event], start: RunStart, load: Load) -> None:
        self._events = events
        self._mounts = start.mounts
        self._load = load
        self._rebuilt: dict[str, RebuiltFolder] = {}

    async def mounts(self, *, fresh: bool) -> Sequence[Mount]:
        """What the record has of them."""
        del fresh
        self.close()
        for mount in self._mounts:
            record = FolderRecord(self._events, mount.name, self._load)
            self._rebuilt[mount.name] = await record.rebuilt(mount.name)
        return [Mount(folder.path, name) for name, folder in self._rebuilt.items()]

    def look(self, step: int) -> None:
        """Raises `NotKept` where a file was opened that the record does not hold."""
        del step
        for folder in self._rebuilt.values():
            folder.look()

    async def settle(self, step: int) -> None:
        """As `look`."""
        self.look(step)

    def close(self) -> None:
        """Remove them."""
        for folder in self._rebuilt.values():
            folder.close()
        self._rebuilt = {}


class FolderRecord:
    """What a record has of one folder."""

    def __init__(self, events: Sequence[Event], name: str, load: Load) -> None:
        self.mounted: Event | None = None
        self.inputs: list[InputOpened] = []
        self._load = load
        self._tree: Tree | None = None
        for event in events:
            body = event.body
            if isinstance(body, Mounted) and body.name == name:
                self.mounted = event
            elif isinstance(body, InputOpened) and body.mount == name:
                self.inputs.append(body)

    @property
    def tree(self) -> Tree:
        """The names in it; none where the record stops before them."""
        if self._tree is None:
            body = self.mounted.body if self.mounted is not None else None
            self._tree = Tree(())
            if isinstance(body, Mounted):
                self._tree = decode_tree(self._load(body.tree), cut=body.cut)
        return self._tree

    async def rebuilt(self, name: str) -> RebuiltFolder:
        """The folder as it was, built anew."""
        inputs = as_read(self.tree.entries, self.inputs)
        kept = contents(inputs, self._load)
        return await asyncio.to_thread(RebuiltFolder, name, self.tree.entries, inputs, kept)


def write_tree(store: Store, mount: Mount, tree: Tree) -> None:
    """Write down what is below a folder."""
    body = Mounted(
        name=mount.name,
        path=mount.path,
        tree=store.put(tree.encoded(), TREE_TYPE),
        entries=len(tree.entries),
        cut=tree.cut,
    )
    store.append(Draft(body=body))


def room_for(limits: Limits, recorded: Sequence[InputOpened]) -> Room:
    """What may still be kept."""
    used = sum(body.size for body in recorded if body.blob is not None)
    return Room(limits.input_file_mb, limits.input_run_mb, used)


def is_unchanged(mount: Mount, record: FolderRecord) -> bool:
    """Whether the folder itself is still all that the record says of it."""
    try:
        if read_tree(mount.path) != record.tree:
            return False
    except OSError:
        return False
    return all(is_the_same(mount.path, body) for body in record.inputs if body.blob is not None)


def is_the_same(folder: str, body: InputOpened) -> bool:
    """Whether a file still has the content that was kept."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with opened_below(top, body.path) as file:
            return read_whole(file, 0)[0] == body.sha256
    except OSError:
        return False
    finally:
        os.close(top)
