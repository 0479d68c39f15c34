"""`actum verify`: a record is as it was written, or the event is named."""

import sqlite3
from pathlib import Path

import pytest

from tests.flows.terminal import Terminal
from tests.promises import promise

COLUMNS = {
    "kind": "'output'",
    "parent": "1",
    "step": "9",
    "line": "9",
    "time": "time + 1",
    "body": "replace(body, 'first', 'First')",
    "hash": "replace(hash, substr(hash, 5, 1), 'x')",
    "seq": "seq + 100",
}


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    shown = Terminal(folder)
    assert shown.exec("from tools import shop\nprint('first', shop.get(1))\n").exit == 0
    return shown


@promise("record:chain")
def test_a_changed_column_is_found_and_the_event_named(terminal: Terminal) -> None:
    honest = terminal.file().read_bytes()
    assert terminal.actum("verify").exit == 0
    for column, value in COLUMNS.items():
        terminal.file().write_bytes(honest)
        with sqlite3.connect(terminal.file()) as connection:
            # The program's own text.
            connection.execute(f"update event set {column} = {value} where seq = 2")
        connection.close()
        found = terminal.actum("verify", "--json")
        assert found.exit == 7, column
        (verdict,) = found.json
        assert not verdict["intact"]
        assert verdict["problem"]["seq"] in {2, 3}, (column, verdict)
    told = terminal.actum("verify")
    assert told.exit == 7
    assert "NOT intact  event" in told.out


@promise("record:chain")
@pytest.mark.parametrize("words", [("replay",), ("runs", "show"), ("resume",), ("approve", "last")])
def test_nothing_is_done_with_a_record_that_does_not_verify(
    terminal: Terminal, words: tuple[str, ...]
) -> None:
    with sqlite3.connect(terminal.file()) as connection:
        connection.execute("update event set body = replace(body, 'first', 'First') where seq = 2")
    connection.close()
    done = terminal.actum(*words)
    assert done.exit == 7
    assert "event 2" in done.err


@promise("record:unreadable")
@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_cannot_be_read_is_called_that(terminal: Terminal, content: bytes) -> None:
    terminal.file().write_bytes(content)
    done = terminal.actum("verify", terminal.file().stem, "--json")
    assert done.exit == 7
    (verdict,) = done.json
    assert not verdict["intact"]
    assert "read" in verdict["problem"]["what"]
    assert terminal.actum("replay", terminal.file().stem).exit == 7


def test_all_runs_of_a_project_are_verified_at_once(terminal: Terminal) -> None:
    terminal.exec("print('second')")
    every = terminal.actum("verify", "--all", "--json")
    assert every.exit == 0
    assert [verdict["intact"] for verdict in every.json] == [True, True]
    assert [verdict["complete"] for verdict in every.json] == [True, True]
