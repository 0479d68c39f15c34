"""Each HTTP library in a program behaves as it does with sockets: pages, uploads, errors."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from actum.places.local.place import Local
from actum.records.events import Output, ToolCalled
from actum.records.policies import PolicyRule
from tests.flows.runs import Bench, rules
from tests.network.fake_site import FakeSite
from tests.network.test_gate import ended

PROGRAMS = Path(__file__).parent / "programs"
LIBRARIES = ("http_client", "urllib", "requests", "httpx", "aiohttp", "pandas")
BESIDE = ("127.0.0.1:1", "nowhere.invalid")
FREELY = rules(PolicyRule(tool="http.request", decide="allow"))
STANDARD = ("http_client", "urllib")


def program_of(library: str, site: FakeSite, mode: str) -> str:
    """The same text for both: only where the site is, and for whom it counts."""
    parts = [PROGRAMS / "common.txt", PROGRAMS / f"{library}.txt"]
    head = f"SITE = {site.url!r}\nMODE = {mode!r}\n"
    return head + "\n\n".join(part.read_text() for part in parts)


def with_sockets(program: str, folder: Path) -> str:
    """What it prints where sockets open."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def printed(bench: Bench) -> str:
    """What the program wrote to stdout."""
    bodies = [event.body for event in bench.events() if isinstance(event.body, Output)]
    return "".join(body.text for body in bodies if body.stream == "stdout")


def installed(library: str) -> bool:
    """Whether programs can import it here."""
    return library in STANDARD or importlib.util.find_spec(library) is not None


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_behaves_as_with_sockets_and_replays_without_the_site(
    library: str, tmp_path: Path
) -> None:
    if not installed(library):
        pytest.skip(f"{library} is not installed")
    with FakeSite() as site:
        expected = with_sockets(program_of(library, site, "sockets"), tmp_path)
        bench = Bench(tmp_path, Local(preload=()), hosts=(site.host, *BESIDE))

        async def go() -> None:
            ending = await bench.exec(program_of(library, site, "guest"), policy=(FREELY,))
            assert ending.status == "done", ending.reason
            assert printed(bench).splitlines() == expected.splitlines()
            site.shutdown()
            report = await bench.replay()
            assert report.identical, report.difference

        ended(bench, go())
    called = [event.body for event in bench.events() if isinstance(event.body, ToolCalled)]
    assert called
    assert {call.tool for call in called} == {"http.request"}
