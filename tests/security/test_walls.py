"""Programs that reach for the host, at each level that this machine gives."""

import os
import socket
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from actum.errors import NoWall
from actum.places.contract import Place
from actum.places.local.place import Local
from actum.records.outcomes import Outcome
from actum.records.sessions import Limits
from tests.places.talking import Answering, outcome_of, program, spec, with_place
from tests.promises import promise
from tests.security import attacks

Level = Literal["full", "landlock"]
LEVELS: tuple[Level, ...] = ("full", "landlock")


class Target(NamedTuple):
    """What the host has, and programs want."""

    level: Level
    facts: dict[str, Any]
    canary: Path


@pytest.fixture(params=LEVELS)
def target(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Target]:
    """A host with a secret file, a secret variable, and three servers that answer."""
    monkeypatch.setenv("HOST_SECRET", attacks.SECRET)
    canary = tmp_path / "host-secret.txt"
    canary.write_text(attacks.SECRET)
    canary.chmod(0o644)
    # Nothing but the wall may stand between a session and the file; the machine's own folder is open.
    for folder in [tmp_path, *tmp_path.parents]:
        if folder == Path(tempfile.gettempdir()) or folder.stat().st_uid != os.geteuid():
            break
        folder.chmod(0o755)
    name = f"actum-test-{os.getpid()}"
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as named,
    ):
        abstract.bind("\0" + name)
        abstract.listen()
        named.bind(str(tmp_path / "named.sock"))
        named.listen()
        facts = {
            "canary": str(canary),
            "folder": str(tmp_path),
            "backwards": attacks.BACKWARDS,
            "host": os.getpid(),
            "port": tcp.getsockname()[1],
            "abstract": name,
            "named": str(tmp_path / "named.sock"),
            "landlock": request.param == "landlock",
            "root": os.geteuid() == 0,
        }
        yield Target(request.param, facts, canary)


def local(level: Level) -> Place:
    return Local(level=level, preload=())


def held_back(target: Target, tries: dict[str, str]) -> dict[str, Any]:
    """Run each attack; those that got out, with what they said. The session must live through all."""

    async def act(place: Place) -> dict[str, Any]:
        session = await place.open(spec())
        await session.run(program(attacks.PREAMBLE), Answering())
        out: dict[str, Any] = {}
        for step, (name, source) in enumerate(tries.items(), 2):
            text = source.format(**target.facts)
            outcome = await session.run(program(text, step=step), Answering())
            if outcome.value == "OUT" or outcome.status not in {"done", "failed"}:
                out[name] = outcome
            if outcome.status == "killed":
                return out
        after = await session.run(program("6 * 7", step=999), Answering())
        assert after.value == 42
        await session.close()
        return out

    return at(target.level, act)


def at(level: Level, act: Callable[[Place], Awaitable[Any]]) -> Any:
    """Do something at a level; skip where this machine does not give it."""
    try:
        return with_place(lambda: local(level), act)
    except NoWall as problem:
        pytest.skip(problem.why)


@promise("wall:files")
def test_a_program_reaches_no_file_of_the_host(target: Target) -> None:
    before = target.canary.stat()
    assert held_back(target, attacks.FILES) == {}
    after = target.canary.stat()
    assert target.canary.read_text() == attacks.SECRET
    assert (before.st_mode, before.st_mtime, before.st_nlink) == (
        after.st_mode,
        after.st_mtime,
        after.st_nlink,
    )
    assert not Path("/tmp/actum-left-behind").exists()


@promise("wall:environment")
def test_a_program_sees_no_variable_of_the_host(target: Target) -> None:
    assert held_back(target, attacks.ENVIRONMENT) == {}


@promise("wall:network")
def test_a_program_opens_no_socket(target: Target) -> None:
    assert held_back(target, attacks.NETWORK) == {}


@promise("wall:processes")
def test_a_program_starts_no_process_and_reaches_none(target: Target) -> None:
    assert held_back(target, attacks.PROCESSES) == {}


@promise("wall:processes")
@pytest.mark.parametrize("level", LEVELS)
def test_the_kernel_refuses_every_call_that_no_program_needs(level: Level) -> None:
    calls = attacks.calls_of_this_machine()
    outcome = at(level, lambda place: only_outcome(place, attacks.TRY_CALLS.format(calls=calls)))
    assert outcome.value == [], outcome


@promise("wall:processes")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x86-64 alone has two more ways in")
def test_the_other_ways_into_the_kernel_are_closed(level: Level) -> None:
    x32 = {"getpid of x32": 0x40000000 + 39, "fork of x32": 0x40000000 + 57}
    outcome = at(level, lambda place: only_outcome(place, attacks.TRY_CALLS.format(calls=x32)))
    assert outcome.value == []
    outcome = at(level, lambda place: only_outcome(place, attacks.THIRTY_TWO_BITS))
    assert outcome.status == "killed"
    assert outcome.exit_code == 128 + 31


async def only_outcome(place: Place, source: str, **options: Any) -> Outcome:
    outcome, _ = await outcome_of(place, source, **options)
    return outcome


GREED = {
    "threads": (
        "import threading\nmade = 0\ntry:\n    while made < 5000:\n"
        "        threading.Thread(target=threading.Event().wait, daemon=True).start(); made += 1\n"
        "except RuntimeError: pass\nmade < 5000"
    ),
    "descriptors": (
        "import os\nkept = []\ntry:\n    while True: kept.append(os.pipe())\nexcept OSError: pass\nlen(kept) < 200"
    ),
    "locked memory": "import ctypes\nctypes.CDLL(None).mlockall(1) != 0",
    "one huge file": (
        "f = open('big', 'wb')\ntry:\n    f.truncate(1 << 40); r = False\nexcept OSError: r = True\nr"
    ),
    "endless recursion": ("def f(): return f()\ntry: f()\nexcept RecursionError: r = True\nr"),
}


@promise("wall:memory")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", GREED)
def test_greed_ends_in_an_error_or_in_the_end_of_the_program(level: Level, name: str) -> None:
    outcome = at(level, lambda place: only_outcome(place, GREED[name], seconds=3.0))
    assert outcome.value is True or outcome.status == "killed", outcome


@promise("wall:memory")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "source",
    [
        "n = 0\nwhile True:\n    n += 1\n    with open(f'f{n}', 'wb') as f: f.write(bytes(1 << 20))",
        "n = 0\nwhile True:\n    n += 1\n    open(f'n{n}', 'w').close()",
        "import os\nwhile True:\n    os.mkdir('d'); os.chdir('d')",
    ],
    ids=["bytes", "files", "depth"],
)
def test_the_disk_cannot_be_filled(level: Level, source: str) -> None:
    limits = Limits(disk_mb=16)
    outcome = at(level, lambda place: only_outcome(place, source, limits=limits))
    if level == "full" and outcome.status == "failed":
        assert outcome.error is not None
        assert outcome.error.type == "OSError"
    else:
        assert (outcome.status, outcome.limit) == ("killed", "disk"), outcome


@promise("wall:memory")
@pytest.mark.parametrize("level", LEVELS)
def test_memory_outside_the_interpreter_counts_too(level: Level) -> None:
    source = (
        "import mmap\nkept = []\nwhile True:\n    m = mmap.mmap(-1, 16 << 20); kept.append(m)\n"
        "    for at in range(0, len(m), 4096): m[at] = 1"
    )
    limits = Limits(memory_mb=200)
    outcome = at(level, lambda place: only_outcome(place, source, limits=limits))
    assert (outcome.status, outcome.limit) == ("killed", "memory")
