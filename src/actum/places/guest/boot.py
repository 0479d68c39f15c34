"""How the guest is brought up, in two phases.

Phase 1, `clock`, `scheduler`, `locks`, `threads` and this file: they import built-in modules only,
since whatever is imported before `time` and `_thread` are ours keeps the real ones. Phase 2, all
others: imported by `install` afterwards, and free to use the standard library.

`install` must be called outside of any import: import locks remember who took them by
`_thread.get_ident`, which it replaces.
"""

from __future__ import annotations

import sys

from actum.places.guest import clock, threads
from actum.places.guest.scheduler import SCHEDULER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

OWN = __name__.removesuffix("boot")
MANY_SECONDS = 1_000_000.0
KEEPERS = ("_thread", "time", "posix")
"""Built-in modules behind ours; and our own files keep what they stand for."""


def install() -> None:
    """Put this process on the virtual layer, before anything else is imported."""
    clock.install_clock(SCHEDULER.sleep)
    threads.install_threads()
    sys.setswitchinterval(MANY_SECONDS)
    # The queue in C waits in C: let `queue` make its own.
    sys.modules["_queue"] = None  # pyright: ignore[reportArgumentType]
    from actum.places.guest import dates, entropy, event_loop, pools, session

    del sys.modules["_queue"]
    assert session
    entropy.install_entropy()
    dates.install_dates()
    event_loop.install_event_loop()
    pools.install_pools()


def audit() -> list[str]:
    """Names in loaded modules that still hold an original. Must be empty before the first fork."""
    from actum.places.guest import entropy

    real = clock.real | threads.real | entropy.real
    originals = {id(value): name for name, value in real.items()}
    found: list[str] = []
    for name, module in list(sys.modules.items()):
        if name in KEEPERS or name.startswith(OWN):
            continue
        for attribute, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in originals:
                found.append(f"{name}.{attribute} is the real {originals[id(value)]}")
    return found


def serve(frames_fd: int, work: str) -> NoReturn:
    """Be a session until the host is gone; in the confined child."""
    from actum.places.guest import session

    session.serve(frames_fd, work)
