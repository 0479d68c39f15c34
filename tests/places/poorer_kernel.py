"""Run a command as on a poorer kernel: some system calls are refused, as containers refuse them.

python poorer_kernel.py docker python -c ...
"""

import ctypes
import os
import platform
import struct
import sys

COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]
NUMBERS = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount_setattr": (442, 442),
    "personality": (135, 92),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "seccomp": (317, 277),
}
NAMESPACES = ("mount", "umount2", "pivot_root", "unshare", "setns", "mount_setattr", "personality")
LANDLOCK = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
EPERM, ENOSYS = 1, 38
KERNELS: dict[str, dict[str, int]] = {
    "docker": dict.fromkeys(NAMESPACES, EPERM),
    "no-mounts": dict.fromkeys(("mount", "umount2", "pivot_root", "mount_setattr"), EPERM),
    "no-landlock": dict.fromkeys(LANDLOCK, ENOSYS),
    "no-seccomp": {"seccomp": ENOSYS},
    "no-wall": {
        **dict.fromkeys(NAMESPACES, EPERM),
        **dict.fromkeys(LANDLOCK, ENOSYS),
        "seccomp": ENOSYS,
    },
}
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
NO_NEW_PRIVS, SET_SECCOMP, FILTER = 38, 22, 2


def refuse(errors: dict[str, int]) -> None:
    """From now on these calls fail with these errors, here and in every child."""
    steps = [struct.pack("HBBI", LOAD, 0, 0, 0)]
    for name, error in errors.items():
        steps.append(struct.pack("HBBI", EQUAL, 0, 1, NUMBERS[name][COLUMN]))
        steps.append(struct.pack("HBBI", RETURN, 0, 0, REFUSE | error))
    steps.append(struct.pack("HBBI", RETURN, 0, 0, ALLOW))
    code = ctypes.create_string_buffer(b"".join(steps))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code))
    )
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0
    ):
        raise OSError(ctypes.get_errno(), "seccomp")


if __name__ == "__main__":
    refuse(KERNELS[sys.argv[1]])
    os.execv(sys.argv[2], sys.argv[2:])
