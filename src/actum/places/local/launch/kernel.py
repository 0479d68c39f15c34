"""System calls by name, with numbers from a table: the interpreter has no word for most of them."""

import ctypes
import json
import os
import platform

MACHINE = platform.machine()
TABLE_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "syscalls.json")

with open(TABLE_FILE, encoding="ascii") as _file:
    TABLES: dict[str, dict[str, int]] = json.load(_file)
NUMBERS = TABLES.get(MACHINE, {})

libc = ctypes.CDLL(None, use_errno=True)
_syscall = libc.syscall
_syscall.restype = ctypes.c_long
_syscall.argtypes = [ctypes.c_long] * 7

NEW_NAMESPACE = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}
ADDR_NO_RANDOMIZE = 0x0040000
READ_PERSONALITY = 0xFFFFFFFF

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECUREBITS = 28
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
NO_ROOT_FOR_GOOD = 0x2F
"""Uid 0 means nothing to capabilities any more, and that cannot be taken back."""

SIGKILL = 9


class Refused(OSError):
    """The kernel said no. `step` names the call, for whoever must be told why."""

    def __init__(self, number: int, step: str) -> None:
        super().__init__(number, f"{step}: {os.strerror(number)}")
        self.step = step


def attempt(name: str, *arguments: int) -> int:
    """Make a system call; what it answers, or minus the error number."""
    if name not in NUMBERS:
        return -38
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    answer = _syscall(NUMBERS[name], *padded)
    return -ctypes.get_errno() if answer < 0 else answer


def call(name: str, *arguments: int, step: str = "") -> int:
    """Make a system call; raise `Refused` where the kernel does."""
    answer = attempt(name, *arguments)
    if answer < 0:
        raise Refused(-answer, step or name)
    return answer


def address(text: str | bytes | None) -> tuple[int, object]:
    """Where these bytes stand in memory, and what keeps them there."""
    if text is None:
        return 0, None
    buffer = ctypes.create_string_buffer(os.fsencode(text))
    return ctypes.addressof(buffer), buffer


def unshare(*kinds: str) -> None:
    """Leave these namespaces for new ones."""
    flags = 0
    for kind in kinds:
        flags |= NEW_NAMESPACE[kind]
    call("unshare", flags, step="unshare " + " ".join(kinds))


def die_with_parent() -> None:
    """Be killed when the thread that made this process ends."""
    call("prctl", PR_SET_PDEATHSIG, SIGKILL)


def address_randomisation() -> str:
    """`off`, or `on` where the kernel would not let it be turned off."""
    now = attempt("personality", READ_PERSONALITY)
    return "off" if now >= 0 and now & ADDR_NO_RANDOMIZE else "on"


def drop_capabilities() -> None:
    """Give up every capability, now and for whatever comes after."""
    attempt("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    attempt("prctl", PR_SET_SECUREBITS, NO_ROOT_FOR_GOOD)
    call("capset", _CAPABILITY_HEADER_AT, _NO_CAPABILITIES_AT)


def no_new_privileges() -> None:
    """No file that is executed gives more rights. Landlock and seccomp ask for it."""
    call("prctl", PR_SET_NO_NEW_PRIVS, 1)


# Made once: what a session does before its first line is paid for by every session.
_CAPABILITY_HEADER = (ctypes.c_uint32 * 2)(0x20080522, 0)
_NO_CAPABILITIES = (ctypes.c_uint32 * 6)()
_CAPABILITY_HEADER_AT = ctypes.addressof(_CAPABILITY_HEADER)
_NO_CAPABILITIES_AT = ctypes.addressof(_NO_CAPABILITIES)
