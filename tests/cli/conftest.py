"""An empty home and an empty folder for each test of the command line."""

import io
import os
from pathlib import Path

import pytest

from tests.cli.machines import Machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Stand in an empty folder, with an empty home, and nobody at a terminal."""
    for name in list(os.environ):
        if name.startswith("ACTUM_") or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ACTUM_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return Machine(
        folder=folder,
        data=tmp_path / "data",
        settings=tmp_path / "config" / "actum" / "actum.toml",
    )
