"""Clones folders of the host for a session, where only a user namespace gives the right to do it.

python -I -S -B clone_folders.py        with the host's socket as standard input

In: the folders, opened, with the path of each. Out: read-only copies of their mounts, in no namespace.
"""

import json
import os
import socket
import sys
import types

HERE = __file__.rpartition("/")[0]
ACTUM = HERE.rpartition("/places/")[0]
LONGEST_MESSAGE = 1 << 16


def make_shell(name: str, folder: str) -> None:
    """A package that holds nothing itself, as in `zygote.py`."""
    shell = types.ModuleType(name)
    shell.__path__ = [folder]
    sys.modules[name] = shell


make_shell("actum", ACTUM)
make_shell("actum.places", f"{ACTUM}/places")
make_shell("actum.places.local", f"{ACTUM}/places/local")

from actum.places.local.launch.clones import clone  # noqa: E402
from actum.places.local.launch.kernel import unshare  # noqa: E402
from actum.places.local.launch.shown import MOST  # noqa: E402


def run() -> None:
    """Take the order, and answer with the clones or with what was refused."""
    with socket.socket(fileno=0) as host:
        said, folders, _, _ = socket.recv_fds(host, LONGEST_MESSAGE, MOST)
        try:
            # Its own copy of the host's mounts: there it may do what it may not do here.
            unshare("user", "mount")
            paths: list[str] = json.loads(said)
            clones = [clone(path, folder) for path, folder in zip(paths, folders, strict=True)]
        except OSError as problem:
            host.send(str(problem).encode())
            return
        socket.send_fds(host, [b"\0"], clones)


if __name__ == "__main__":
    run()
    os._exit(0)
