"""Asynchronous work from code that is not."""

import asyncio
import contextvars
import threading
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


def in_own_loop(work: Coroutine[None, None, T]) -> T:
    """Run to the end; in a thread of its own where a loop is running here already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[T] = []
    errors: list[BaseException] = []
    context = contextvars.copy_context()

    def run() -> None:
        try:
            results.append(context.run(asyncio.run, work))
        except BaseException as error:  # noqa: BLE001 -- it is raised where it is waited for
            errors.append(error)

    thread = threading.Thread(target=run, name="actum-run")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
