"""One live sandbox: it runs programs one after another until it is closed or killed."""

import asyncio
from collections.abc import Sequence

from actum.errors import SandboxLost
from actum.places import wire
from actum.places.contract import Host, LeftFile
from actum.places.local import endings
from actum.places.local.channel import GuestGone, Stream
from actum.places.local.endings import OVER_LIMIT, Cause
from actum.places.local.left_files import LeftFiles
from actum.places.local.process import SessionProcess
from actum.places.local.running import Overflowing, Running
from actum.places.local.watcher import Watched, watcher
from actum.places.wire import ProtocolBroken
from actum.records.outcomes import Limit, Outcome
from actum.records.sessions import (
    Answered,
    Limits,
    Program,
    SessionSpec,
    Stop,
    Waiting,
)

MEGABYTE = 1 << 20
MOST_MODULES = 1000
PATIENCE_WITH_THE_DYING = 1.0
CLOSED_ITS_END = "the program broke the wire: it closed its end"
SAID_BY_GUESTS = ("done", "finished", "failed", "interrupted")


class LocalSession:
    """A confined process and the rules by which it may speak."""

    def __init__(self, process: SessionProcess, spec: SessionSpec) -> None:
        self._process = process
        self._channel = process.channel
        self._spec = spec
        self._cause: Cause | None = None
        self._closed = False
        self._left = LeftFiles(spec.limits.disk_mb * MEGABYTE)
        memory = spec.limits.memory_mb * MEGABYTE
        self._watched = Watched(process.pid, self._over, memory)
        self._watched.folder = process.folder
        self._watched.disk = spec.limits.disk_mb * MEGABYTE

    async def begin(self) -> None:
        """Tell the session how it begins, and wait until it has."""
        heard: list[str] = []

        def hear(_stream: Stream, text: str, _size: int) -> None:
            heard.append(text)

        self._channel.attach(hear)
        try:
            await self._channel.send(wire.begin(self._spec))
            frame = await self._channel.next()
        except (GuestGone, ProtocolBroken) as problem:
            await self.close()
            why = "".join(heard).strip() or str(problem)
            raise SandboxLost("A session could not begin.", why=why[-2000:]) from None
        finally:
            self._channel.detach()
        if not isinstance(frame, wire.Ready):
            await self.close()
            raise SandboxLost("A session could not begin.", why="it did not say that it is ready")

    async def run(self, program: Program, host: Host) -> Outcome:
        """Run one program to its end."""
        if self._closed:
            raise SandboxLost(
                "This session is closed.", why="a program in it was killed, or it ended"
            )
        running = Running(self._spec, program, host, self._process.cpu_seconds())
        self._channel.attach(running.wrote)
        watcher().add(self._watched)
        try:
            outcome = await self._converse(running)
        except (GuestGone, ProtocolBroken) as problem:
            outcome = await self._end(running, problem)
        except BaseException:
            self._channel.detach()
            await self.close()
            raise
        finally:
            watcher().remove(self._watched)
            self._channel.detach()
        return running.measured(outcome, self._process.cpu_seconds())

    async def _converse(self, running: Running) -> Outcome:
        await self._begin(running)
        while True:
            frame = await self._channel.next()
            match frame:
                case wire.Done():
                    return self._done(frame)
                case wire.Waits():
                    await self._deliver(running, frame)
                case wire.WantsModule():
                    await self._load(running, frame)
                case _:
                    running.hear(frame)

    async def _begin(self, running: Running) -> None:
        if self._channel.spoke_out_of_turn:
            raise ProtocolBroken("it went on between programs")
        self._compute(running)
        await self._channel.send(wire.run(running.program))

    def _compute(self, running: Running) -> None:
        watcher().expect(self._watched, running.deadline())

    async def _deliver(self, running: Running, frame: wire.Waits) -> None:
        if frame.timeout is not None and frame.timeout < 0:
            raise ProtocolBroken("it waits for a time that is over")
        self._listen()
        delivery = await running.host.next(Waiting(timeout=frame.timeout, left=running.left()))
        if isinstance(delivery, Stop):
            self._cause = Cause(limit=delivery.limit, type="Stopped", message=delivery.message)
            raise GuestGone
        await self._reply(running, wire.deliver(delivery))
        if isinstance(delivery, Answered):
            running.open_calls -= 1

    async def _load(self, running: Running, frame: wire.WantsModule) -> None:
        running.modules += 1
        if running.modules > MOST_MODULES:
            raise ProtocolBroken(f"it asked for more than {MOST_MODULES:,} modules")
        self._listen()
        await self._reply(running, wire.module(await running.host.module(frame.name)))

    def _listen(self) -> None:
        """The guest waits for us now: whatever it says before we answer was not said by it."""
        if self._channel.listen():
            raise ProtocolBroken("it went on while it waited")
        self._channel.silent = True
        watcher().expect(self._watched, None)

    async def _reply(self, running: Running, frame: bytes) -> None:
        if self._channel.listen():
            raise ProtocolBroken("it went on while it waited")
        self._channel.silent = False
        self._compute(running)
        await self._channel.send(frame)

    def _done(self, frame: wire.Done) -> Outcome:
        if self._channel.listen():
            raise ProtocolBroken("it went on after it was done")
        if frame.outcome.status not in SAID_BY_GUESTS or frame.outcome.limit is not None:
            raise ProtocolBroken("it said what only the host can know")
        if frame.outcome.figures:
            raise ProtocolBroken("it named figures that it did not draw")
        return frame.outcome

    async def _end(self, running: Running, problem: Exception) -> Outcome:
        """The process is dead, or must die. Its outcome, and the end of the session."""
        if isinstance(problem, ProtocolBroken) and self._cause is None:
            message = f"the program broke the wire: {problem}"
            self._cause = Cause(type="ProtocolBroken", message=message)
        elif isinstance(problem, Overflowing) and self._cause is None:
            self._cause = Cause(limit=problem.limit)
        if self._cause is None and not await self._process.gone(within=PATIENCE_WITH_THE_DYING):
            self._cause = Cause(type="ProtocolBroken", message=CLOSED_ITS_END)
        cause = self._cause
        code = await self._close()
        if code is None and cause is None and self._cause is None:
            # Nobody can say how it ended: its zygote is dead, and has taken it along.
            raise SandboxLost(
                "The sandbox of this program is gone.",
                why="the process that sessions are forked from has died",
                hints=("go on where it was:   actum resume last",),
            )
        return self._named(cause or self._cause, code, running.limits)

    def _named(self, cause: Cause | None, code: int | None, limits: Limits) -> Outcome:
        if cause is None:
            return endings.ended_itself(code)
        if cause.limit is None:
            return endings.killed_by_host(cause)
        said = cause.message or OVER_LIMIT[cause.limit].format(limits=limits)
        return endings.over_limit(cause, said)

    def _over(self, limit: Limit) -> None:
        # Flag before the kill, so that whoever reads the end of the frames knows it was us.
        self._cause = self._cause or Cause(limit=limit)
        self._process.kill()

    async def left(self) -> Sequence[LeftFile]:
        """The files under `out/`, as they are now."""
        folder = self._process.work_folder
        if self._closed or folder is None or self._left.is_unchanged(folder):
            return ()
        return await asyncio.to_thread(self._left.look, folder)

    @property
    def pid(self) -> int:
        """Of its process, as the host numbers it."""
        return self._process.pid

    def kill(self) -> None:
        """End the running program where it stands."""
        self._cause = self._cause or Cause(type="Killed", message="the program was stopped")
        self._process.kill()

    async def close(self) -> None:
        """End the session. May be called twice."""
        await self._close()

    async def _close(self) -> int | None:
        if self._closed:
            return None
        self._closed = True
        watcher().remove(self._watched)
        self._process.kill()
        code = await self._process.ended()
        try:
            self._channel.drain()
        finally:
            self._process.close()
        return code
