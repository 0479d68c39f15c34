"""Entropy from the session's seed: one keyed stream for `os.urandom`, `random`, `uuid`, numpy.

Phase 2: imported by `boot.install` after `time` and `_thread` are ours.
"""

import itertools
import os
import sys
from _blake2 import blake2b
from collections.abc import Callable
from typing import Any

BLOCK = 64
NODE = 0x02005E000001
"""A locally administered address, for `uuid1` and `uuid.getnode`."""


class EntropyStream:
    """Bytes that only the key decides."""

    def __init__(self) -> None:
        self._key = b"zygote"
        self._count = 0
        self._kept = b""

    def rekey(self, *parts: str | int) -> None:
        """Begin anew with a key made of these parts."""
        text = "\0".join(str(part) for part in parts)
        self._key = blake2b(text.encode(), digest_size=32).digest()
        self._count = 0
        self._kept = b""

    def read(self, size: int) -> bytes:
        """Take the next bytes."""
        if size < 0:
            raise ValueError("negative argument not allowed")
        if size <= len(self._kept):
            taken = self._kept[:size]
            self._kept = self._kept[size:]
            return taken
        pieces = [self._kept]
        missing = size - len(self._kept)
        while missing > 0:
            counter = self._count.to_bytes(8, "little")
            pieces.append(blake2b(counter, key=self._key).digest())
            self._count += 1
            missing -= BLOCK
        joined = b"".join(pieces)
        self._kept = joined[size:]
        return joined[:size]


STREAM = EntropyStream()
real = {"urandom": os.urandom}
if hasattr(os, "getrandom"):
    real["getrandom"] = os.getrandom
os.urandom = STREAM.read
if hasattr(os, "getrandom"):
    os.getrandom = lambda size, flags=0: STREAM.read(size)

# These take what they need from `os` at their import.
import random  # noqa: E402
import tempfile  # noqa: E402
import uuid  # noqa: E402

_seeded_by_program: set[str] = set()
_seed_generator = random.Random.seed
_shared_generator: random.Random = random._inst


def _seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    """Take the place of `Random.seed`, which would ask the kernel inside C."""
    if a is None:
        _seed_generator(self, int.from_bytes(STREAM.read(32), "big"), version)
        return
    if self is _shared_generator:
        _seeded_by_program.add("random")
    _seed_generator(self, a, version)


def _numpy_seed(real_seed: Callable[..., None]) -> Callable[..., None]:
    def seed(*args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            _seeded_by_program.add("numpy")
            real_seed(*args, **kwargs)
        else:
            real_seed(int.from_bytes(STREAM.read(4), "big"))

    seed.__doc__ = real_seed.__doc__
    return seed


def cure_numpy(module: Any) -> None:
    """Note when the program seeds numpy's global generator; seed it from the stream until then."""
    module.seed = _numpy_seed(module.seed)


def cure_polars(module: Any) -> None:
    """Polars keeps its own generator in Rust."""
    module.set_random_seed(int.from_bytes(STREAM.read(8), "big") >> 1)


def install_entropy() -> None:
    """Replace what still asks the kernel, or the machine, for something unique."""
    random._urandom = STREAM.read
    random.Random.seed = _seed
    random.seed = _shared_generator.seed
    uuid._generate_time_safe = None
    uuid._UuidCreate = None
    uuid._node = NODE
    uuid.getnode = lambda: NODE


def _seed_what_the_program_left() -> None:
    """Until the program seeds a global generator itself; then it is its own for good."""
    if "random" not in _seeded_by_program:
        _shared_generator.seed()
    numpy = sys.modules.get("numpy.random")
    if numpy is not None and "numpy" not in _seeded_by_program:
        numpy.seed()


def begin_session(seed: str) -> None:
    """Start the session's stream and forget what modules kept from before the fork.

    Global generators are seeded when a program begins: until then nobody draws from them.
    """
    STREAM.rekey(seed, "session")
    _seeded_by_program.clear()
    uuid._last_timestamp = None
    for name in ("_last_timestamp_v6", "_last_timestamp_v7"):
        if hasattr(uuid, name):
            setattr(uuid, name, None)
    tempfile._name_sequence = None
    tempfile.tempdir = None
    tempfile._once_lock = tempfile._allocate_lock()
    polars = sys.modules.get("polars")
    if polars is not None:
        cure_polars(polars)


def begin_step(seed: str, step: int) -> None:
    """Derive the stream for one action, so that a changed one does not disturb the next."""
    STREAM.rekey(seed, step)
    _seed_what_the_program_left()


def fresh_counter(start: int) -> Callable[[], int]:
    """The bound `next` of a new counter, as modules keep it to number their objects."""
    return itertools.count(start).__next__
