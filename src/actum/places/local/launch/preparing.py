"""The life of the zygote, from its first message to its last fork."""

import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Callable

from actum.places.guest import boot
from actum.places.local.launch import rootfs, shown
from actum.places.local.launch.confine import FOLDER, FRAMES, Limits, Walls, map_account, real_pid
from actum.places.local.launch.fork_loop import ForkLoop
from actum.places.local.launch.kernel import (
    PR_SET_DUMPABLE,
    Refused,
    address,
    address_randomisation,
    call,
    die_with_parent,
    unshare,
)
from actum.places.local.launch.trial import try_once

STACK = 8 << 20
LONGEST_MESSAGE = 1 << 20
FIRST_FREE_DESCRIPTOR = 16
FAILED = 97


class Settings:
    """What the host says once, before anything is built."""

    def __init__(self, said: dict[str, object]) -> None:
        self.level = str(said["level"])
        self.work = str(said["work"])
        self.root = str(said["root"])
        self.own = str(said["own"])
        self.readable: list[str] = said["readable"]
        self.packages: list[str] = said["packages"]
        self.preload: list[str] = said["preload"]
        self.account = int(said["account"])  # pyright: ignore[reportArgumentType]
        self.full = self.level == "full"


class Control:
    """The socket to the host."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.socket = socket.socket(fileno=descriptor)

    def tell(self, **facts: object) -> None:
        self.socket.send(json.dumps(facts).encode())


def fix_the_stack() -> None:
    """The stack limit at the time of `exec` decides where the kernel puts everything else."""
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    if resource.getrlimit(resource.RLIMIT_STACK)[0] != STACK and (hard < 0 or hard >= STACK):
        resource.setrlimit(resource.RLIMIT_STACK, (STACK, hard))
        os.execv(sys.executable, [sys.executable, "-S", "-s", "-P", "-B", sys.argv[0]])


def run(fork: Callable[[], int]) -> None:
    """Build, say what was built, and serve; or say which step was refused, and end."""
    fix_the_stack()
    control = take_control()
    settings = Settings(json.loads(control.socket.recv(LONGEST_MESSAGE)))
    try:
        die_with_parent()
        account = (
            enter_namespaces(settings, control, fork) if settings.full else leave_root(settings)
        )
        walls = prepare(settings, account)
        try_once(walls, fork)
        control.tell(
            state="walls",
            layers=walls.layers,
            randomisation=address_randomisation(),
            filter=walls.filter_program.hex(),
            account=settings.account,
        )
        preload(settings)
        finish(settings, control, walls)
    except BaseException as problem:
        step = problem.step if isinstance(problem, Refused) else type(problem).__name__
        control.tell(
            state="failed", step=step, why=str(problem), trace=traceback.format_exc()[-4000:]
        )
        os._exit(FAILED)


def take_control() -> Control:
    """Move the host's socket out of the low numbers, and keep those for sessions."""
    import fcntl

    descriptor = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE_DESCRIPTOR)
    empty = os.open("/dev/null", os.O_RDWR)
    for number in range(FIRST_FREE_DESCRIPTOR):
        if number not in (2, empty):
            os.dup2(empty, number)
    return Control(descriptor)


def enter_namespaces(
    settings: Settings, control: Control, fork: Callable[[], int]
) -> tuple[int, int]:
    """Level `full`. Returns the account, as this user namespace counts it, behind the sessions."""
    user, group = os.geteuid(), os.getegid()
    as_root = user == 0
    if as_root:
        # Root builds the tree while it can read everything, and then is root no more.
        unshare("mount")
        build_root(settings)
        rootfs.mount("proc", "/proc", "proc", 0)
        user, group = become(settings.account, settings)
    unshare("user", "mount", "pid", "net", "ipc", "uts", "cgroup")
    settings.account = user
    map_account(0, user, group)
    zygote = fork()
    if zygote:
        wait_for(zygote, control)
    die_with_parent()
    proc_flags = rootfs.NO_SUID | rootfs.NO_DEVICES | rootfs.NO_EXECUTION
    if as_root:
        rootfs.mount("proc", "/proc", "proc", proc_flags)
    else:
        build_root(
            settings,
            before_pivot=lambda root: rootfs.mount("proc", f"{root}/proc", "proc", proc_flags),
        )
    name, kept = address("sandbox")
    call("sethostname", name, 7)
    del kept
    return 0, 0


