"""`actum resume`: what is still there, what has changed, who may go on."""

from pathlib import Path

import pytest

from tests.flows.terminal import SHOP, Terminal
from tests.promises import promise

PARKS = "from tools import shop\nprint(shop.get(1)['amount'])\nshop.send(to='a')\nprint('sent')\n"


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    shown = Terminal(folder)
    assert shown.exec(PARKS).exit == 8
    return shown


def test_a_changed_tools_file_is_said_and_what_was_approved_is_asked_again(
    terminal: Terminal,
) -> None:
    assert terminal.actum("approve", "--all").exit == 0
    terminal.write("shop.py", SHOP + "\n# changed\n")
    asked = terminal.actum("resume")
    assert asked.exit == 8, asked
    assert asked.err.count("shop.py has changed") == 1
    assert "send a" not in terminal.world
    assert terminal.actum("approve", "--all").exit == 0
    done = terminal.actum("resume")
    assert (done.exit, done.out) == (0, "sent\n")
    assert terminal.actum("replay").exit == 0


def test_a_missing_tools_file_is_said_and_nothing_is_lost(terminal: Terminal) -> None:
    text = (terminal.folder / "shop.py").read_text()
    (terminal.folder / "shop.py").unlink()
    gone = terminal.actum("resume")
    assert gone.exit == 3
    assert "shop.py is gone" in gone.err
    terminal.write("shop.py", text)
    assert terminal.actum("approve", "--all").exit == 0
    assert terminal.actum("resume").exit == 0


def test_only_the_new_output_is_printed(terminal: Terminal) -> None:
    terminal.actum("approve", "--all")
    lines = terminal.actum("resume", "--json").lines
    assert [line["text"] for line in lines if line["event"] == "output"] == ["sent\n"]
    assert lines[-1]["status"] == "done"


@promise("gate:ask")
def test_resuming_without_waiting_refuses_what_is_open(terminal: Terminal) -> None:
    done = terminal.actum("resume", "--no-wait")
    assert done.exit == 4
    assert "send a" not in terminal.world


def test_a_run_whose_process_lives_is_not_touched(terminal: Terminal) -> None:
    terminal.write("p.py", "import time\nprint('start', flush=True)\ntime.sleep(1000)\n")
    process = terminal.start("exec", "p.py")
    assert process.stdout is not None
    process.stdout.readline()
    busy = terminal.actum("resume", "last")
    assert busy.exit == 2
    assert "another process" in busy.err.lower()
    assert terminal.actum("runs", "rm", "last").exit == 2
    process.terminate()
    process.communicate()
    assert process.returncode == 143


def test_a_run_that_nobody_knows_is_a_mistake(terminal: Terminal) -> None:
    assert terminal.actum("resume", "ZZZZ").exit == 2
