"""Folders of the host that one session is shown, read-only, in its work folder.

They come from the host as descriptors, ahead of the first frame. No path comes with them: a session
that is shown a copy of a folder has the same heap as one that is shown the folder itself.
"""

import os
import socket
import struct

from actum.places.local.launch.kernel import address, call

LENGTH = struct.Struct("=I")
MOST = 8
"""How many at once: as many low descriptors as the zygote keeps free for them."""
CURRENT_FOLDER = -100
FROM_DESCRIPTOR = 4


def receive(frames: int, count: int) -> list[tuple[str, int]]:
    """Take the folders that the host has sent: the name of each, and its descriptor."""
    if not count:
        return []
    with socket.socket(fileno=os.dup(frames)) as sent:
        header, given, _, _ = socket.recv_fds(sent, LENGTH.size, count)
        names = sent.recv(LENGTH.unpack(header)[0], socket.MSG_WAITALL).decode().split("\n")
    return list(zip(names, given, strict=True))


def attach(folders: list[tuple[str, int]]) -> None:
    """Level `full`: mount each in the current folder. The host has made them read-only."""
    nothing, kept = address("")
    for name, descriptor in folders:
        os.mkdir(name, 0o500)
        target, also_kept = address(name)
        call("move_mount", descriptor, nothing, CURRENT_FOLDER, target, FROM_DESCRIPTOR)
        del also_kept
    del kept


def keep_open(folders: list[tuple[str, int]], first: int) -> int:
    """Level `landlock`: give them the numbers from `first` on. The first number that is free then.

    The zygote keeps the low numbers for this, so that no descriptor in use is replaced.
    """
    for number, (_, descriptor) in enumerate(folders, first):
        os.dup2(descriptor, number)
    return first + len(folders)


def link(folders: list[tuple[str, int]], first: int) -> None:
    """Level `landlock`: a link in the work folder leads to each, whatever lies above it."""
    for number, (name, _) in enumerate(folders, first):
        os.symlink(f"/proc/self/fd/{number}", name)


def give_own_folder(frames: int, folder: int) -> None:
    """Level `full`: let the host see the work folder, which no path of its own leads to."""
    with socket.socket(fileno=os.dup(frames)) as sent:
        socket.send_fds(sent, [b"\0"], [folder])
