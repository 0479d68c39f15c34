"""A first process is confined and knocks at the doors: walls are tried, never assumed."""

import os
import posix
import socket
from collections.abc import Callable

from actum.places.local.launch.confine import Limits, Walls, real_pid
from actum.places.local.launch.kernel import Refused, call, unshare

FAILED = 97


def try_once(walls: Walls, fork: Callable[[], int]) -> None:
    """Confine a first process and see that the walls hold. It also makes the later ones alike."""
    reading, writing = os.pipe()
    if walls.full:
        unshare("pid")
    parent = real_pid()
    child = fork()
    if child == 0:
        problem = tried(walls, parent, writing)
        os.write(2 if problem is None else 1, (problem or "").encode())
        os._exit(0 if problem is None else FAILED)
    os.close(writing)
    if walls.full:
        stay_in_own_pid_namespace()
    said = os.read(reading, 4096).decode()
    os.close(reading)
    os.waitpid(child, 0)
    if said != "":
        step, _, why = said.partition("|")
        number, _, text = why.partition("|")
        raise Refused(int(number), step) if number.isdigit() else RuntimeError(f"{step}: {text}")


def stay_in_own_pid_namespace() -> None:
    """The next fork, if it is no session, is to be seen from here again."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    call("setns", own, 0)
    os.close(own)


def tried(walls: Walls, parent: int, writing: int) -> str | None:
    """What a confined process sees; None where the walls hold."""
    try:
        os.dup2(writing, 1)
        walls.confine(parent, real_pid(), Limits(256, 8, 60))
    except Refused as refused:
        return f"{refused.step}|{refused.errno}|"
    except BaseException as problem:
        return f"confine|-|{problem!r}"
    for name, door in DOORS.items():
        try:
            door()
        except OSError:
            continue
        return f"{name}|-|it was refused by nobody"
    return None


def read_the_root() -> None:
    """At level `full` there is no such folder; at `landlock` it is closed."""
    os.listdir("/sys/kernel")


DOORS: dict[str, Callable[[], object]] = {
    "seccomp": lambda: socket.socket(socket.AF_INET),
    "processes": posix.fork,
    "files": read_the_root,
}
