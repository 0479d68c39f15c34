"""The loop of the zygote: take an order, fork, answer. It leaves nothing behind on its heap.

Every object that outlives a turn of this loop would move what the next session allocates, and
with it ids, hashes and the order of sets; so would two that are freed in the order they were made,
since the allocator gives back the last one first. So the loop speaks to the kernel through buffers
and arguments that were made once, and keeps no name from one turn to the next. And because a first
turn fills caches of the interpreter, it is not the first: a rehearsal comes before the host.
"""

import ctypes
import posix
import select
import socket
from collections.abc import Callable
from typing import NoReturn

from actum.places.local.launch.kernel import NEW_NAMESPACE, NUMBERS, libc

OPEN, REAP = 1, 2
SESSION_DESCRIPTORS = 4
SOL_SOCKET, SCM_RIGHTS = 1, 1
NO_WAIT = 1
REHEARSALS = 3
REHEARSAL_PATIENCE = 5000
OWN_FOLDER = 4


class Order(ctypes.Structure):
    """What the host sends. The host packs it as `=iiiiii`."""

    _fields_ = (
        ("kind", ctypes.c_int32),
        ("pid", ctypes.c_int32),
        ("memory_mb", ctypes.c_int32),
        ("disk_mb", ctypes.c_int32),
        ("cpu_seconds", ctypes.c_int32),
        ("folders", ctypes.c_int32),
    )


class Reply(ctypes.Structure):
    """What goes back, with a pidfd beside it where a session was opened."""

    _fields_ = (("pid", ctypes.c_int32), ("status", ctypes.c_int32))


class Piece(ctypes.Structure):
    """`struct iovec`."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


class Message(ctypes.Structure):
    """`struct msghdr`."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("name_length", ctypes.c_uint32),
        ("pieces", ctypes.POINTER(Piece)),
        ("piece_count", ctypes.c_size_t),
        ("control", ctypes.c_void_p),
        ("control_length", ctypes.c_size_t),
        ("flags", ctypes.c_int),
    )


class Passing(ctypes.Structure):
    """`struct cmsghdr` with room for the descriptors of one session."""

    _fields_ = (
        ("length", ctypes.c_size_t),
        ("level", ctypes.c_int),
        ("type", ctypes.c_int),
        ("descriptors", ctypes.c_int * SESSION_DESCRIPTORS),
    )


PASSING_HEADER = ctypes.sizeof(ctypes.c_size_t) + 2 * ctypes.sizeof(ctypes.c_int)


def message_for(structure: ctypes.Structure, passing: Passing) -> Message:
    """A message header that points at these two for good."""
    piece = Piece(ctypes.addressof(structure), ctypes.sizeof(structure))
    message = Message()
    message.pieces = ctypes.pointer(piece)
    message.piece_count = 1
    message.control = ctypes.addressof(passing)
    message.control_length = ctypes.sizeof(passing)
    return message


