"""A folder as the record has it: what was opened with its content, all else with its size alone."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from actum.errors import NotKept
from actum.lifecycle.folder_trees import Content, build
from actum.lifecycle.opened_files import Ear, listening
from actum.places.local.folders import locked_folder, remove_tree
from actum.records.file_events import InputOpened, TreeEntry
from actum.records.values import BlobRef

Load = Callable[[BlobRef], bytes]


class RebuiltFolder:
    """Stands in for a mount. A file without content may be listed and measured, and not opened."""

    def __init__(
        self,
        name: str,
        tree: Sequence[TreeEntry],
        inputs: Mapping[str, InputOpened],
        kept: Mapping[str, Content],
    ) -> None:
        self._name = name
        self._inputs = inputs
        self._base, self._lock = locked_folder()
        self.path = str(Path(self._base, "folder"))
        self._missing: str | None = None
        self._ear = Ear(self._opened)
        Path(self.path).mkdir(mode=0o700)
        folders = [entry.path for entry in tree if entry.kind == "folder"]
        build(tree, kept, self.path, closed=listening() is None)
        self._holes = {entry.path for entry in tree if entry.kind == "file"} - kept.keys()
        ears = listening()
        if ears is not None and not ears.attach(self._ear, self.path, folders):
            self._close_holes()

    def look(self) -> None:
        """Raises `NotKept` where a file was opened that has no content."""
        ears = listening()
        if ears is not None:
            ears.pull()
        if self._missing is not None:
            raise not_kept(self._name, self._missing, self._inputs.get(self._missing))

    def close(self) -> None:
        """Remove it."""
        ears = listening()
        if ears is not None:
            ears.detach(self._ear)
        remove_tree(self._base)
        os.close(self._lock)

    def _opened(self, path: str) -> None:
        if path in self._holes and self._missing is None:
            self._missing = path

    def _close_holes(self) -> None:
        """Nobody can tell which of them are opened: then none may be."""
        for path in self._holes:
            Path(self.path, path).chmod(0)


def as_read(tree: Sequence[TreeEntry], inputs: Sequence[InputOpened]) -> dict[str, InputOpened]:
    """Each file as programs read it: as it was at the start, or else as it was last.

    A file that somebody wrote meanwhile was opened by him too, half written.
    """
    at_start = {entry.path: (entry.size, entry.modified) for entry in tree}
    found: dict[str, InputOpened] = {}
    for body in inputs:
        known = found.get(body.path)
        if known is None or (known.size, known.modified) != at_start.get(body.path):
            found[body.path] = body
    return found


def contents(inputs: Mapping[str, InputOpened], load: Load) -> dict[str, Content]:
    """The files that were kept."""
    return {
        path: Content(load(body.blob), body.modified)
        for path, body in inputs.items()
        if body.blob is not None
    }


def not_kept(mount: str, path: str, recorded: InputOpened | None) -> NotKept:
    """A program needs a file that the record does not hold."""
    why = "no program had opened it, so the record has its name and size alone"
    hints = ("run the task again, where the folder is",)
    if recorded is not None:
        why = f"the program opened it, and its {recorded.size:,} bytes were too many to be kept"
        hints = (
            "keep more from now on: [limits] input_file_mb = ... and input_run_mb = ...",
            "see the record without running it:   actum replay RUN --fast",
        )
    return NotKept(f"not kept: {mount}/{path}", why=why, hints=hints)
