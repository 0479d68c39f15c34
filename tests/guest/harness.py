"""A guest without walls, and a host that answers it: from a plan, or from a record."""

import json
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import actum.places

PLACES = Path(actum.places.__file__).parent
SECOND = 1_000_000_000
STARTED = 1_750_000_000 * SECOND
SEED = "00112233445566778899aabbccddeeff"
MOST_FRAMES = 20_000

LAUNCH = """
import sys, types
for name, path in (("actum", {actum!r}), ("actum.places", {places!r})):
    shell = types.ModuleType(name)
    shell.__path__ = [path]
    sys.modules[name] = shell
from actum.places.guest import boot
boot.install()
for name in {preload!r}:
    __import__(name)
left = boot.audit()
if left:
    raise SystemExit("not virtual: " + repr(left))
import os
pid = os.fork()
if pid:
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
boot.serve({descriptor}, {work!r})
"""

Frame = dict[str, Any]
Tool = Callable[..., Any]


class Failure(Exception):
    """A tool of the test did not answer: the fields of the result to send."""

    def __init__(self, **result: Any) -> None:
        super().__init__(str(result))
        self.result = result


@dataclass
class Run:
    """What one program did, as the host saw it."""

    outcome: Frame = field(default_factory=dict[str, Any])
    seen: list[Frame] = field(default_factory=list[Frame])
    events: list[Frame] = field(default_factory=list[Frame])
    most_open: int = 0
    """The most calls that were under way at once."""

    @property
    def output(self) -> str:
        return "".join(frame["text"] for frame in self.seen if frame["t"] == "output")

    @property
    def calls(self) -> list[Frame]:
        return [frame for frame in self.seen if frame["t"] == "call"]

    @property
    def waits(self) -> list[Frame]:
        return [frame for frame in self.seen if frame["t"] == "wait"]

    @property
    def transcript(self) -> str:
        """All that the guest sent, with addresses made equal."""
        return re.sub(r"0x[0-9a-f]+", "0x", json.dumps([self.seen, self.outcome]))


