"""Ctrl-C and SIGTERM while a run goes on."""

import asyncio
import contextlib
import signal
from collections.abc import Generator

from actum.lifecycle.live import LiveRun


@contextlib.contextmanager
def stopped_by_signals(live: LiveRun) -> Generator[None]:
    """The first Ctrl-C stops the program, the second ends the run, as SIGTERM does at once."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    pressed = 0

    def on_interrupt() -> None:
        nonlocal pressed
        pressed += 1
        if pressed == 1 and live.interrupt():
            return
        if task is not None:
            task.cancel()

    def on_terminate() -> None:
        live.terminate()
        if task is not None:
            task.cancel()

    with contextlib.suppress(NotImplementedError):
        # Windows has no signal handlers in its loop; there Ctrl-C ends the run at once.
        loop.add_signal_handler(signal.SIGINT, on_interrupt)
        loop.add_signal_handler(signal.SIGTERM, on_terminate)
    try:
        yield
    finally:
        with contextlib.suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)
            loop.remove_signal_handler(signal.SIGTERM)
