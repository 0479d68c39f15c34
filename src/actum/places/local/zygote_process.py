"""The warm process that sessions are forked from, as the host holds it."""

import array
import ctypes
import os
import socket
import struct
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

import msgspec

from actum.errors import SandboxLost
from actum.places.local import launch
from actum.places.local.folders import ROOT, ZYGOTE
from actum.places.local.interpreter import Interpreter, folder_of

ORDER = struct.Struct("=iiiiii")
REPLY = struct.Struct("=ii")
OPEN, REAP = 1, 2
PATIENCE = 60.0
ADDR_NO_RANDOMIZE = 0x0040000
LONGEST_MESSAGE = 1 << 20
SAME_FOR_ALL = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "USER": "agent",
    "LOGNAME": "agent",
    "PYTHONHASHSEED": "0",
    "MALLOC_ARENA_MAX": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "JOBLIB_MULTIPROCESSING": "0",
    "LOKY_MAX_CPU_COUNT": "1",
    "MPLBACKEND": "agg",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""The whole environment of a program. What the host has in its own never comes near it."""


class Told(msgspec.Struct, kw_only=True):
    """What the zygote says of itself."""

    state: str
    step: str = ""
    why: str = ""
    trace: str = ""
    layers: dict[str, str] = {}
    randomisation: str = ""
    filter: str = ""
    account: int = 0
    threads: int = 0


class Refusal(Exception):
    """This machine does not give what a level needs."""

    def __init__(self, level: str, told: Told) -> None:
        super().__init__(f"{level}: {told.step}: {told.why}")
        self.level = level
        self.step = told.step
        self.why = told.why
        self.trace = told.trace


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a zygote is to be."""

    level: str
    work: str
    """The one path that every session knows its folder by."""
    base: str
    """A folder of this host's own, for the zygote and the folders of sessions."""
    interpreter: Interpreter
    preload: tuple[str, ...] = ()
    account: int = 0
    script: str = ""
    """What starts it, where that is not our own: a measurement puts a clock into it."""


