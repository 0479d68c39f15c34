"""What the documents say is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# A block that begins ```python run is a whole program, and is run. Its fence may be longer.
RUN = re.compile(r"^(`{3,})python run\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)")
COMMAND = re.compile(r"(?:^|[\s`])((?:scripts|\.ci)/[a-z.]+)\b", re.MULTILINE)


def blocks() -> list[tuple[str, str]]:
    """Page and source of each block that is run."""
    return [
        (page.relative_to(ROOT).as_posix(), source)
        for page in PAGES
        for _, source in RUN.findall(page.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_and_commands_of_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [link for link in LINK.findall(text) if not (page.parent / link).exists()]
    missing += [name for name in COMMAND.findall(text) if not (ROOT / name).exists()]
    assert missing == []


def test_marked_programs_of_pages_run(tmp_path: Path) -> None:
    for page, source in blocks():
        done = subprocess.run(
            [sys.executable, "-c", source],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        if "NoWall" in done.stderr:
            pytest.skip("this machine can hold no program")
        assert done.returncode == 0, f"{page}: {done.stderr}"


def test_the_map_for_newcomers_stays_short() -> None:
    lines = (ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 100


def test_every_room_is_on_the_map() -> None:
    text = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in (ROOT / "src/actum").glob("*/__init__.py")}
    assert {room for room in rooms if f"{room}/" not in text} == set()
