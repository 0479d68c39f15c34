"""A copy of this checkout to break something in, and the checks run on it."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("src", "tests", "scripts", "pyproject.toml", "uv.lock")


@dataclass(frozen=True)
class Said:
    """What a check said, and whether it let the tree pass."""

    passed: bool
    text: str


@dataclass(frozen=True)
class Tree:
    """A copy of the checkout."""

    root: Path

    def write(self, name: str, text: str) -> None:
        """Write one file of the copy."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def add(self, name: str, text: str) -> None:
        """Add to one file of the copy."""
        self.write(name, (self.root / name).read_text(encoding="utf-8") + text)

    def check(self, name: str) -> Said:
        """Run a check of our own, by its name."""
        return self._run([sys.executable, f"scripts/checks/{name}.py"])

    def check_rooms(self) -> Said:
        """Run the check of the rooms, as `scripts/check rooms` does."""
        linter = Path(sys.executable).with_name("lint-imports")
        return self._run([str(linter), "--no-cache", "--no-logo"])

    def _run(self, command: list[str]) -> Said:
        environment = os.environ | {"PYTHONPATH": str(self.root / "src")}
        done = subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        # A message may be wrapped; what it says is the same.
        return Said(done.returncode == 0, " ".join((done.stdout + done.stderr).split()))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A fresh copy of the checkout."""
    root = tmp_path / "checkout"
    root.mkdir()
    skip = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=skip)
        else:
            shutil.copy(source, root / name)
    return Tree(root)
