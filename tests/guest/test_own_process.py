"""What a program sees of its process: constants, one folder, no children."""

import signal
from collections.abc import Callable

import pytest

from tests.guest.harness import Guest

Open = Callable[..., Guest]


STARTING = (
    "import os; os.fork()",
    "import os; os.system('true')",
    "import os; os.popen('true')",
    "import os; os.execv('/bin/true', ['true'])",
    "import os; os.posix_spawn('/bin/true', ['true'], {})",
    "import os; os.spawnlp(0, 'true', 'true')",
    "import subprocess; subprocess.run(['true'])",
    "import subprocess; subprocess.Popen('true', shell=True)",
    "import multiprocessing as m; m.get_context('fork').Process(target=print).start()",
    "import multiprocessing as m; m.get_context('spawn').Process(target=print).start()",
    "import asyncio; asyncio.run(asyncio.create_subprocess_exec('true'))",
    "import concurrent.futures as c; c.ProcessPoolExecutor(1).submit(print).result()",
)


def test_processes_are_off_and_say_so(open_guest: Open, python: str) -> None:
    guest = open_guest(python=python)
    for source in STARTING:
        error = guest.run(source).outcome["error"]
        assert "processes are off here; use threads" in error["message"], source


def test_the_process_has_one_number(open_guest: Open) -> None:
    assert open_guest().run("import os\n(os.getpid(), os.getppid())").outcome["value"] == [
        4242, 4241,
    ]  # fmt: skip


@pytest.mark.parametrize("number", ["SIGTERM", "SIGKILL", "SIGSTOP", "SIGALRM"])
def test_a_deadly_signal_to_oneself_ends_the_session(open_guest: Open, number: str) -> None:
    guest = open_guest()
    run = guest.run(f"import os, signal\nprint('x')\nos.kill(os.getpid(), signal.{number})")
    assert (run.outcome, run.output) == ({}, "x\n")
    assert guest.exit_code == 128 + getattr(signal, number)


def test_signals_to_oneself_reach_their_handlers(open_guest: Open) -> None:
    source = (
        "import os, signal\ngot = []\n"
        "signal.signal(signal.SIGUSR1, lambda number, frame: got.append(frame.f_lineno))\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "os.kill(os.getpid(), signal.SIGUSR1)\n"
        "signal.raise_signal(signal.SIGUSR1)\n"
        "signal.raise_signal(signal.SIGTERM)\n"
        "signal.raise_signal(signal.SIGCHLD)\n"
        "got"
    )
    assert open_guest().run(source).outcome["value"] == [5, 6]


def test_an_interrupt_to_oneself_is_a_keyboard_interrupt(open_guest: Open) -> None:
    outcome = open_guest().run("import signal\nsignal.raise_signal(signal.SIGINT)").outcome
    assert outcome["status"] == "interrupted"


def test_no_other_process_is_there_to_be_killed(open_guest: Open) -> None:
    assert open_guest().run("import os\nos.kill(1, 9)").outcome["error"]["type"] == (
        "ProcessLookupError"
    )


def test_what_was_written_before_a_hard_exit_arrives(open_guest: Open) -> None:
    guest = open_guest()
    run = guest.run("import os\nprint('last words')\nos._exit(7)")
    assert (run.output, run.outcome, guest.exit_code) == ("last words\n", {}, 7)


def test_alarms_are_off_and_say_what_to_use(open_guest: Open) -> None:
    for call in ("alarm(1)", "setitimer(0, 1)", "pause()"):
        error = open_guest().run(f"import signal\nsignal.{call}").outcome["error"]
        assert "asyncio.timeout" in error["message"]


def test_folders_are_listed_in_order(open_guest: Open) -> None:
    source = (
        "import os, glob, pathlib\nnames = 'qwertyuiop'\nfor n in names: open(n, 'w').close()\n"
        "with os.scandir() as entries: scanned = [entry.name for entry in entries]\n"
        "[os.listdir(), scanned, glob.glob('*'), next(os.walk('.'))[2],\n"
        " [path.name for path in pathlib.Path().iterdir()]]"
    )
    lists = open_guest().run(source).outcome["value"]
    assert lists == [sorted("qwertyuiop")] * 5


def test_the_machine_shows_the_same_everywhere(open_guest: Open) -> None:
    source = (
        "import os, multiprocessing, concurrent.futures as c\n"
        "(os.cpu_count(), multiprocessing.cpu_count(), os.uname().nodename,"
        " c.ThreadPoolExecutor()._max_workers)"
    )
    assert open_guest().run(source).outcome["value"] == [4, 4, "box", 8]


def test_waiting_for_no_file_is_a_sleep(open_guest: Open) -> None:
    run = open_guest().run("import select\nselect.select([], [], [], 1.5)")
    assert [frame["timeout"] for frame in run.waits] == [1_500_000_000]


def test_the_working_folder_has_one_name(open_guest: Open) -> None:
    source = (
        "import os, pathlib\nopen('a', 'w').close()\n"
        "here = os.getcwd()\n"
        "[os.path.abspath('a') == here + '/a', os.path.realpath('a') == here + '/a',"
        " str(pathlib.Path('a').resolve()) == here + '/a', str(pathlib.Path.cwd()) == here]"
    )
    assert open_guest(work="/tmp/elsewhere").run(source).outcome["value"] == [True] * 4
    assert open_guest(work="/tmp/elsewhere").run("import os\nos.getcwd()").outcome["value"] == (
        "/tmp/elsewhere"
    )
