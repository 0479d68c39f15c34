"""Examples of the libraries' own documentation print in a session what plain CPython prints."""

import asyncio
import importlib.util
from collections.abc import Iterator

import pytest

from actum.places.local.place import Local
from tests.guest.documented import (
    NUMPY,
    PANDAS,
    STANDARD,
    Documented,
    documented,
    even,
    plainly,
    standard,
)
from tests.places.talking import Answering, program, spec

LIBRARIES = {"numpy": NUMPY, "pandas": PANDAS}
QUIET = "import warnings\nwarnings.simplefilter('ignore')\n"


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    shared = Local(preload=("numpy", "pandas"))
    yield shared
    asyncio.run(shared.close())


async def in_sessions(place: Local, programs: list[Documented]) -> list[str]:
    """What each prints, in one session."""
    session = await place.open(spec())
    printed: list[str] = []
    for step, each in enumerate(programs, 1):
        host = Answering()
        outcome = await session.run(program(QUIET + each.program, step=step, seconds=50.0), host)
        assert outcome.status == "done", f"{each.name}: {outcome}"
        text = "".join(chunk.text for chunk in host.chunks if chunk.stream == "stdout")
        printed.append(even(text))
    await session.close()
    return printed


def compare(place: Local, programs: list[Documented]) -> None:
    expected = plainly(programs)
    printed = asyncio.run(in_sessions(place, programs))
    for each, plain, here in zip(programs, expected, printed, strict=True):
        assert here == plain, each.name


@pytest.mark.timeout(120)
@pytest.mark.filterwarnings("ignore")
def test_examples_of_the_standard_library_print_the_same(place: Local) -> None:
    programs = [each for module in STANDARD for each in standard(module)]
    assert len(programs) > 60
    compare(place, programs)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("library", LIBRARIES)
def test_examples_of_data_libraries_print_the_same(place: Local, library: str) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    programs = documented(library, LIBRARIES[library])
    assert len(programs) > 40
    compare(place, programs)
