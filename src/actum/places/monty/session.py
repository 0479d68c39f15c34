"""One live session: programs one after another, and how each of them ended."""

import asyncio
from collections.abc import Sequence

import msgspec
import pydantic_monty as monty

from actum.errors import SandboxLost
from actum.places.contract import Host, LeftFile
from actum.places.monty.clock import Clock
from actum.places.monty.conversation import Conversation, Inside
from actum.places.monty.counting import Counting, Killed
from actum.places.monty.tool_modules import ToolModules
from actum.places.monty.worker import Worker
from actum.records.calls import ToolRefusal
from actum.records.outcomes import Frame, Outcome, ProgramError
from actum.records.sessions import Program, SessionSpec
from actum.records.values import JSON, mark

LONGEST_SHOWN = 2000
LARGEST_VALUE = 1_000_000
LONGEST_MESSAGE = 4000
MOST_FRAMES = 20
OUT_OF_MEMORY = "memory limit exceeded"


class MontySession:
    """A worker with the variables of its programs."""

    def __init__(self, worker: Worker, spec: SessionSpec) -> None:
        self._worker = worker
        self._spec = spec
        self._clock = Clock(spec.started, spec.seed)
        self._modules = ToolModules(spec.tools_root, worker.modules)
        self._inside = Inside(worker, self._modules, self._clock)
        self._bound = {"finish", "exit", "quit", "help", *(one.name for one in spec.given)}
        self._feeds = 0
        self._conversation: Conversation | None = None
        self._closed = False

    async def run(self, program: Program, host: Host) -> Outcome:
        """Run one program to its end."""
        if self._closed:
            raise SandboxLost(
                "This session is closed.", why="a program in it was killed, or it ended"
            )
        counting = Counting(self._spec.limits, program, host)
        self._clock.advance_to(program.now)
        conversation = Conversation(self._inside, host, program, counting)
        self._conversation = conversation
        try:
            outcome = await self._ended(conversation, program, host)
        except Killed as killed:
            outcome = counting.outcome_of(conversation.killed or killed)
        except BaseException:
            await self.close()
            raise
        finally:
            self._conversation = None
        if outcome.status == "killed":
            await self.close()
        return msgspec.structs.replace(
            outcome,
            open_calls=len(conversation.arrivals.open),
            seconds=round(counting.elapsed(), 6),
        )

    async def _ended(self, conversation: Conversation, program: Program, host: Host) -> Outcome:
        try:
            await self._supply_tools(conversation, host)
            snapshot = await conversation.run(program.source, self._next_file())
        except monty.MontyError as error:
            if isinstance(error, monty.MontyCrashedError):
                message = f"the worker of Monty ended: {error}"
                raise conversation.killed or Killed(message=message, kind="ProcessEnded") from None
            return _ended_by(error, conversation)
        finally:
            self._bound |= conversation.reading.bound
        if conversation.finished:
            return _finished(conversation)
        return _done(snapshot)

    async def _supply_tools(self, conversation: Conversation, host: Host) -> None:
        """Put tools that the program uses without an import where it looks for them."""
        reading = conversation.reading
        wanted = reading.wanted - self._bound
        if not wanted or await self._modules.load(reading, host.module):
            return
        names = sorted(wanted & self._modules.offered())
        lines = [f"from {self._modules.root} import {', '.join(names)}"] if names else []
        if self._modules.root in wanted:
            lines.append(f"import {self._modules.root}")
        if lines:
            await conversation.run("\n".join(lines), self._next_file())

    def _next_file(self) -> str:
        """What Monty calls the next source."""
        self._feeds += 1
        return f"<python-input-{self._feeds - 1}>"

    async def left(self) -> Sequence[LeftFile]:
        """The files under `out/`."""
        return () if self._closed else await self._worker.left()

    def kill(self) -> None:
        """End the running program where it stands."""
        if self._conversation is not None:
            self._conversation.kill(Killed(message="the program was stopped"))

    async def close(self) -> None:
        """End the worker. May be called twice."""
        if not self._closed:
            self._closed = True
            self._worker.kill()
            await asyncio.shield(self._worker.close())


def _done(snapshot: monty.MontyComplete) -> Outcome:
    try:
        value: object = snapshot.output
    except ValueError as error:
        return Outcome(status="done", shown=f"(a value that cannot be shown: {error})")
    if value is None:
        return Outcome(status="done")
    return Outcome(status="done", value=_data(value), shown=shown(value))


def _finished(conversation: Conversation) -> Outcome:
    value = conversation.finished[0]
    return Outcome(status="finished", value=value, shown=shown(value))


def _data(value: object) -> JSON:
    try:
        data = mark(value)
        return data if len(msgspec.json.encode(data)) <= LARGEST_VALUE else None
    except (TypeError, ValueError):
        # It is no data: its text is all that goes back.
        return None


def shown(value: object) -> str:
    """A short text of a value."""
    if isinstance(value, monty.MontyClassProxy):
        inner = ", ".join(f"{name}={each!r}" for name, each in value.attributes.items())
        text = f"{value.name}({inner})"
    else:
        text = repr(value)
    if len(text) <= LONGEST_SHOWN:
        return text
    return f"{text[:LONGEST_SHOWN]}... ({len(text) - LONGEST_SHOWN} more characters)"


def _ended_by(error: monty.MontyError, conversation: Conversation) -> Outcome:
    raised = error.exception()
    if isinstance(raised, MemoryError) and OUT_OF_MEMORY in str(raised):
        raise Killed("memory")
    if conversation.finished:
        return _finished(conversation)
    described = _described(error, raised, conversation)
    if isinstance(raised, KeyboardInterrupt):
        return Outcome(status="interrupted", error=described)
    if isinstance(raised, SystemExit):
        code = conversation.exit_code
        if code in {None, 0}:
            return Outcome(status="done", exit_code=0)
        exit_code = (code & 255 or 1) if isinstance(code, int) else 1
        return Outcome(status="failed", exit_code=exit_code, error=described)
    return Outcome(status="failed", error=described)


def _described(
    error: monty.MontyError, raised: BaseException, conversation: Conversation
) -> ProgramError:
    message = str(raised)[:LONGEST_MESSAGE]
    frames = (
        error.traceback()
        if isinstance(error, monty.MontyRuntimeError | monty.MontySyntaxError)
        else []
    )
    lines = [frame.line for frame in frames if frame.filename == conversation.file]
    failed = conversation.arrivals.failed.get(message)
    kind = type(raised).__name__
    if failed is not None:
        kind = "Denied" if isinstance(failed, ToolRefusal) else "ToolError"
    return ProgramError(
        type=kind,
        message=message,
        line=lines[-1] if lines else None,
        frames=tuple(_frame(frame) for frame in frames[-MOST_FRAMES:] if frame.function_name),
        rule=failed.rule if isinstance(failed, ToolRefusal) else "",
    )


def _frame(frame: monty.Frame) -> Frame:
    return Frame(frame.line, frame.function_name or "", (frame.source_line or "").strip())
