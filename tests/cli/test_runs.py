"""`actum runs`: what was recorded."""

from pathlib import Path

import pytest

from tests.flows.terminal import Terminal

FIELDS = "id task status started seconds steps calls usd model format place level".split()


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


def test_runs_are_listed_the_newest_first(terminal: Terminal) -> None:
    assert terminal.actum("runs", "list", "--json").json == []
    terminal.exec("1/0")
    terminal.exec("from tools import shop\nshop.get(1)")
    rows = terminal.actum("runs", "list", "--json").json
    assert [row["status"] for row in rows] == ["done", "failed"]
    assert set(FIELDS) <= set(rows[0])
    assert (rows[0]["task"], rows[0]["calls"], rows[0]["place"]) == ("exec p.py", 1, "local")
    for row in terminal.actum("runs", "list").out.splitlines():
        assert "exec p.py" in row


def test_a_run_is_shown_event_by_event(terminal: Terminal) -> None:
    terminal.exec("from tools import shop\nx = 1\nshop.get(1)")
    shown = terminal.actum("runs", "show", "--json").json
    kinds = [event["kind"] for event in shown["events"]]
    assert kinds[0] == "run.start"
    assert kinds[-1] == "run.end"
    (call,) = [event for event in shown["events"] if event["kind"] == "tool.call"]
    assert (call["step"], call["line"], call["body"]["tool"]) == (1, 3, "shop.get")
    assert [event["seq"] for event in shown["events"]] == list(range(1, len(kinds) + 1))
    assert terminal.actum("runs", "show", shown["id"][:3]).exit == 0
    assert terminal.actum("runs", "show", "last~1").exit == 2


def test_a_removed_run_is_gone(terminal: Terminal) -> None:
    terminal.exec("print(1)")
    file = terminal.file()
    assert terminal.actum("runs", "rm", "last").exit == 0
    assert not file.exists()
    assert not list(file.parent.glob(f"{file.stem}*"))
    assert terminal.actum("runs", "list", "--json").json == []
