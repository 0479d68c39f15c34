"""A machine that cannot be set up gets one line with a way out."""

import os
import subprocess
from pathlib import Path

from tests.house.trees import Tree, tree

__all__ = ["tree"]

PLAIN_TOOLS = ("bash", "dirname", "cat", "sha256sum", "cut", "sed", "grep", "rm", "mkdir", "flock")


def bare_machine(folder: Path) -> Path:
    """A folder of commands as a bare machine has them, without Python and uv."""
    folder.mkdir()
    for tool in PLAIN_TOOLS:
        found = Path("/usr/bin") / tool
        if found.exists():
            (folder / tool).symlink_to(found)
    return folder


def give_python(folder: Path, answers: str) -> None:
    """Put a `python3` there that answers as `answers`, a shell script, says."""
    python = folder / "python3"
    python.write_text(f"#!/usr/bin/bash\n{answers}\n", encoding="utf-8")
    python.chmod(0o755)


def set_up(tree: Tree, commands: Path) -> subprocess.CompletedProcess[str]:
    """Run `scripts/test` in the copy, on that machine."""
    return subprocess.run(
        ["/usr/bin/bash", "scripts/test"],
        cwd=tree.root,
        env={"PATH": str(commands), "HOME": os.environ.get("HOME", "/")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_machine_without_python_is_told_what_to_install(tree: Tree, tmp_path: Path) -> None:
    done = set_up(tree, bare_machine(tmp_path / "bin"))
    assert done.returncode == 3
    assert "Python 3.11 or newer is needed" in done.stderr.splitlines()[-1]


def test_an_old_python_is_not_used(tree: Tree, tmp_path: Path) -> None:
    commands = bare_machine(tmp_path / "bin")
    give_python(commands, "exit 1")
    done = set_up(tree, commands)
    assert done.returncode == 3
    assert "Python 3.11 or newer is needed" in done.stderr.splitlines()[-1]


def test_a_python_without_ensurepip_and_pip_gets_one_clear_line(tree: Tree, tmp_path: Path) -> None:
    commands = bare_machine(tmp_path / "bin")
    give_python(
        commands,
        """
        case "$*" in
          *ensurepip*|*pip*) exit 1 ;;
          *executable*) echo "$0" ;;
        esac
        """,
    )
    done = set_up(tree, commands)
    assert done.returncode == 3
    assert "apt install python3-venv" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
