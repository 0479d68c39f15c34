"""The system calls that a program may make: a list of what is allowed, and no for all else."""

import ctypes
import errno
import struct

from actum.places.local.launch.kernel import MACHINE, NUMBERS, call

SET_FILTER = 1
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_CALLS = 0x40000000

# What a filter is written in: classic BPF.
LOAD, JUMP, RETURN = 0x20, 0x05, 0x06
EQUAL, GREATER, AT_LEAST, ANY_BIT = 0x15, 0x25, 0x35, 0x45
ALLOW, KILL = 0x7FFF0000, 0x80000000
NUMBER_AT, ARCHITECTURE_AT = 0, 4

OWN_PID = 0x41435455
"""Stands where a session's own pid goes: the filter is built once and filled in by each."""

CLONE_THREAD = 0x00010000
CLONE_ANY_NAMESPACE = 0x7E020000
AF_UNIX = 1
TERMINAL_QUESTIONS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
HARMLESS_PRCTL = (15, 16, 3, 23, 21, 39)
"""Names of threads; whether dumpable, which filter, which capabilities, no new privileges."""
SIGNALLING_FCNTL = (8, 10, 15, 1024, 1026)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY: signals sent by way of a descriptor."""

ALLOWED = {
    "files": """read write open openat close stat fstat lstat newfstatat statx lseek pread64
        pwrite64 readv writev preadv pwritev access faccessat faccessat2 getdents64 getdents getcwd
        chdir fchdir rename renameat renameat2 mkdir mkdirat rmdir link linkat unlink unlinkat
        symlink symlinkat readlink readlinkat umask truncate ftruncate fallocate fsync fdatasync
        flock sendfile copy_file_range statfs fstatfs fadvise64 getxattr lgetxattr fgetxattr
        listxattr llistxattr flistxattr dup dup2 dup3 pipe pipe2 close_range""",
    "memory": "mmap mprotect munmap mremap brk msync madvise",
    "threads and time": """futex set_robust_list get_robust_list rseq membarrier sched_yield
        set_tid_address clock_gettime clock_getres gettimeofday time nanosleep clock_nanosleep
        getitimer setitimer alarm timer_create timer_settime timer_gettime timer_delete
        timer_getoverrun timerfd_create timerfd_settime timerfd_gettime times getrusage
        sched_get_priority_max sched_get_priority_min arch_prctl exit exit_group
        restart_syscall""",
    "waiting": """poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait
        epoll_pwait epoll_pwait2 eventfd eventfd2 pause wait4 waitid""",
    "signals": """rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait
        rt_sigsuspend sigaltstack signalfd signalfd4""",
    "who and where": """getpid gettid getppid getuid getgid geteuid getegid getpgrp getgroups
        getresuid getresgid uname sysinfo getrandom getrlimit setrlimit getcpu capget""",
    "sockets already open": """sendto recvfrom sendmsg recvmsg shutdown getsockopt setsockopt
        getsockname getpeername""",
}
METADATA_WRITES = """chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat chown fchown
    lchown fchownat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr""".split()
METADATA_ALLOWED = "chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat".split()
ABOUT_A_PROCESS = """sched_getaffinity sched_setaffinity sched_getparam sched_getscheduler getpgid
    getsid""".split()
SIGNALS_TO_A_PROCESS = ["kill", "tgkill"]

# A tail of instructions: `deny` answers with this error.
NOT_PERMITTED = 0x00050000 | errno.EPERM


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One step of a filter."""
    return struct.pack("HBBI", code, if_true, if_false, value & 0xFFFFFFFF)


def answer(error: int) -> int:
    """What a filter returns to refuse with this error; 0 pretends that the call worked."""
    return 0x00050000 | error


def load_argument(index: int) -> bytes:
    """Look at the lower half of an argument of the call."""
    return instruction(LOAD, 16 + 8 * index)


ALLOWS = instruction(RETURN, ALLOW)
DENIES = instruction(RETURN, NOT_PERMITTED)


def only_where_argument_is(
    index: int, values: tuple[int, ...], refusal: int = NOT_PERMITTED
) -> list[bytes]:
    """Allow the call where one argument is one of these."""
    tests = [
        instruction(EQUAL, value, len(values) - position, 0)
        for position, value in enumerate(values)
    ]
    return [load_argument(index), *tests, instruction(RETURN, refusal), ALLOWS]


def unless_argument_is(index: int, values: tuple[int, ...]) -> list[bytes]:
    """Refuse the call where one argument is one of these."""
    tests = [
        instruction(EQUAL, value, len(values) - position, 0)
        for position, value in enumerate(values)
    ]
    return [load_argument(index), *tests, ALLOWS, DENIES]