def wait_for(zygote: int, control: Control) -> None:
    """Stand outside the pid namespace until the zygote ends; it ends when the host does."""
    control.socket.close()
    while True:
        try:
            os._exit(os.waitstatus_to_exitcode(os.waitpid(zygote, 0)[1]) & 255)
        except InterruptedError:
            continue


def build_root(settings: Settings, before_pivot: Callable[[str], None] | None = None) -> None:
    """Make the new root out of what sessions may read, and enter it."""
    rootfs.make_private()
    tree = rootfs.Tree(settings.root, settings.work)
    for path in settings.readable:
        tree.show(path)
    if before_pivot is not None:
        before_pivot(settings.root)
    tree.enter()


def leave_root(settings: Settings) -> tuple[int, int]:
    """Level `landlock`: sessions run as the host's account, or as nobody's where root can."""
    own = os.open(settings.own, os.O_RDONLY | os.O_DIRECTORY)
    os.dup2(own, FOLDER)
    os.close(own)
    if os.geteuid() == 0:
        become(settings.account, settings, before=give_own_folder)
    settings.account = os.geteuid()
    return os.geteuid(), os.getegid()


def give_own_folder(account: int) -> None:
    """The zygote keeps its folder when it changes account."""
    os.fchown(FOLDER, account, account)


def become(
    account: int, settings: Settings, before: Callable[[int], None] | None = None
) -> tuple[int, int]:
    """Take an account that nobody uses, if it can read what it must. 0 means: stay."""
    if account == 0 or not can_read(account, [HERE, *settings.readable]):
        return os.geteuid(), os.getegid()
    if before is not None:
        before(account)
    os.setgroups([])
    os.setresgid(account, account, account)
    os.setresuid(account, account, account)
    # Both are lost with the change of account.
    call("prctl", PR_SET_DUMPABLE, 1)
    die_with_parent()
    return account, account


HERE = os.path.dirname(os.path.abspath(__file__))


def can_read(account: int, paths: list[str]) -> bool:
    """Try it as that account: what root may read says nothing."""
    paths = [path for path in paths if os.path.lexists(path)]
    try:
        os.setegid(account)
        os.seteuid(account)
    except OSError:
        os.setegid(0)
        return False
    try:
        return all(os.access(path, os.R_OK, effective_ids=True) for path in paths)
    finally:
        os.seteuid(0)
        os.setegid(0)


def prepare(settings: Settings, account: tuple[int, int]) -> Walls:
    """Make the walls ready."""
    walls = Walls(settings.level, settings.work, settings.readable, account)
    walls.layers["namespaces"] = "ok" if settings.full else "not used"
    walls.layers["seccomp"] = "ok"
    return walls


def preload(settings: Settings) -> None:
    """Import what many programs want, once for all of them."""
    sys.path.extend(settings.packages)
    for name in settings.preload:
        importlib.import_module(name)


def finish(settings: Settings, control: Control, walls: Walls) -> None:
    """Close what is left open, freeze the heap, and serve until the host is gone."""
    leaks = list(boot.audit())
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        raise RuntimeError(f"preloading made {threads - 1} threads; a fork would lose them")
    if leaks:
        raise RuntimeError(
            "not under the session's clock and entropy: " + ", ".join(map(str, leaks))
        )
    if walls.full:
        rootfs.make_read_only("/")
    own = os.open("/proc/self/ns/pid", os.O_RDONLY) if walls.full else -1
    loop = ForkLoop(control.descriptor, full=walls.full, own_pid_namespace=own)
    parent = real_pid()

    def child() -> None:
        become_session(loop, walls, parent)

    signal.signal(signal.SIGINT, signal.default_int_handler)
    control.tell(state="ready", threads=threads)
    gc.collect()
    gc.freeze()
    loop.rehearse()
    loop.serve(child)
    os._exit(0)


def become_session(loop: ForkLoop, walls: Walls, parent: int) -> None:
    """In the fork: take the descriptors, raise the walls, and never come back."""
    try:
        frames, output, errors, folder = (descriptor.value for descriptor in loop.taken)
        os.dup2(output, 1)
        os.dup2(errors, 2)
        os.dup2(frames, FRAMES)
        os.dup2(folder, FOLDER)
        order = loop.order
        limits = Limits(order.memory_mb, order.disk_mb, order.cpu_seconds)
        folders = shown.receive(FRAMES, order.folders)
        walls.confine(parent, real_pid(), limits, folders)
        if walls.full:
            shown.give_own_folder(FRAMES, FOLDER)
        boot.serve(FRAMES, walls.work)
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(FAILED)
