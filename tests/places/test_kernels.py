"""The wall that is chosen on kernels that give less, and the words where there is none."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent
ASK = """
import asyncio, json, sys
sys.path.insert(0, {root!r})
from actum.errors import NoWall
from actum.places.local.probing import probe
from actum.places.local.place import Local
from actum.records.sessions import SessionSpec
from tests.places.talking import outcome_of, with_place
said = {{}}
async def act(place):
    environment = await place.environment()
    outcome, host = await outcome_of(place, "print(6 * 7)")
    said.update(level=environment.level, layers=environment.layers, text=host.text, status=outcome.status)
try:
    with_place(lambda: Local(preload=()), act)
except NoWall as problem:
    said.update(message=problem.message, why=problem.why, hints=problem.hints)
walls = probe()
said.update(probed=walls.level, problems=walls.problems)
print(json.dumps(said))
"""


def on(kernel: str) -> dict[str, Any]:
    """What a fresh host says on such a kernel."""
    command = [sys.executable, str(TESTS / "poorer_kernel.py"), kernel, sys.executable, "-c"]
    command.append(ASK.format(root=str(TESTS.parent.parent)))
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def best() -> str:
    """The best level of this machine: what is missing here cannot be taken away."""
    from actum.places.local.probing import probe

    level = probe().level
    if level != "full":
        pytest.skip(f"this machine gives level {level} at best")
    return level


@pytest.mark.parametrize("kernel", ["docker", "no-mounts"])
def test_without_namespaces_or_mounts_landlock_holds_alone(best: str, kernel: str) -> None:
    said = on(kernel)
    assert (said["level"], said["probed"], said["text"]) == ("landlock", "landlock", "42\n")
    assert (
        "EPERM" in said["layers"]["namespaces"] or "not permitted" in said["layers"]["namespaces"]
    )
    [problem] = said["problems"]
    assert set(problem) == {"what", "why", "fix"}
    assert problem["fix"]


def test_without_landlock_namespaces_hold_alone_and_it_is_said(best: str) -> None:
    said = on("no-landlock")
    assert (said["level"], said["text"]) == ("full", "42\n")
    assert said["layers"]["landlock"].startswith("missing")
    assert "Landlock" in said["problems"][0]["what"]


def test_without_seccomp_nothing_runs_and_the_reason_is_named(best: str) -> None:
    said = on("no-seccomp")
    assert "text" not in said
    assert "seccomp" in said["why"]
    assert said["hints"]
    assert said["probed"] is None


def test_without_any_wall_nothing_runs(best: str) -> None:
    said = on("no-wall")
    assert "text" not in said
    assert said["message"]
    assert said["hints"]
