"""From a fresh fork to a process that can hold any program. Every step that fails ends it."""

import os
import resource

from actum.places.local.launch import landlock, rootfs, seccomp, shown
from actum.places.local.launch.kernel import (
    call,
    die_with_parent,
    drop_capabilities,
    no_new_privileges,
    unshare,
)

FRAMES, FOLDER = 3, 4
"""The descriptors of a session: nothing, output, errors, frames, its folder. No others, but for one
for each folder that it is shown where there are no mounts."""

Folders = list[tuple[str, int]]
"""What a session is shown: names, and descriptors."""

MEGABYTE = 1 << 20
ADDRESS_HEADROOM_MB = 2048
"""Libraries reserve far more addresses than they use; the watcher counts what is used."""
MOST_DESCRIPTORS = 256
MOST_THREADS = 64
MOST_FILES = 4096
ACCOUNT_INSIDE = 1000


class Walls:
    """All that can be made ready before the fork."""

    def __init__(
        self, level: str, work: str, readable: list[str], account: tuple[int, int]
    ) -> None:
        self.full = level == "full"
        self.work = work
        self.account = account
        self.layers: dict[str, str] = {}
        self.filter_program = seccomp.build(own_pid_only=not self.full)
        self.filter = seccomp.Filter(self.filter_program)
        self.rules = self._landlock_rules(readable)
        self.empty = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)

    def _landlock_rules(self, readable: list[str]) -> landlock.Rules | None:
        try:
            rules = landlock.Rules(["/"] if self.full else readable)
        except OSError as problem:
            if not self.full:
                raise
            self.layers["landlock"] = f"missing: {problem.strerror}"
            return None
        scope = "" if rules.abi >= 6 else ", without scopes for signals and sockets"
        self.layers["landlock"] = f"ok: version {rules.abi}{scope}"
        return rules

    def confine(
        self, parent: int, own_pid: int, limits: "Limits", folders: "Folders | None" = None
    ) -> None:
        """Raise the walls around this process, the last of them around the rest of its life."""
        folders = folders or []
        first_free = FOLDER + 1
        die_with_parent()
        # At level `full` the parent is not visible, and takes the whole pid namespace with it.
        if not self.full and os.getppid() != parent:
            raise ProcessLookupError("the parent is gone")
        if self.full:
            self._own_mounts(limits)
            shown.attach(folders)
        else:
            os.chdir(self.work)
            first_free = shown.keep_open(folders, first_free)
            shown.link(folders, FOLDER + 1)
        os.dup2(self.empty, 0)
        if self.full:
            self._own_user()
        limits.enter(alone=self.full)
        drop_capabilities()
        no_new_privileges()
        if self.rules is not None:
            self._enter_landlock(self.rules, range(FOLDER + 1, first_free))
        os.closerange(first_free, 1 << 30)
        self.filter.enter(own_pid)

    def _own_mounts(self, limits: "Limits") -> None:
        unshare("mount", "ipc")
        options = f"size={limits.disk_mb}m,nr_inodes={MOST_FILES},mode=700"
        rootfs.mount("tmpfs", self.work, "tmpfs", rootfs.NO_SUID | rootfs.NO_DEVICES, options)
        os.chdir(self.work)
        for name in (".tmp", ".shm", "out"):
            os.mkdir(name, 0o700)
        flags = rootfs.NO_SUID | rootfs.NO_DEVICES | rootfs.NO_EXECUTION
        rootfs.mount("proc", "/proc", "proc", flags, "subset=pid,hidepid=2")
        os.dup2(os.open(".", os.O_RDONLY | os.O_DIRECTORY), FOLDER)

    def _own_user(self) -> None:
        """A user namespace of its own: no rights over the mounts, and its own count of threads."""
        unshare("user")
        map_account(ACCOUNT_INSIDE, *self.account)

    def _enter_landlock(self, rules: landlock.Rules, folders: range) -> None:
        own = [(FOLDER, rules.everything)]
        own.extend((folder, landlock.READ) for folder in folders)
        if not self.full:
            # Closed with all the others, as soon as the rules hold.
            own.append((os.open("/proc/self", os.O_PATH), landlock.READ))
        rules.enter(own)


def map_account(inside: int, user: int, group: int) -> None:
    """Say which account of the outer user namespace stands behind the one in here."""
    write("/proc/self/setgroups", "deny")
    write("/proc/self/uid_map", f"{inside} {user} 1")
    write("/proc/self/gid_map", f"{inside} {group} 1")


def write(path: str, text: str) -> None:
    """Write a line into a file of the kernel."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    except OSError as problem:
        problem.filename = path
        raise
    finally:
        os.close(descriptor)


class Limits:
    """What one session may take, as the kernel counts it."""

    def __init__(self, memory_mb: int, disk_mb: int, cpu_seconds: int) -> None:
        self.disk_mb = disk_mb
        self.values = [
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_AS, (memory_mb + ADDRESS_HEADROOM_MB) * MEGABYTE),
            (resource.RLIMIT_NOFILE, MOST_DESCRIPTORS),
            (resource.RLIMIT_FSIZE, disk_mb * MEGABYTE),
            (resource.RLIMIT_MEMLOCK, 0),
            (resource.RLIMIT_MSGQUEUE, 0),
            (resource.RLIMIT_SIGPENDING, MOST_DESCRIPTORS),
            (resource.RLIMIT_CPU, cpu_seconds),
        ]

    def enter(self, *, alone: bool) -> None:
        """`alone`: this user namespace holds nothing else, so its threads can be counted."""
        for kind, value in self.values:
            lower(kind, value)
        if alone:
            lower(resource.RLIMIT_NPROC, MOST_THREADS)


def lower(kind: int, value: int) -> None:
    """Set a limit, for good, and never above what it was."""
    hard = resource.getrlimit(kind)[1]
    if hard not in (resource.RLIM_INFINITY, -1) and hard < value:
        value = hard
    resource.setrlimit(kind, (value, value))


def real_pid() -> int:
    """The pid that the kernel knows: the interpreter's may be made equal in every session."""
    return call("getpid")
