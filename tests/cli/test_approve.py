"""Deciding what waits: from another process, and at the terminal."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.terminal import LIGHT, Terminal
from tests.promises import promise

FOUR = """
from tools import shop
import asyncio
async def main():
    return await asyncio.gather(*(shop.send(to=f"c{i}") for i in range(3)), shop.drop(7))
print(asyncio.run(main()))
"""
LOOP = """
from tools import shop
for i in range(4):
    shop.send(to=f"c{i}")
print("all", i)
"""


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


@promise("gate:ask")
def test_all_that_waits_is_one_table_and_destructive_rows_need_their_number(
    terminal: Terminal,
) -> None:
    assert terminal.exec(FOUR).exit == 8
    rows = terminal.actum("approve", "--json").json
    assert [(row["id"], row["tool"], row["effect"]) for row in rows] == [
        (1, "shop.send", "write"),
        (2, "shop.send", "write"),
        (3, "shop.send", "write"),
        (4, "shop.drop", "destructive"),
    ]
    assert {row["line"] for row in rows} == {5}
    assert rows[0]["arguments"] == {"to": "c0", "body": ""}
    assert terminal.actum("approve", "--all", "--json").json == {
        "run": rows[0]["run"],
        "decided": 3,
        "open": 1,
    }
    still = terminal.actum("resume")
    assert still.exit == 8
    assert sorted(terminal.world) == ["send c0", "send c1", "send c2"]
    assert terminal.actum("approve", "--all").exit == 2
    assert terminal.actum("approve", "--select", "1").exit == 0
    assert terminal.actum("resume").out == "['sent', 'sent', 'sent', 'gone']\n"
    assert terminal.world[-1] == "drop 7"


def test_the_rest_of_the_program_is_allowed_with_one_word(terminal: Terminal) -> None:
    assert terminal.exec(LOOP).exit == 8
    assert terminal.actum("approve", "--rest").exit == 0
    assert terminal.actum("resume").out == "all 3\n"
    assert terminal.world == ["send c0", "send c1", "send c2", "send c3"]


def test_the_rest_never_covers_what_destroys(terminal: Terminal) -> None:
    terminal.exec("from tools import shop\nshop.send(to='a')\nshop.drop(1)\nshop.drop(2)\n")
    terminal.actum("approve", "--rest")
    assert terminal.actum("resume").exit == 8
    terminal.actum("approve", "--select", "1")
    assert terminal.actum("resume").exit == 8
    assert terminal.world == ["send a", "drop 1"]


def test_a_row_that_is_denied_raises_in_the_program(terminal: Terminal) -> None:
    program = (
        "import tools\nfrom tools import shop\n"
        "try:\n    shop.send(to='a')\nexcept tools.Denied as no:\n    print('no:', no)\n"
    )
    assert terminal.exec(program).exit == 8
    assert terminal.actum("approve", "--deny").exit == 0
    done = terminal.actum("resume")
    assert done.exit == 0
    assert done.out.startswith("no: shop.send was denied by ")
    assert terminal.world == []


def test_a_choice_that_could_mean_two_runs_or_none_is_a_mistake(terminal: Terminal) -> None:
    nothing = terminal.actum("approve", "--all")
    assert nothing.exit == 2
    assert "nothing waits" in nothing.err
    assert terminal.actum("approve", "--json").json == []
    terminal.exec(LOOP)
    terminal.exec(LOOP)
    two = terminal.actum("approve", "--all")
    assert two.exit == 2
    assert "2 runs wait" in two.err
    assert len(terminal.actum("approve", "--json").json) == 2
    assert terminal.actum("approve", "last", "--all").exit == 0
    assert terminal.actum("approve", "--select", "9").exit == 2
    assert terminal.actum("approve", "--all", "--deny").exit == 2


class Person:
    """Somebody at a terminal, in front of a program that asks."""

    def __init__(self, terminal: Terminal, program: str) -> None:
        terminal.write("p.py", program)
        ours, theirs = pty.openpty()
        self.sees = ours
        self.seen = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", LIGHT, "exec", "p.py", "--tools", "shop.py"],
            cwd=terminal.folder,
            env=terminal.environ,
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
        )
        os.close(theirs)

    def wait_for(self, text: str) -> None:
        """Read the screen until this stands there."""
        while text not in self.seen:
            self.seen += os.read(self.sees, 4096).decode()
        self.seen = self.seen.partition(text)[2]

    def type(self, line: str) -> None:
        """A line, and Enter."""
        os.write(self.sees, f"{line}\n".encode())

    def ends(self) -> tuple[int, str]:
        """The exit code, and what went to stdout."""
        out, _ = self.process.communicate()
        os.close(self.sees)
        return self.process.returncode, out


@pytest.fixture
def people(terminal: Terminal) -> Iterator[list[Person]]:
    started: list[Person] = []
    yield started
    for person in started:
        person.process.kill()


@promise("gate:ask")
def test_a_person_at_the_terminal_selects_rows(terminal: Terminal, people: list[Person]) -> None:
    program = (
        "import asyncio, tools\nfrom tools import shop\n"
        "async def main():\n"
        "    calls = [shop.send(to=f'c{i}') for i in range(3)]\n"
        "    return await asyncio.gather(*calls, return_exceptions=True)\n"
        "print([type(r).__name__ for r in asyncio.run(main())])\n"
    )
    person = Person(terminal, program)
    people.append(person)
    person.wait_for("[a]ll")
    person.wait_for("> ")
    person.type("x")
    person.wait_for("one of the letters")
    person.wait_for("> ")
    person.type("s 1,3")
    assert person.ends() == (0, "['str', 'Denied', 'str']\n")
    assert sorted(terminal.world) == ["send c0", "send c2"]


def test_ctrl_c_at_the_question_stops_the_program_and_nothing_happens(
    terminal: Terminal, people: list[Person]
) -> None:
    person = Person(terminal, LOOP)
    people.append(person)
    person.wait_for("> ")
    person.process.send_signal(signal.SIGINT)
    assert person.ends() == (130, "")
    assert terminal.world == []
    assert terminal.actum("verify").exit == 0
