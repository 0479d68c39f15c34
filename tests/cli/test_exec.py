"""`actum exec`: what a program prints, and how it ends."""

import json
from pathlib import Path

import pytest

from tests.flows.terminal import Terminal

ENDS = [
    ("import sys; sys.exit(0)", 0, "done", ""),
    ("import sys; sys.exit()", 0, "done", ""),
    ("import sys; sys.exit(3)", 1, "failed", "SystemExit: 3"),
    ("import sys; sys.exit('enough')", 1, "failed", "enough"),
    ("x = 1\n1/0", 1, "failed", "line 2"),
    ("def f(:", 1, "failed", "SyntaxError"),
    ("import os; os._exit(0)", 1, "failed", "status 0"),
    ("import os; os._exit(130)", 1, "failed", "status 130"),
    ("x = bytearray(3 << 30)", 1, "failed", "MemoryError"),
    ("import ctypes; ctypes.string_at(0)", 1, "failed", "SIGSEGV"),
    ("raise KeyboardInterrupt", 130, "cancelled", "interrupted"),
    ("finish({'a': 1})\nprint('never')", 0, "done", ""),
]


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


def test_every_end_has_its_exit_code_and_its_status(terminal: Terminal) -> None:
    for program, code, _, told in ENDS:
        done = terminal.exec(program)
        assert (done.exit, done.out) == (code, ""), (program, done)
        assert told in done.err, (program, done.err)
        assert "Traceback" not in done.err
    statuses = [run["status"] for run in terminal.actum("runs", "list", "--json").json]
    assert statuses == [status for _, _, status, _ in reversed(ENDS)]


def test_stdout_is_what_the_program_prints_and_nothing_else(terminal: Terminal) -> None:
    program = (
        "import sys\nprint('one')\nprint('two', file=sys.stderr)\nsys.stdout.write('thr')\n"
        "print('ee é \\x1b[1m')\n7\n"
    )
    done = terminal.exec(program)
    assert (done.exit, done.out, done.err) == (0, "one\nthree é \x1b[1m\n", "two\n")


def test_the_two_streams_keep_their_order(terminal: Terminal) -> None:
    program = (
        "import sys\nfor i in range(20):\n"
        "    print(i, file=(sys.stdout, sys.stderr)[i % 3 == 0])\n'last'\n"
    )
    lines = terminal.exec(program, "--json").lines
    printed = [(line["stream"], line["text"]) for line in lines if line["event"] == "output"]
    assert "".join(text for _, text in printed) == "".join(f"{i}\n" for i in range(20))
    assert printed[0] == ("stderr", "0\n")
    assert printed[1] == ("stdout", "1\n2\n")
    end = lines[-1]
    assert (end["event"], end["status"], end["exit"], end["output"]) == ("end", "done", 0, "last")
    assert end["usage"]["calls"] == end["usage"]["requests"] == 0
    assert end["artifacts"] == []


@pytest.mark.parametrize(
    "program",
    [
        "for i in range(200_000):\n    print('0123456789')\n",
        "import os\nfor i in range(2_000):\n    os.write(1, b'0123456789' * 100)\n",
        "print('x' * 1_000_000, end='')\nprint('more')\n",
    ],
)
def test_output_that_is_cut_says_so(terminal: Terminal, program: str) -> None:
    done = terminal.exec(program)
    assert done.exit == 0
    assert done.out.endswith("\n[output cut at 1000000 bytes]\n")
    assert len(done.out) < 1_000_100
    assert terminal.actum("replay").out == done.out


def test_text_that_is_flushed_is_there_though_the_program_is_killed(terminal: Terminal) -> None:
    done = terminal.exec("print('so far', flush=True)\nwhile True: pass\n", "--seconds", "0.5")
    assert (done.exit, done.out) == (6, "so far\n")
    assert "time limit" in done.err


def test_a_program_from_standard_input(terminal: Terminal) -> None:
    done = terminal.actum("exec", "-", "--json", stdin="print('hello')\n21 * 2\n")
    assert done.exit == 0
    assert [line["text"] for line in done.lines if line["event"] == "output"] == ["hello\n"]
    assert done.lines[-1]["output"] == 42


def test_a_file_that_is_not_there_is_a_mistake(terminal: Terminal) -> None:
    done = terminal.actum("exec", "none.py", "--json")
    assert (done.exit, done.out) == (2, "")
    assert json.loads(done.err)["error"]["code"] == "file.missing"
    terminal.write("p.py", "1")
    assert terminal.actum("exec", "p.py", "--tools", "none.py").exit == 2
    assert terminal.actum("runs", "list", "--json").json == []


def test_tools_may_be_imported_by_a_name_of_ones_own(terminal: Terminal) -> None:
    program = "from my_shop import shop\nprint(shop.get(1)['amount'])\n"
    assert terminal.exec(program, "--tools-as", "my_shop").out == "10\n"


def test_calls_that_wait_are_lines_of_the_stream(terminal: Terminal) -> None:
    done = terminal.exec("from tools import shop\nshop.send(to='a')\n", "--json")
    assert done.exit == 8
    (row,) = [line for line in done.lines if line["event"] == "approval"]
    assert (row["id"], row["tool"], row["line"]) == (1, "shop.send", 2)
    assert done.lines[-1]["status"] == "paused"
    assert done.err == ""
