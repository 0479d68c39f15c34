"""A terminal for each test."""

from pathlib import Path

import pytest

from tests.flows.terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """An empty folder with the shop's tools."""
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)
