"""Every interpreter found, and a way to open guests that are closed at the end."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.guest.harness import Guest, pythons

PYTHONS = pythons()


@pytest.fixture(params=PYTHONS, ids=[f"python-{n}" for n in range(len(PYTHONS))])
def python(request: pytest.FixtureRequest) -> str:
    """One of the interpreters of this machine."""
    return request.param


@pytest.fixture
def open_guest(tmp_path: Path) -> Iterator[Callable[..., Guest]]:
    """Open a session, in a folder that is emptied for it: one at a time."""
    with ExitStack() as stack:

        def open_one(**options: Any) -> Guest:
            return stack.enter_context(Guest(tmp_path, **options))

        yield open_one
