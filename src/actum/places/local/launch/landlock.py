"""Landlock: which files a process can reach, whatever its user may do."""

import ctypes
import os
import struct

from actum.places.local.launch.kernel import Refused, attempt, call

WRITE_FILE = 1 << 1
READ_FILE = 1 << 2
READ_FOLDER = 1 << 3
MAKE_CHAR_DEVICE = 1 << 6
MAKE_BLOCK_DEVICE = 1 << 11
TRUNCATE = 1 << 14
FILE_RIGHTS = WRITE_FILE | READ_FILE | TRUNCATE
READ = READ_FILE | READ_FOLDER

RULE_PATH_BENEATH = 1
VERSION_QUESTION = 1
NO_TCP_AT_ALL = 3
SCOPE_SOCKETS_AND_SIGNALS = 3

RULE = struct.Struct("=Qi")


def version() -> int:
    """The kernel's Landlock ABI; 0 where it has none."""
    return max(0, attempt("landlock_create_ruleset", 0, 0, VERSION_QUESTION))


def known_rights(abi: int) -> int:
    """Every file right that this kernel can refuse."""
    counts = {1: 13, 2: 14, 3: 15, 4: 15}
    return (1 << counts.get(abi, 16)) - 1


class Rules:
    """The rules of all sessions, with their paths held open: a session adds its own and enters.

    A ruleset belongs to one session: a rule that one adds would hold for all that share it.
    """

    def __init__(self, readable: list[str]) -> None:
        self.abi = version()
        if not self.abi:
            raise Refused(-attempt("landlock_create_ruleset", 0, 0, 1), "landlock_create_ruleset")
        self.rights = known_rights(self.abi)
        self.everything = self.rights & ~(MAKE_CHAR_DEVICE | MAKE_BLOCK_DEVICE)
        self._made: list[ctypes.Array[ctypes.c_char]] = []
        self._opened: list[int] = []
        for path in readable:
            self._hold(path, READ)
        self._hold("/dev/null", READ_FILE | WRITE_FILE)
        self._addresses = [ctypes.addressof(rule) for rule in self._made]
        self._attributes = self._describe()
        self._attributes_at = ctypes.addressof(self._attributes)
        self._own = ctypes.create_string_buffer(RULE.size)
        self._own_at = ctypes.addressof(self._own)

    def _describe(self) -> "ctypes.Array[ctypes.c_char]":
        fields = struct.pack("=Q", self.rights)
        if self.abi >= 4:
            fields += struct.pack("=Q", NO_TCP_AT_ALL)
        if self.abi >= 6:
            fields += struct.pack("=Q", SCOPE_SOCKETS_AND_SIGNALS)
        return ctypes.create_string_buffer(fields, len(fields))

    def _hold(self, path: str, rights: int) -> None:
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        if not os.path.isdir(path):
            rights &= FILE_RIGHTS
        self._opened.append(descriptor)
        packed = RULE.pack(rights & self.rights, descriptor)
        self._made.append(ctypes.create_string_buffer(packed, len(packed)))

    def enter(self, own: list[tuple[int, int]]) -> None:
        """Hold this process to the rules of all and to its own: (descriptor, rights)."""
        ruleset = call("landlock_create_ruleset", self._attributes_at, len(self._attributes), 0)
        for rule in self._addresses:
            call("landlock_add_rule", ruleset, RULE_PATH_BENEATH, rule, 0)
        for descriptor, rights in own:
            RULE.pack_into(self._own, 0, rights & self.rights, descriptor)
            call("landlock_add_rule", ruleset, RULE_PATH_BENEATH, self._own_at, 0)
        call("landlock_restrict_self", ruleset, 0)
        os.close(ruleset)
