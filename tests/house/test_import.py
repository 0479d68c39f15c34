"""`import actum` is light, and its public names are few."""

import subprocess
import sys

from inline_snapshot import snapshot

import actum

NEW_MODULES = """
import sys
before = set(sys.modules)
import actum
ours = {name.split(".")[0] for name in set(sys.modules) - before}
print(*sorted(ours - set(sys.stdlib_module_names) - {"actum"}))
"""


def test_importing_actum_pulls_nothing_but_itself_and_msgspec() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NEW_MODULES], capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) <= {"msgspec"}


def test_every_public_name_is_there() -> None:
    for name in actum.__all__:
        assert getattr(actum, name) is not None


def test_the_public_names_are_these() -> None:
    assert sorted(actum.__all__) == snapshot(
        [
            "ActumError",
            "Agent",
            "Budget",
            "Mount",
            "NoOutput",
            "Policy",
            "Run",
            "runs",
            "scripted",
            "secret",
            "tool",
            "toolset",
        ]
    )
