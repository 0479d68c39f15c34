"""The first thing that runs in the fresh interpreter: make the walls, load the libraries, fork.

python -S -s -P -B zygote.py        with the host's socket as standard input
"""

import posix
import sys
import types

HERE = __file__.rpartition("/")[0]
ACTUM = HERE.rpartition("/places/")[0]
fork = posix.fork


def make_shell(name: str, folder: str) -> None:
    """A package that holds nothing itself: what stands below it is found, what it imports is not."""
    shell = types.ModuleType(name)
    shell.__path__ = [folder]
    sys.modules[name] = shell


make_shell("actum", ACTUM)
make_shell("actum.places", f"{ACTUM}/places")
make_shell("actum.places.local", f"{ACTUM}/places/local")

# Clock, entropy and threads become the session's own before anything else is imported.
from actum.places.guest import boot  # noqa: E402

boot.install()

from actum.places.local.launch import preparing  # noqa: E402

if __name__ == "__main__":
    preparing.run(fork)
