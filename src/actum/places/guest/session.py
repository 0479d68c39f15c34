"""A session: it begins, then runs one program after another until the host is gone.

Phase 2.
"""

import asyncio.tasks
import builtins
import concurrent.futures
import logging
import sys
import threading
from typing import Any, NoReturn

from actum.places.guest import entropy
from actum.places.guest.clock import CLOCK, SECOND
from actum.places.guest.event_loop import NUMBERS
from actum.places.guest.figures import FIGURES
from actum.places.guest.frames import Wire
from actum.places.guest.given import furnish
from actum.places.guest.http_calls import REQUESTS
from actum.places.guest.late_imports import install_late_imports
from actum.places.guest.missing_modules import allow_imports
from actum.places.guest.own_process import OwnProcess, install_own_process
from actum.places.guest.pools import forget_pools
from actum.places.guest.program import Programs
from actum.places.guest.results import Results
from actum.places.guest.scheduler import SCHEDULER
from actum.places.guest.streams import Output, ProgramStream
from actum.places.guest.tool_calls import Denied, ToolCalls, ToolError
from actum.places.guest.tool_help import show_help
from actum.places.guest.tool_modules import ToolModules, install_tool_modules
from actum.places.guest.values import Body


class HostEvents:
    """Asks the host for one event, when every thread waits."""

    def __init__(self, wire: Wire, output: Output) -> None:
        self._wire = wire
        self._output = output

    def wait(self, timeout: int | None) -> dict[str, Any]:
        """Send what there is, and wait for what comes."""
        self.push_output()
        self._wire.push({"t": "wait", "timeout": timeout})
        self._wire.flush()
        return self._wire.receive()

    def flush(self) -> None:
        """Send what there is."""
        self.push_output()
        self._wire.flush()

    def push_output(self) -> None:
        """Put text before whatever is sent next."""
        self._output.push()


class Session:
    """Everything that one session has."""

    def __init__(self, wire: Wire, work: str, begin: dict[str, Any]) -> None:
        self._wire = wire
        self._seed: str = begin["seed"]
        self._output = Output(wire, begin["output_bytes"])
        self._events = HostEvents(wire, self._output)
        self._calls = ToolCalls(wire)
        modules = ToolModules(begin["root"], wire, self._calls)
        results = Results()
        self._programs = Programs(self._calls, modules, results)
        self._reset(begin["started"])
        install_own_process(OwnProcess(work, self._events.flush, tuple(begin.get("folders", ()))))
        REQUESTS.begin(self._calls)
        FIGURES.begin(self._send_figure)
        install_late_imports()
        install_tool_modules(modules)
        sys.stdout = ProgramStream(self._output, "stdout", 1)
        sys.stderr = ProgramStream(self._output, "stderr", 2)
        _furnish_builtins(results)
        imports = begin.get("imports")
        if imports is not None:
            allow_imports(imports, begin["root"])
        ToolError.__module__ = begin["root"]
        Denied.__module__ = begin["root"]
        sys.argv = [""]
        sys.modules["__main__"] = self._programs.main
        furnish(begin.get("given", []), self._programs.variables)
        # multiprocessing knows the first program under this name.
        sys.modules["__mp_main__"] = self._programs.main

    def run(self, frame: dict[str, Any]) -> None:
        """Run one program and tell how it ended."""
        step: int = frame["step"]
        CLOCK.advance_to(frame["now"])
        entropy.begin_step(self._seed, step)
        self._calls.begin_step(step, frame["name"])
        self._output.begin_program()
        outcome, body = self._programs.run(frame["source"], frame["name"])
        self._output.push()
        self._wire.push({"t": "done", "outcome": outcome}, body)
        self._wire.flush()

    def _send_figure(self, picture: bytes, drawing: bytes) -> None:
        self._output.push()
        content = Body()
        content.add(picture)
        content.add(drawing)
        self._wire.push({"t": "figure", "png": len(picture), "svg": len(drawing)}, content)
        self._wire.flush()

    def _reset(self, started: int) -> None:
        """Forget what modules counted or kept before the fork."""
        CLOCK.begin(started)
        SCHEDULER.reset()
        SCHEDULER.events = self._events
        NUMBERS.last = 0
        forget_pools()
        entropy.begin_session(self._seed)
        logging._startTime = CLOCK.now if sys.version_info >= (3, 13) else CLOCK.now / SECOND
        threading._counter = entropy.fresh_counter(1)
        concurrent.futures.ThreadPoolExecutor._counter = entropy.fresh_counter(0)
        asyncio.tasks._task_name_counter = entropy.fresh_counter(1)


def _furnish_builtins(results: Results) -> None:
    """Names that `site` would put there, and one that has nobody to ask."""
    builtins.input = _refuse_input
    builtins.display = results.display
    for name, value in (("help", show_help), ("exit", sys.exit), ("quit", sys.exit)):
        setattr(builtins, name, value)


def _refuse_input(prompt: object = "") -> NoReturn:
    raise EOFError("there is nobody to ask: input() is off here")


def serve(frames_fd: int, work: str) -> NoReturn:
    """Be a session until the host is gone."""
    wire = Wire(frames_fd)
    begin = wire.receive()
    session = Session(wire, work, begin)
    wire.push({"t": "ready"})
    wire.flush()
    while True:
        frame = wire.receive()
        if frame["t"] == "run":
            session.run(frame)
