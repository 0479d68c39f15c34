"""Which files below a folder are opened, by whomever: the kernel tells it, so native code counts too."""

import contextlib
import ctypes
import os
import select
import struct
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

OPENED, OVERFLOW, GONE, IS_FOLDER = 0x20, 0x4000, 0x8000, 0x40000000
ONLY_FOLDERS, NOT_BY_LINK = 0x01000000, 0x02000000
HEADER = struct.Struct("iIII")
PIECE = 1 << 16


class Ear:
    """Hears of the files that are opened below some folders."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        self._hear = hear
        """Called with a path below the folder; from any thread, one at a time."""
        self.deaf = False
        """Some were opened that it has not heard of."""
        self.watches: dict[int, str] = {}
        self.awake: Callable[[], None] | None = None
        """Called, in the thread that listens, when there is something new."""

    def opened(self, path: str) -> None:
        """A file was opened."""
        self._hear(path)


class Listening:
    """The one instance of a process: a user may have few of them."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._number = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._number < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self._lock = threading.Lock()
        self._ears: dict[int, list[Ear]] = {}
        threading.Thread(target=self._listen, name="actum-inputs", daemon=True).start()

    def attach(self, ear: Ear, folder: str, paths: Sequence[str]) -> bool:
        """Hear of files in these folders below `folder`. False where not all can be watched."""
        flags = OPENED | ONLY_FOLDERS | NOT_BY_LINK
        whole = True
        with self._lock:
            for path in paths:
                place = os.fsencode(Path(folder, path))
                watch: int = self._libc.inotify_add_watch(self._number, place, flags)
                if watch < 0:
                    whole = False
                    continue
                ear.watches[watch] = path
                self._ears.setdefault(watch, []).append(ear)
        return whole

    def detach(self, ear: Ear) -> None:
        """Hear nothing any more."""
        with self._lock:
            for watch in ear.watches:
                ears = self._ears.get(watch, [])
                with contextlib.suppress(ValueError):
                    ears.remove(ear)
                if not ears and self._ears.pop(watch, None) is not None:
                    self._libc.inotify_rm_watch(self._number, watch)
            ear.watches = {}

    def pull(self) -> set[Ear]:
        """Tell the ears what has happened until now. Those that heard something."""
        heard: set[Ear] = set()
        with self._lock:
            while True:
                try:
                    told = os.read(self._number, PIECE)
                except BlockingIOError:
                    return heard
                self._tell(told, heard)

    def _tell(self, told: bytes, heard: set[Ear]) -> None:
        at = 0
        while at < len(told):
            watch, mask, _, length = HEADER.unpack_from(told, at)
            name = told[at + HEADER.size : at + HEADER.size + length].rstrip(b"\0")
            at += HEADER.size + length
            if mask & OVERFLOW:
                for ear in {one for ears in self._ears.values() for one in ears}:
                    ear.deaf = True
            elif mask & GONE:
                self._ears.pop(watch, None)
            elif mask & OPENED and not mask & IS_FOLDER and name:
                for ear in self._ears.get(watch, ()):
                    path = ear.watches.get(watch, "")
                    last = os.fsdecode(name)
                    ear.opened(f"{path}/{last}" if path else last)
                    heard.add(ear)

    def _listen(self) -> None:
        poll = select.poll()
        poll.register(self._number, select.POLLIN)
        while True:
            poll.poll()
            for ear in self.pull():
                if ear.awake is not None:
                    ear.awake()


_listening: dict[int, Listening | None] = {}
_making = threading.Lock()


def listening() -> Listening | None:
    """The one of this process, a fork of it has its own; None where the machine has no such thing."""
    with _making:
        if os.getpid() not in _listening:
            try:
                _listening[os.getpid()] = Listening()
            except (OSError, AttributeError):
                _listening[os.getpid()] = None
        return _listening[os.getpid()]
