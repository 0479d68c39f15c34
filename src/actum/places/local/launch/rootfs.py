"""The root that a session sees at level `full`: empty, but for what the interpreter reads."""

import ctypes
import os
import struct

from actum.places.local.launch.kernel import Refused, address, attempt, call

READ_ONLY, NO_SUID, NO_DEVICES, NO_EXECUTION = 1, 2, 4, 8
REMOUNT, BIND, RECURSIVE, PRIVATE = 32, 4096, 16384, 1 << 18
DETACH = 2
AT_CURRENT_FOLDER, AT_RECURSIVE = -100, 0x8000
INVALID, NO_SUCH_CALL = 22, 38
DEVICES = ("null", "zero", "full", "random", "urandom")
SMALL_FILES = {
    "passwd": "agent:x:1000:1000::{work}:/nonexistent\n",
    "group": "agent:x:1000:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "hosts: files\npasswd: files\n",
    "resolv.conf": "",
}


def mount(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    """Mount, or raise `Refused` with the target named."""
    texts = [address(text) for text in (source, target, kind, data)]
    places = [place for place, _ in texts]
    call("mount", places[0], places[1], places[2], flags, places[3], step=f"mount {kind or target}")


def make_private() -> None:
    """Let no mount made here reach the host."""
    mount(None, "/", None, RECURSIVE | PRIVATE)


def make_read_only(path: str) -> None:
    """No writing, no devices, no set-user-id below this mount."""
    attributes = ctypes.create_string_buffer(
        struct.pack("QQQQ", READ_ONLY | NO_SUID | NO_DEVICES, 0, 0, 0), 32
    )
    place, kept = address(path)
    answer = attempt(
        "mount_setattr", AT_CURRENT_FOLDER, place, AT_RECURSIVE, ctypes.addressof(attributes), 32
    )
    del kept
    if answer == -NO_SUCH_CALL:
        # Before Linux 5.12 there is only this, which says nothing about mounts further down.
        mount(None, path, None, REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES)
    elif answer < 0:
        raise Refused(-answer, "mount_setattr")


class Tree:
    """A new root being built, with the paths of the host at the same places."""

    def __init__(self, root: str, work: str) -> None:
        self.root = root
        self._bound: list[str] = []
        mount("tmpfs", root, "tmpfs", NO_SUID | NO_DEVICES, "size=4m,nr_inodes=2048,mode=755")
        for folder in ("proc", "dev", "etc", "tmp"):
            os.mkdir(f"{root}/{folder}")
        os.makedirs(root + work, exist_ok=True)
        for name, text in SMALL_FILES.items():
            self._write(f"/etc/{name}", text.format(work=work))
        for name in DEVICES:
            self._write(f"/dev/{name}", "")
            mount(f"/dev/{name}", f"{root}/dev/{name}", None, BIND)
        os.symlink("/proc/self/fd", f"{root}/dev/fd")
        os.symlink(f"{work}/.shm", f"{root}/dev/shm")

    def _write(self, path: str, text: str) -> None:
        with open(self.root + path, "w", encoding="utf-8") as file:
            file.write(text)

    def show(self, path: str) -> None:
        """Make a path of the host readable here. Symbolic links on the way stay links."""
        real = self._lay(path)
        if not os.path.exists(real) or any(f"{real}/".startswith(f"{b}/") for b in self._bound):
            return
        target = self.root + real
        try:
            mount(real, target, None, BIND)
        except Refused as refused:
            # Mounts below that the host locked cannot be left behind: then they come along.
            if refused.errno != INVALID:
                raise
            mount(real, target, None, BIND | RECURSIVE)
        make_read_only(target)
        self._bound.append(real)

    def _lay(self, path: str) -> str:
        done = ""
        parts = [part for part in path.split("/") if part]
        for index, part in enumerate(parts):
            here = f"{done}/{part}"
            target = self.root + here
            if os.path.islink(here):
                text = os.readlink(here)
                if not os.path.lexists(target):
                    os.symlink(text, target)
                rest = "/".join(parts[index + 1 :])
                return self._lay(os.path.normpath(os.path.join(done or "/", text, rest)))
            if os.path.isdir(here):
                if not os.path.isdir(target):
                    os.mkdir(target)
            elif os.path.exists(here) and not os.path.exists(target):
                self._write(here, "")
            done = here
        return done or "/"

    def enter(self) -> None:
        """Make it the root, and let go of the old one."""
        os.chdir(self.root)
        place, kept = address(".")
        call("pivot_root", place, place)
        call("umount2", place, DETACH)
        del kept
        os.chdir("/")
