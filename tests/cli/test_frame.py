"""The frame of the command line: what is typed, where words go, how it ends."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import actum
from actum.cli.main import main
from actum.cli.verbs import VERBS
from tests.cli.machines import Machine

ACTUM = [sys.executable, "-m", "actum"]


def test_help_lists_every_verb_and_loads_none() -> None:
    code = (
        "import sys\nfrom actum.cli.main import main\nmain(['--help'])\n"
        "print([m for m in sys.modules if m in %r], file=sys.stderr)"
    )
    modules = [f"actum.cli.{verb}" for verb in VERBS]
    done = subprocess.run(
        [sys.executable, "-c", code % modules], capture_output=True, text=True, check=True
    )
    assert all(f"  {verb} " in done.stdout for verb in VERBS)
    assert done.stderr.strip() == "[]"


def test_version_and_import_load_nothing_that_they_do_not_need() -> None:
    code = (
        "import sys, actum\nlight = set(sys.modules)\n"
        "from actum.cli.main import main\nmain(['version'])\n"
        "print([m for m in ('click', 'rich', 'msgspec') if m in light])\n"
        "print([m for m in ('rich', 'msgspec') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"actum {actum.__version__}", "[]", "[]"]


def test_the_public_names_are_these() -> None:
    assert [name for name in actum.__all__ if not hasattr(actum, name)] == []
    assert len(actum.__all__) <= 12
    with pytest.raises(AttributeError):
        _ = actum.nothing_of_that_name


@pytest.mark.parametrize(
    "words", [["version", "--json"], ["--json", "version"], ["--version", "--json"]]
)
def test_json_may_stand_before_or_after_the_verb(
    machine: Machine, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["actum"] == actum.__version__


def test_every_verb_takes_json_and_config() -> None:
    for verb in VERBS:
        done = subprocess.run([*ACTUM, verb, "--help"], capture_output=True, text=True, check=True)
        assert "--json" in done.stdout, verb
        assert "--config FILE" in done.stdout, verb


def test_a_misspelt_verb_is_no_task(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["versoin"]) == 2
    answer = capsys.readouterr()
    assert answer.out == ""
    assert "error[usage]: there is no command 'versoin'" in answer.err
    assert "did you mean version?" in answer.err


def test_a_usage_error_is_a_document_with_json(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["version", "--jsom", "--json"]) == 2
    answer = capsys.readouterr()
    assert answer.out == ""
    error = json.loads(answer.err)["error"]
    assert set(error) == {"code", "message", "where", "why", "hints"}
    assert error["code"] == "usage"


def test_a_group_alone_says_what_it_needs(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config"]) == 2
    assert "actum config needs one of its commands" in capsys.readouterr().err


def test_an_error_cannot_move_the_cursor(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "\x1b[2Jx"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_reader_who_leaves_is_no_error(machine: Machine) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*ACTUM, "explain"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_mistake_of_ours_is_one_line_and_a_file(machine: Machine) -> None:
    code = (
        "import sys, actum.cli.version as v\nfrom actum.cli.main import main\n"
        "v.command.callback = lambda: 1 / 0\nsys.exit(main(['version']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error[internal]: ZeroDivisionError")
    assert "Traceback" not in done.stderr
    written = machine.data / "last-crash.txt"
    assert "Traceback" in written.read_text()
    assert written.stat().st_mode & 0o777 == 0o600


def at_the_question(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """`actum trust` at a terminal, up to where it asks."""
    (folder / "actum.toml").write_text("[budget]\ncalls = 7\n")
    terminal, inside = pty.openpty()
    process = subprocess.Popen(
        [*ACTUM, "trust"], stdin=inside, stdout=inside, stderr=inside, cwd=folder
    )
    os.close(inside)
    seen = b""
    while b"[y/N]" not in seen:
        seen += os.read(terminal, 1000)
    return process, terminal


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_its_own_code(machine: Machine, number: int, code: int) -> None:
    process, terminal = at_the_question(machine.folder)
    process.send_signal(number)
    assert process.wait() == code
    os.close(terminal)


def test_a_person_at_a_terminal_is_asked_and_believed(machine: Machine) -> None:
    process, terminal = at_the_question(machine.folder)
    os.write(terminal, b"y\n")
    assert process.wait() == 0
    os.close(terminal)
    shown = subprocess.run(
        [*ACTUM, "config", "show", "--json"], capture_output=True, cwd=machine.folder, check=True
    )
    assert json.loads(shown.stdout)["trusted"] is True


def test_colour_is_for_terminals_that_want_it(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_bytes() -> bytes:
        terminal, inside = pty.openpty()
        process = subprocess.Popen([*ACTUM, "versoin"], stderr=inside)
        process.wait()
        os.close(inside)
        seen = os.read(terminal, 1000)
        os.close(terminal)
        return seen

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert first_bytes().startswith(b"\x1b[")
    monkeypatch.setenv("NO_COLOR", "1")
    assert b"\x1b" not in first_bytes()