class Guest:
    """One session in a child of ours. Its host is this process."""

    def __init__(
        self,
        folder: Path,
        *,
        python: str = sys.executable,
        tools: Mapping[str, Tool] | None = None,
        modules: Mapping[str, str] | None = None,
        seed: str = SEED,
        started: int = STARTED,
        output_bytes: int = 1_000_000,
        preload: tuple[str, ...] = (),
        work: str | None = None,
        root: str = "tools",
    ) -> None:
        self.tools = dict(tools or {})
        self.modules = dict(modules or {})
        self.modules.setdefault("", "")
        self.now = started
        self._step = 0
        self._open: dict[str, Frame] = {}
        # What is in the folder is part of what a program depends on: it begins empty.
        box = folder / "box"
        shutil.rmtree(box, ignore_errors=True)
        box.mkdir()
        ours, theirs = socket.socketpair()
        script = folder / "launch.py"
        script.write_text(
            LAUNCH.format(
                actum=str(PLACES.parent),
                places=str(PLACES),
                preload=preload,
                descriptor=theirs.fileno(),
                work=work or str(box),
            )
        )
        environment = {"PYTHONHASHSEED": "0", "HOME": str(box), "TMPDIR": str(box), "TZ": "UTC"}
        if preload:
            environment["PYTHONPATH"] = next(p for p in sys.path if p.endswith("site-packages"))
        self._process = subprocess.Popen(
            [python, "-S", "-s", "-P", "-B", str(script)],
            pass_fds=[theirs.fileno()],
            cwd=box,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self._socket = ours
        self._stream = ours.makefile("rb")
        self._send(
            {
                "t": "begin",
                "seed": seed,
                "started": started,
                "root": root,
                "output_bytes": output_bytes,
                "calls": 1000,
            }
        )
        first = self._receive()
        assert first == {"t": "ready"}, first

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stream.close()
        self._socket.close()
        self._process.kill()
        self._process.wait()

    @property
    def exit_code(self) -> int:
        """How the session's process ended, once it has."""
        return self._process.wait(20)

    def run(
        self,
        source: str,
        *,
        choose: Callable[[list[str], int | None], str | None] | None = None,
        record: Run | None = None,
    ) -> Run:
        """Run a program. `choose` picks the next event: a call's id, `timer` or `interrupt`."""
        self._step += 1
        self._send(
            {
                "t": "run",
                "step": self._step,
                "now": self.now,
                "source": source,
                "name": f"<step {self._step}>",
            }
        )
        run = Run()
        recorded = iter(record.events) if record else None
        for _ in range(MOST_FRAMES):
            frame = self._receive()
            if frame is None:
                return run
            if frame["t"] == "done":
                run.outcome = frame["outcome"]
                return run
            if frame["t"] == "module":
                self._send(self._module(frame["name"]))
                continue
            run.seen.append(frame)
            if frame["t"] == "call":
                self._open[f"{self._step}.{frame['number']}"] = frame
                run.most_open = max(run.most_open, len(self._open))
            elif frame["t"] == "wait":
                event = next(recorded) if recorded else self._event(frame["timeout"], choose)
                self.now = event["now"]
                self._open.pop(event.get("call", ""), None)
                run.events.append(event)
                self._send(event)
        raise AssertionError("the program does not come to its end")

    def _module(self, name: str) -> Frame:
        if name in self.modules:
            return {"t": "module", "text": self.modules[name], "problem": ""}
        return {"t": "module", "text": "", "problem": f"there is no tool module {name!r}"}

    def _event(
        self, timeout: int | None, choose: Callable[[list[str], int | None], str | None] | None
    ) -> Frame:
        picked = (choose or first_call)(list(self._open), timeout)
        if picked == "interrupt":
            return {"t": "interrupt", "now": self.now + 1000}
        if picked == "timer" or picked is None:
            assert timeout is not None, "nothing could happen any more"
            return {"t": "timer", "now": self.now + timeout}
        call = self._open[picked]
        later = self.now + min(1_000_000, timeout if timeout is not None else 1_000_000)
        return {"t": "answered", "call": picked, "result": self._answer(call), "now": later}

    def _answer(self, call: Frame) -> Frame:
        try:
            value = self.tools[call["tool"]](*call["args"], **call["kwargs"])
        except Failure as failure:
            return failure.result
        return {"type": "answer", "value": value}

    def _send(self, header: Frame) -> None:
        text = json.dumps(header).encode()
        self._socket.sendall(struct.pack("!II", len(text), 0) + text)

    def _receive(self) -> Frame | None:
        lengths = self._stream.read(8)
        if len(lengths) < 8:
            return None
        header, body = struct.unpack("!II", lengths)
        frame: Frame = json.loads(self._stream.read(header))
        content = self._stream.read(body)
        if content:
            frame["body"] = content.hex()
        return frame


def first_call(calls: list[str], timeout: int | None) -> str | None:
    """The oldest call is back first; timers only when no call is open."""
    return calls[0] if calls else "timer"


def in_this_order(*events: str) -> Callable[[list[str], int | None], str | None]:
    """Deliver these: ids of calls, `timer`, `interrupt`."""
    rest = iter(events)

    def choose(calls: list[str], timeout: int | None) -> str | None:
        picked = next(rest)
        assert picked in calls or picked == "interrupt" or timeout is not None
        return picked

    return choose


def any_order(seed: int) -> Callable[[list[str], int | None], str | None]:
    """Calls come back in any order, and timers run out now and then before them."""
    dice = random.Random(seed)

    def choose(calls: list[str], timeout: int | None) -> str | None:
        options = [*calls, *["timer"] * 8] if timeout is not None else calls
        return dice.choice(options) if options else None

    return choose


def pythons() -> list[str]:
    """The interpreters of this machine that the guest must run on, ours first."""
    found = {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for version in ("3.11", "3.12", "3.13"):
        candidates = [str(path) for path in sorted(root.glob(f"versions/{version}.*/bin/python"))]
        path = shutil.which(f"python{version}")
        for candidate in [*candidates, *([path] if path else [])]:
            works = subprocess.run(
                [candidate, "-c", "import ctypes"], capture_output=True, check=False
            )
            if works.returncode == 0:
                found.setdefault(version, candidate)
    return list(found.values())
