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
    """Open a session; each has its own folder."""
    with ExitStack() as stack:
        count = iter(range(1000))

        def open_one(**options: Any) -> Guest:
            folder = tmp_path / f"guest{next(count):03d}"
            folder.mkdir()
            return stack.enter_context(Guest(folder, **options))

        yield open_one
