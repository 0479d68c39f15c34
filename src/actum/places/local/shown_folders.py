"""Folders of the host on their way into one session: opened, checked, and made read-only."""

import contextlib
import errno
import json
import os
import socket
import subprocess
from collections.abc import Generator, Sequence
from pathlib import Path

from actum.errors import NotSetUp, UserMistake
from actum.places.local import launch
from actum.places.local.interpreter import folder_of
from actum.places.local.launch.clones import clone
from actum.places.local.launch.shown import LENGTH, MOST
from actum.places.local.zygote_process import ZygoteProcess
from actum.records.sessions import Mount

PATIENCE = 30.0


class ShownFolders:
    """The descriptors of what one session is shown. Closed when the session has them."""

    def __init__(self, mounts: Sequence[Mount], zygote: ZygoteProcess) -> None:
        if len(mounts) > MOST:
            raise UserMistake(f"{len(mounts)} folders are mounted, and {MOST} is the most")
        self._names = [mount.name for mount in mounts]
        with opened([mount.path for mount in mounts]) as folders:
            if zygote.plan.level == "full":
                self._descriptors = clones(folders, zygote)
            else:
                self._descriptors = [os.dup(folder) for folder in folders]

    def __len__(self) -> int:
        return len(self._names)

    def send(self, frames: socket.socket) -> None:
        """Put them ahead of the first frame."""
        if not self._names:
            return
        names = "\n".join(self._names).encode()
        socket.send_fds(frames, [LENGTH.pack(len(names))], self._descriptors)
        frames.sendall(names)

    def close(self) -> None:
        """Let go of them."""
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []


@contextlib.contextmanager
def opened(paths: Sequence[str]) -> Generator[list[int]]:
    """Each folder itself, whatever its name leads to from now on."""
    folders: list[int] = []
    try:
        for path in paths:
            try:
                folder = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            except OSError as problem:
                raise NotSetUp(
                    f"the folder {path} cannot be mounted", why=problem.strerror or str(problem)
                ) from None
            folders.append(folder)
        yield folders
    finally:
        for folder in folders:
            os.close(folder)


def clones(folders: Sequence[int], zygote: ZygoteProcess) -> list[int]:
    """Read-only mounts of these folders, that belong to nobody yet."""
    if not folders:
        return []
    paths = [str(Path(f"/proc/self/fd/{folder}").readlink()) for folder in folders]
    try:
        return cloned_here(paths, folders, zygote)
    except OSError as problem:
        if problem.errno == errno.EPERM:
            return cloned_by_helper(paths, folders, zygote)
        raise refused(str(problem)) from None


def cloned_here(paths: list[str], folders: Sequence[int], zygote: ZygoteProcess) -> list[int]:
    """As root: with the right to mount. Files of root are the session's own to read."""
    namespace = None
    if zygote.told.account != os.geteuid():
        namespace = os.open(f"/proc/{zygote.pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    found: list[int] = []
    try:
        for path, folder in zip(paths, folders, strict=True):
            found.append(clone(path, folder, namespace))
    except OSError:
        for descriptor in found:
            os.close(descriptor)
        raise
    finally:
        if namespace is not None:
            os.close(namespace)
    return found


def cloned_by_helper(paths: list[str], folders: Sequence[int], zygote: ZygoteProcess) -> list[int]:
    """As anybody else: by a process in a user namespace of its own, where that right is free."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    script = str(Path(folder_of(launch.__file__), "clone_folders.py"))
    executable = zygote.plan.interpreter.executable
    with ours:
        ours.settimeout(PATIENCE)
        with theirs:
            socket.send_fds(ours, [json.dumps(paths).encode()], list(folders))
            helper = subprocess.Popen(
                [executable, "-I", "-S", "-B", script],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
            )
        try:
            said, given, _, _ = socket.recv_fds(ours, 4096, MOST)
        except OSError as problem:
            said, given = str(problem).encode(), []
        finally:
            helper.kill()
            helper.wait()
    if len(given) != len(folders):
        raise refused(said.decode(errors="replace") or "the process that mounts it has died")
    for descriptor in given:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 -- the standard library's own shape
    return given


def refused(why: str) -> NotSetUp:
    """The kernel does not let us."""
    return NotSetUp(
        "a folder could not be mounted read-only",
        why=why,
        hints=("Linux from 5.12 on can; see what this machine has:   actum doctor",),
    )