def threads_only() -> list[bytes]:
    """A clone that shares everything is a thread; any other would be a process."""
    return [
        load_argument(0),
        instruction(ANY_BIT, CLONE_ANY_NAMESPACE, 0, 1),
        DENIES,
        instruction(ANY_BIT, CLONE_THREAD, 1, 0),
        instruction(RETURN, answer(errno.EAGAIN)),
        ALLOWS,
    ]


def judged_calls(*, own_pid_only: bool) -> dict[str, list[bytes]]:
    """The calls whose arguments decide."""
    judged = {
        "clone": threads_only(),
        "socketpair": only_where_argument_is(0, (AF_UNIX,)),
        "ioctl": only_where_argument_is(1, TERMINAL_QUESTIONS, answer(errno.ENOTTY)),
        "prctl": only_where_argument_is(0, HARMLESS_PRCTL),
        "prlimit64": only_where_argument_is(0, (0,)),
        "fcntl": unless_argument_is(1, SIGNALLING_FCNTL),
        "clone3": [instruction(RETURN, answer(errno.ENOSYS))],
        # PRIO_PROCESS of oneself: another pid would tell which processes live.
        "getpriority": only_where_argument_is(1, (0,)),
    }
    if not own_pid_only:
        return judged
    for name in ABOUT_A_PROCESS:
        judged[name] = only_where_argument_is(0, (0, OWN_PID))
    for name in SIGNALS_TO_A_PROCESS:
        judged[name] = only_where_argument_is(0, (OWN_PID,))
    # Landlock does not guard metadata. Saying no would break tar and copy; saying nothing does not.
    for name in METADATA_WRITES:
        judged[name] = [instruction(RETURN, answer(0))]
    return judged


def allowed_numbers(judged: dict[str, list[bytes]], *, own_pid_only: bool) -> list[int]:
    """The numbers of the calls that are allowed whatever their arguments."""
    names = {name for group in ALLOWED.values() for name in group.split()}
    if not own_pid_only:
        names |= {*METADATA_ALLOWED, *ABOUT_A_PROCESS, *SIGNALS_TO_A_PROCESS, "tkill"}
    return sorted(NUMBERS[name] for name in names - judged.keys() if name in NUMBERS)


def search_tree(ranges: list[tuple[int, int]]) -> list[bytes]:
    """Allow a number within one of the ranges, in as few steps as there are halvings."""
    if len(ranges) == 1:
        low, high = ranges[0]
        return [
            instruction(AT_LEAST, low, 0, 1),
            instruction(GREATER, high, 0, 1),
            DENIES,
            ALLOWS,
        ]
    middle = len(ranges) // 2
    below, above = search_tree(ranges[:middle]), search_tree(ranges[middle:])
    return [
        instruction(AT_LEAST, ranges[middle][0], 0, 1),
        instruction(JUMP, len(below)),
        *below,
        *above,
    ]


def ranges_of(numbers: list[int]) -> list[tuple[int, int]]:
    """Neighbouring numbers, as ranges."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return ranges


def build(*, own_pid_only: bool) -> bytes:
    """The filter. `own_pid_only` is for a session that shares its pids with the host."""
    judged = judged_calls(own_pid_only=own_pid_only)
    steps = [
        instruction(LOAD, ARCHITECTURE_AT),
        instruction(EQUAL, ARCHITECTURES[MACHINE], 1, 0),
        instruction(RETURN, KILL),
        instruction(LOAD, NUMBER_AT),
    ]
    if MACHINE == "x86_64":
        steps += [
            instruction(AT_LEAST, X32_CALLS, 0, 1),
            instruction(RETURN, answer(errno.ENOSYS)),
        ]
    for name, body in judged.items():
        if name in NUMBERS:
            steps += [instruction(EQUAL, NUMBERS[name], 0, len(body)), *body]
    steps += search_tree(ranges_of(allowed_numbers(judged, own_pid_only=own_pid_only)))
    return b"".join(steps)


class Filter:
    """A filter in memory, with the places where a session puts its own pid."""

    def __init__(self, program: bytes) -> None:
        self._steps = ctypes.create_string_buffer(program, len(program))
        marker = struct.pack("I", OWN_PID)
        self._pid_places = [
            at for at in range(4, len(program), 8) if program[at : at + 4] == marker
        ]
        described = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(self._steps))
        self._description = ctypes.create_string_buffer(described, len(described))

    def enter(self, own_pid: int) -> None:
        """Hold this process to the filter, for good."""
        for place in self._pid_places:
            struct.pack_into("I", self._steps, place, own_pid)
        call("seccomp", SET_FILTER, 0, ctypes.addressof(self._description))
