"""A run that has ended can be answered: it goes on with its variables, in the same record."""

import subprocess
import sys
from pathlib import Path

import pytest

from actum import Agent, runs, scripted, tool
from actum.errors import UserMistake
from actum.journal.verify import verify

FIRST = "```python\nx = 41\nprint(x)\n```"
SECOND = "```python\nfinish(x + 1)\n```"


@pytest.fixture
def folder(home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of its own to run in."""
    assert home
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def test_a_reply_finds_the_variables_of_the_run_and_its_history(folder: Path) -> None:
    assert folder
    agent = Agent(model=scripted([FIRST, "It is 41.", SECOND]), format="code")
    first = agent.run_sync("what is it?")
    second = first.reply("and one more?")
    assert (str(first), second.output) == ("It is 41.", 42)
    assert second.id == first.id
    verdict = verify(runs.find(second.id))
    assert (verdict.intact, verdict.complete) == (True, True)
    assert runs.replay(second.id).identical


def test_a_run_that_waits_is_decided_and_not_answered(folder: Path) -> None:
    assert folder

    @tool(effect="write")
    def send(to: str) -> str:
        return f"sent to {to}"

    program = '```python\nsend(to="a")\n```'
    run = Agent(model=scripted([program]), tools=[send], format="code").run_sync("send it")
    assert run.status == "paused"
    with pytest.raises(UserMistake, match="has not ended"):
        run.reply("go on")


def test_chat_is_one_record_that_replays(folder: Path) -> None:
    (folder / "replies.md").write_text(f"{FIRST}\n---\nIt is 41.\n---\n{SECOND}\n")
    chat = subprocess.run(
        [sys.executable, "-m", "actum", "chat", "--model", "scripted:replies.md"],
        input="what is it?\n/budget\nand one more?\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
    )
    assert (chat.returncode, chat.stdout) == (0, "It is 41.\n42\n"), chat.stderr
    assert "2 requests" in chat.stderr
    assert runs.open().output == 42
    assert runs.replay().identical