class ForkLoop:
    """All that a turn needs, made before the first."""

    def __init__(self, control: int, *, full: bool, own_pid_namespace: int) -> None:
        self.full = full
        self.order = Order()
        self.received = Passing()
        self.incoming = message_for(self.order, self.received)
        self.reply = Reply()
        self.given = Passing(PASSING_HEADER + 4, SOL_SOCKET, SCM_RIGHTS)
        self.outgoing = message_for(self.reply, self.given)
        self.room = ctypes.sizeof(self.received)
        self.given_room = PASSING_HEADER + 8
        self.real_control = control
        self.control = ctypes.c_int(control)
        self.player = ctypes.c_int(0)
        self._bind_messages(self.control)
        self._bind_processes(own_pid_namespace)

    def _bind_messages(self, control: ctypes.c_int) -> None:
        """Bind C functions and their arguments: looking them up would make new objects."""
        pointer = ctypes.POINTER(Message)
        none = ctypes.c_int(0)
        self.receive = libc["recvmsg"]
        self.send = libc["sendmsg"]
        for function in (self.receive, self.send):
            function.argtypes = [ctypes.c_int, pointer, ctypes.c_int]
        self.receive_arguments = (control, ctypes.pointer(self.incoming), none)
        self.send_arguments = (control, ctypes.pointer(self.outgoing), none)
        self.close = libc["close"]
        self.close.argtypes = [ctypes.c_int]
        self.taken = tuple(
            view(self.received, PASSING_HEADER + 4 * n) for n in range(SESSION_DESCRIPTORS)
        )
        self.pidfd = view(self.given, PASSING_HEADER)

    def _bind_processes(self, own_pid_namespace: int) -> None:
        kind = ctypes.c_int(NEW_NAMESPACE["pid"])
        none = ctypes.c_int(0)
        self.forked = view(self.reply, Reply.pid.offset)
        status = ctypes.c_void_p(ctypes.addressof(self.reply) + Reply.status.offset)
        self.unshare = libc["unshare"]
        self.unshare.argtypes = [ctypes.c_int]
        self.unshare_arguments = (kind,)
        self.enter_namespace = libc["setns"]
        self.enter_namespace.argtypes = [ctypes.c_int, ctypes.c_int]
        self.enter_arguments = (ctypes.c_int(own_pid_namespace), kind)
        self.wait = libc["waitpid"]
        self.wait.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
        self.wait_arguments = (view(self.order, Order.pid.offset), status, ctypes.c_int(NO_WAIT))
        self.player_arguments = (self.player, status, none)
        self.open_pidfd = libc["syscall"]
        self.open_pidfd.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_int]
        self.pidfd_arguments = (ctypes.c_long(NUMBERS["pidfd_open"]), self.forked, none)

    def serve(self, child: Callable[[], None]) -> None:
        """Take orders until the host is gone. `child` never returns."""
        while True:
            self.incoming.control_length = self.room
            if self.receive(*self.receive_arguments) <= 0:
                if self.player.value == 0:
                    return
                # The rehearsal is over: from now on the host's orders count.
                self.wait(*self.player_arguments)
                self.player.value = 0
                self.control.value = self.real_control
                continue
            if self.order.kind == OPEN:
                self.open_one(child)
            else:
                self.reap_one()

    def rehearse(self) -> None:
        """Let a child of ours play the host first. `serve` goes on with the real one by itself."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.player.value = posix.fork()
        if self.player.value == 0:
            ours.close()
            play(theirs)
        theirs.close()
        self.control.value = ours.detach()

    def open_one(self, child: Callable[[], None]) -> None:
        """Fork; in the parent, send back the pid and a pidfd."""
        if self.full:
            self.unshare(*self.unshare_arguments)
        self.forked.value = posix.fork()
        if self.forked.value == 0:
            child()
        if self.full:
            self.enter_namespace(*self.enter_arguments)
        self.close(self.taken[0])
        self.close(self.taken[1])
        self.close(self.taken[2])
        self.close(self.taken[3])
        self.reply.status = 0
        self.pidfd.value = self.open_pidfd(*self.pidfd_arguments)
        self.outgoing.control_length = self.given_room
        self.send(*self.send_arguments)
        self.close(self.pidfd)

    def reap_one(self) -> None:
        """Send back how a session ended: its pid, or 0 where it lives."""
        self.reply.status = 0
        self.forked.value = self.wait(*self.wait_arguments)
        self.outgoing.control_length = 0
        self.send(*self.send_arguments)


def play(control: socket.socket) -> NoReturn:
    """Open a few sessions that end at once, as the host does."""
    try:
        for _ in range(REHEARSALS):
            socket.send_fds(control, [bytes(Order(OPEN, 0, 256, 8, 60))], [1, 1, 1, OWN_FOLDER])
            said, given, _, _ = socket.recv_fds(control, ctypes.sizeof(Reply), 1)
            gone = select.poll()
            gone.register(given[0], select.POLLIN)
            gone.poll(REHEARSAL_PATIENCE)
            control.send(bytes(Order(REAP, Reply.from_buffer_copy(said).pid)))
            control.recv(ctypes.sizeof(Reply))
            posix.close(given[0])
    finally:
        posix._exit(0)


def view(structure: ctypes.Structure, offset: int) -> ctypes.c_int:
    """A number within a structure, as an argument that need not be made anew."""
    return ctypes.c_int.from_buffer(structure, offset)
