"""A folder's mount once more, read-only and in no namespace: a session puts it where it wants it."""

import ctypes
import os
import struct

from actum.places.local.launch.kernel import address, call

CURRENT_FOLDER = -100
CLONE, CLOSE_ON_EXEC = 1, os.O_CLOEXEC
EMPTY_PATH, RECURSIVE = 0x1000, 0x8000
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXECUTION = 1, 2, 4, 8
MAP_ACCOUNTS = 0x00100000


def clone(path: str, folder: int, namespace: int | None = None) -> int:
    """Clone what is mounted at this path, if the folder that was opened before is still there.

    With `namespace`, a user namespace: what belongs to its root here belongs to root there.
    """
    place, kept = address(path)
    copy = call(
        "open_tree", CURRENT_FOLDER, place, CLONE | CLOSE_ON_EXEC | RECURSIVE, step=f"mount {path}"
    )
    del kept
    wanted, got = os.fstat(folder), os.fstat(copy)
    if (wanted.st_dev, wanted.st_ino) != (got.st_dev, got.st_ino):
        os.close(copy)
        raise FileNotFoundError(2, "it was moved away while it was being mounted", path)
    set_attributes(copy, READ_ONLY | NO_SUID | NO_DEVICES | NO_EXECUTION)
    if namespace is not None:
        map_accounts(copy, namespace)
    return copy


def set_attributes(copy: int, attributes: int, namespace: int = 0, how: int = RECURSIVE) -> None:
    """Change a mount that is in no namespace yet, with all that is mounted below it."""
    packed = ctypes.create_string_buffer(struct.pack("QQQQ", attributes, 0, 0, namespace), 32)
    nothing, kept = address("")
    call("mount_setattr", copy, nothing, EMPTY_PATH | how, ctypes.addressof(packed), 32)
    del kept


def map_accounts(copy: int, namespace: int) -> None:
    """Not every file system can; then the session reads what everybody may."""
    try:
        set_attributes(copy, MAP_ACCOUNTS, namespace, how=0)
    except OSError:
        return