class ZygoteProcess:
    """One warm interpreter at one level. Ends when its host does, however that ends."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._lock = threading.Lock()
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.settimeout(PATIENCE)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- lives as long as the process
        self._started = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._failure: OSError | None = None
        self.ready = False
        self._walls_stand = False
        # The kernel watches the thread that started the zygote, not the process: this one stays.
        keeper = threading.Thread(
            target=keep, args=(weakref.ref(self), theirs), name="actum-zygote", daemon=True
        )
        keeper.start()
        self._started.wait()
        theirs.close()
        if self._failure is not None:
            self.close()
            raise SandboxLost("The sandbox could not be started.", why=str(self._failure))
        self._ours.send(msgspec.json.encode(settings_of(plan)))
        self.told = self._hear()
        self._walls_stand = True

    @property
    def pid(self) -> int:
        """Of the process that was started; at level `full` the zygote itself is its child."""
        return self._process.pid if self._process is not None else 0

    def start(self, control: socket.socket) -> subprocess.Popen[bytes] | None:
        """Start the interpreter, from the thread that will wait for it."""
        plan = self.plan
        without_randomisation()
        try:
            self._process = subprocess.Popen(
                command_of(plan),
                stdin=control.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                env=environment_of(plan),
                cwd="/",
                start_new_session=True,
            )
        except OSError as problem:
            self._failure = problem
        finally:
            self._started.set()
        return self._process

    def wait_until_ready(self) -> None:
        """Wait for the libraries to be loaded. Raises `Refusal` where they cannot be."""
        with self._lock:
            if not self.ready:
                self._hear()
                self.ready = True

    def _hear(self) -> Told:
        try:
            said = self._ours.recv(LONGEST_MESSAGE)
        except OSError:
            said = b""
        if not said and self._walls_stand:
            raise lost(self._last_words())
        if not said:
            told = Told(state="failed", step="start", why=self._last_words() or "it ended at once")
        else:
            told = msgspec.json.decode(said, type=Told)
        if told.state == "failed":
            self.close()
            raise Refusal(self.plan.level, told)
        return told

    def _last_words(self) -> str:
        if self._errors.closed:
            return "it was closed"
        self._errors.seek(0)
        return self._errors.read()[-2000:].decode(errors="replace").strip()

    def open(
        self,
        memory_mb: int,
        disk_mb: int,
        cpu_seconds: int,
        descriptors: Sequence[int],
        folders: int = 0,
    ) -> tuple[int, int]:
        """Fork a session that takes these four descriptors. Returns its pid there, and a pidfd.

        `folders` is how many folders to show stand ahead of its first frame.
        """
        order = ORDER.pack(OPEN, 0, memory_mb, disk_mb, cpu_seconds, folders)
        with self._lock:
            pid, _, pidfd = self._ask(order, descriptors)
        if pidfd < 0 or pid <= 0:
            raise SandboxLost("The sandbox could not fork a session.")
        return pid, pidfd

    def reap(self, pid: int) -> int | None:
        """How a session ended, as `os.waitstatus_to_exitcode` has it; None where nobody knows."""
        try:
            with self._lock:
                gone, status, _ = self._ask(ORDER.pack(REAP, pid, 0, 0, 0, 0), ())
        except SandboxLost:
            return None
        return os.waitstatus_to_exitcode(status) if gone == pid else None

    def _ask(self, order: bytes, descriptors: Sequence[int]) -> tuple[int, int, int]:
        passed = array.array("i", descriptors)
        beside = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)] if descriptors else []
        try:
            self._ours.sendmsg([order], beside)
            said, given, _, _ = self._ours.recvmsg(REPLY.size, socket.CMSG_SPACE(4))
        except OSError as problem:
            raise lost(str(problem) or self._last_words()) from problem
        if len(said) != REPLY.size:
            raise lost(self._last_words())
        pid, status = REPLY.unpack(said)
        pidfd = struct.unpack("i", given[0][2])[0] if given else -1
        if pidfd >= 0:
            os.set_inheritable(pidfd, False)  # noqa: FBT003 -- the standard library's own shape
        return pid, status, pidfd

    def close(self) -> None:
        """End it, and every session with it."""
        self._ours.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._errors.close()


def lost(why: str) -> SandboxLost:
    """The zygote is gone while we need it."""
    return SandboxLost("The process that sessions are forked from is gone.", why=why)


def keep(zygote: "weakref.ref[ZygoteProcess]", control: socket.socket) -> None:
    """Start the zygote and live until it ends."""
    alive = zygote()
    process = alive.start(control) if alive is not None else None
    del alive
    if process is not None:
        process.wait()


def without_randomisation() -> None:
    """Let what this thread starts have the same addresses every time. The kernel may refuse."""
    personality = ctypes.CDLL(None).personality
    personality.argtypes = [ctypes.c_ulong]
    personality(ADDR_NO_RANDOMIZE)


def command_of(plan: Plan) -> list[str]:
    """No site, no user's packages, no unsafe path, no bytecode written."""
    script = plan.script or str(Path(folder_of(launch.__file__), "zygote.py"))
    return [plan.interpreter.executable, "-S", "-s", "-P", "-B", script]


def environment_of(plan: Plan) -> dict[str, str]:
    """The environment of the zygote is that of the sessions: there is never another in it."""
    scratch = f"{plan.work}/.tmp"
    own = {"HOME": plan.work, "TMPDIR": scratch, "MPLCONFIGDIR": f"{scratch}/matplotlib"}
    return {**SAME_FOR_ALL, **own}


def settings_of(plan: Plan) -> dict[str, object]:
    """The first message."""
    inside = plan.level == "full"
    interpreter = plan.interpreter
    return {
        "level": plan.level,
        "work": plan.work,
        "root": f"{plan.base}/{ROOT}",
        "own": f"{plan.base}/{ZYGOTE}",
        "readable": interpreter.readable() if inside else interpreter.readable_beside(),
        "packages": interpreter.packages,
        "preload": plan.preload,
        "account": plan.account,
    }
