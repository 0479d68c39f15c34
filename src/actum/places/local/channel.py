"""Both ends of the talk with one guest: its frames, and what it writes past them."""

import asyncio
import codecs
import contextlib
import os
import select
import socket
from collections.abc import Callable
from typing import Literal

from actum.places import wire
from actum.places.wire import GuestFrame

PIECE = 256 << 10
LONG = 0.01
"""Seconds without a frame after which what fills the pipes is taken off them."""
Stream = Literal["stdout", "stderr"]


class GuestGone(Exception):
    """The guest's process has closed its side: it is dead, or as good as."""


class Channel:
    """Reads without blocking; one program at a time attaches it to its event loop."""

    def __init__(
        self, frames: socket.socket, output: int, errors: int, *, folder_comes: bool = False
    ) -> None:
        self._frames = frames
        self._frames.settimeout(0)
        # Where a socket is not registered, asyncio describes it in an error that it then drops.
        self._frames_number = frames.fileno()
        self._reader = wire.Reader()
        self._raw: dict[int, Stream] = {output: "stdout", errors: "stderr"}
        self._decoders = {
            pipe: codecs.getincrementaldecoder("utf-8")("replace") for pipe in self._raw
        }
        self._waiting = select.poll()
        for pipe in self._raw:
            os.set_blocking(pipe, False)
            self._waiting.register(pipe, select.POLLIN)
        self._open_pipes = set(self._raw)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pipes_soon: asyncio.TimerHandle | None = None
        self._attended = False
        self._arrival: asyncio.Future[None] | None = None
        self._ended = False
        self._folder_comes = folder_comes
        self.folder: int | None = None
        """The work folder, where the session itself has sent it."""
        self._failure: Exception | None = None
        self._wrote: Callable[[Stream, str, int], None] = ignore
        self.silent = False
        """Set while the guest waits for us: then it has nothing to say."""
        self.spoke_out_of_turn = False

    def attach(self, wrote: Callable[[Stream, str, int], None]) -> None:
        """A program begins, in the loop that runs now. `wrote` gets what it writes past the frames."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self.leave()
            self._loop = loop
            loop.add_reader(self._frames_number, self._receive)
        self._wrote = wrote
        self.silent = False
        # Each frame brings the pipes with it; only a program that is long without one fills them.
        self._pipes_soon = loop.call_later(LONG, self._attend_to_pipes)

    def detach(self) -> None:
        """The program is over. Until the next one the guest has nothing to say."""
        self._wrote = ignore
        self.silent = True
        if self._pipes_soon is not None:
            self._pipes_soon.cancel()
            self._pipes_soon = None
        if self._attended:
            self._attended = False
            for pipe in self._open_pipes:
                self._leave_one(pipe)

    def leave(self) -> None:
        """Leave the event loop."""
        self.detach()
        self._leave_one(self._frames_number)
        self._loop = None

    def _attend_to_pipes(self) -> None:
        if self._loop is None:
            return
        self._attended = True
        for pipe in self._open_pipes:
            self._loop.add_reader(pipe, self._written, pipe)

    def _leave_one(self, descriptor: int) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(descriptor)

    async def send(self, frame: bytes) -> None:
        """Send a whole frame. A guest that does not read it is stopped by its time."""
        try:
            sent = self._frames.send(frame)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise GuestGone from None
        if sent == len(frame):
            return
        try:
            await asyncio.get_running_loop().sock_sendall(self._frames, frame[sent:])
        except OSError:
            raise GuestGone from None

    async def next(self) -> GuestFrame:
        """The next frame. Raises `ProtocolBroken` or `GuestGone`."""
        while True:
            frame = self._reader.next()
            if frame is not None:
                self.drain()
                return frame
            if self._failure is not None:
                raise self._failure
            if self._ended:
                self.drain()
                raise GuestGone
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None

    def listen(self) -> bool:
        """Whether the guest has said anything while it should have been waiting."""
        self._receive()
        return self.spoke_out_of_turn or bool(self._reader)

    def _receive(self) -> None:
        try:
            received = self._take_folder() if self._folder_comes else self._frames.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        if not received:
            self._ended = True
            self._leave_one(self._frames_number)
        elif self.silent:
            self.spoke_out_of_turn = True
        else:
            self._reader.feed(received)
        self._tell()

    def _take_folder(self) -> bytes:
        """What comes first, before any program runs: one byte, and the work folder beside it."""
        first, given, _, _ = socket.recv_fds(self._frames, 1, 1)
        self._folder_comes = False
        if given:
            self.folder = given[0]
            os.set_inheritable(self.folder, False)  # noqa: FBT003 -- the standard library's own shape
        return self._frames.recv(PIECE) if first else b""

    def _tell(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def _written(self, pipe: int) -> None:
        """Called by the loop, which would swallow what the host or a limit raises."""
        try:
            self._drain_one(pipe)
        except Exception as failure:  # noqa: BLE001 -- raised again where the program is run
            self._failure = failure
            self._tell()

    def drain(self) -> None:
        """Take what was written past the frames so far."""
        for pipe, _ in self._waiting.poll(0):
            self._drain_one(pipe)

    def _drain_one(self, pipe: int) -> None:
        try:
            written = os.read(pipe, PIECE)
        except BlockingIOError:
            return
        text = self._decoders[pipe].decode(written, final=not written)
        if text:
            self._wrote(self._raw[pipe], text, len(written))
        if not written:
            self._forget(pipe)

    def _forget(self, pipe: int) -> None:
        self._open_pipes.discard(pipe)
        with contextlib.suppress(KeyError):
            self._waiting.unregister(pipe)
        self._leave_one(pipe)

    def close(self) -> None:
        """Give back every descriptor."""
        self.leave()
        self._frames.close()
        if self.folder is not None:
            os.close(self.folder)
            self.folder = None
        for pipe in self._raw:
            os.close(pipe)


def ignore(stream: Stream, text: str, size: int) -> None:
    """Nobody listens."""
