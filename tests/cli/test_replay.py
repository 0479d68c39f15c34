"""`actum replay`: what it prints, and what it refuses."""

from pathlib import Path

import pytest

from tests.flows.terminal import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


def test_it_prints_the_recorded_output_again(terminal: Terminal) -> None:
    live = terminal.exec("import time, sys\nprint(time.time())\nprint('x', file=sys.stderr)\n")
    again = terminal.actum("replay")
    assert (again.exit, again.out) == (0, live.out)
    assert again.err.startswith("x\n")
    assert "identical" in again.err
    fast = terminal.actum("replay", "--fast")
    assert (fast.exit, fast.out) == (0, live.out)


def test_a_program_that_failed_or_was_killed_replays_as_it_ended(terminal: Terminal) -> None:
    for program, code in [
        ("print(1)\n1/0\n", 1),
        ("import os\nprint(1, flush=True)\nos._exit(3)\n", 1),
        ("print(1, flush=True)\nwhile True: pass\n", 6),
        ("x = [bytearray(1 << 20) for _ in range(5000)]\n", 1),
    ]:
        limit = ("--seconds", "0.5") if code == 6 else ()
        assert terminal.exec(program, *limit).exit == code
        document = terminal.actum("replay", "--json")
        assert document.exit == 0, (program, document)
        assert document.json["identical"]


def test_another_program_that_never_ends_is_stopped(terminal: Terminal) -> None:
    terminal.exec("print(1)\n", "--seconds", "0.5")
    other = terminal.write("other.py", "while True: pass\n")
    document = terminal.actum("replay", "--code", other, "--json")
    assert document.exit == 7


def test_choices_that_exclude_each_other_are_a_mistake(terminal: Terminal) -> None:
    terminal.exec("print(1)\n")
    other = terminal.write("other.py", "print(1)\n")
    assert terminal.actum("replay", "--fast", "--code", other).exit == 2
    assert terminal.actum("replay", "--code", "none.py").exit == 2
    assert terminal.actum("replay", "--code", other).exit == 0
