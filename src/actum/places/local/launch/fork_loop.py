"""The loop of the zygote: take an order, fork, answer. It leaves nothing behind on its heap.

Every object that outlives a turn of this loop would move what the next session allocates, and
with it ids, hashes and the order of sets. So the loop speaks to the kernel through buffers that
were made once, and keeps no name from one turn to the next.
"""

import ctypes
import posix
from collections.abc import Callable

from actum.places.local.launch.kernel import NEW_NAMESPACE, NUMBERS, libc

OPEN, REAP = 1, 2
SESSION_DESCRIPTORS = 4
SOL_SOCKET, SCM_RIGHTS = 1, 1
NO_WAIT = 1


class Order(ctypes.Structure):
    """What the host sends. The host packs it as `=iiiii`."""

    _fields_ = (
        ("kind", ctypes.c_int32),
        ("pid", ctypes.c_int32),
        ("memory_mb", ctypes.c_int32),
        ("disk_mb", ctypes.c_int32),
        ("cpu_seconds", ctypes.c_int32),
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
        self.control = control
        self.full = full
        self.own_pid_namespace = own_pid_namespace
        self.order = Order()
        self.received = Passing()
        self.incoming = message_for(self.order, self.received)
        self.reply = Reply()
        self.given = Passing(PASSING_HEADER + 4, SOL_SOCKET, SCM_RIGHTS)
        self.outgoing = message_for(self.reply, self.given)
        self.bind()

    def bind(self) -> None:
        """Bind the C functions once: a lookup by name would make a new object each time."""
        message = ctypes.POINTER(Message)
        self.receive = libc.recvmsg
        self.receive.argtypes = [ctypes.c_int, message, ctypes.c_int]
        self.send = libc.sendmsg
        self.send.argtypes = [ctypes.c_int, message, ctypes.c_int]
        self.wait = libc.waitpid
        self.wait.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
        self.close = libc.close
        self.close.argtypes = [ctypes.c_int]
        self.unshare = libc.unshare
        self.unshare.argtypes = [ctypes.c_int]
        self.enter_namespace = libc.setns
        self.enter_namespace.argtypes = [ctypes.c_int, ctypes.c_int]
        self.system_call = libc.syscall
        self.incoming_at = ctypes.pointer(self.incoming)
        self.outgoing_at = ctypes.pointer(self.outgoing)
        self.status_at = ctypes.addressof(self.reply) + Reply.status.offset
        self.pid_kind = NEW_NAMESPACE["pid"]
        self.open_pidfd = NUMBERS["pidfd_open"]
        self.room = ctypes.sizeof(self.received)
        self.given_room = PASSING_HEADER + 8

    def serve(self, child: Callable[[], None]) -> None:
        """Take orders until the host is gone. `child` never returns."""
        while True:
            self.incoming.control_length = self.room
            if self.receive(self.control, self.incoming_at, 0) <= 0:
                return
            if self.order.kind == OPEN:
                self.open_one(child)
            else:
                self.reap_one()

    def open_one(self, child: Callable[[], None]) -> None:
        """Fork; in the parent, send back the pid and a pidfd."""
        if self.full:
            self.unshare(self.pid_kind)
        self.reply.pid = posix.fork()
        if self.reply.pid == 0:
            child()
        if self.full:
            self.enter_namespace(self.own_pid_namespace, self.pid_kind)
        for index in range(SESSION_DESCRIPTORS):
            self.close(self.received.descriptors[index])
        self.reply.status = 0
        self.given.descriptors[0] = self.system_call(self.open_pidfd, self.reply.pid, 0, 0, 0, 0, 0)
        self.outgoing.control_length = self.given_room
        self.send(self.control, self.outgoing_at, 0)
        self.close(self.given.descriptors[0])

    def reap_one(self) -> None:
        """Send back how a session ended: its pid, or 0 where it lives."""
        self.reply.status = 0
        self.reply.pid = self.wait(self.order.pid, self.status_at, NO_WAIT)
        self.outgoing.control_length = 0
        self.send(self.control, self.outgoing_at, 0)
