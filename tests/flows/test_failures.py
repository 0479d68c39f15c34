"""What can go wrong around a run: signals, a full disk, a dead zygote."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from actum.errors import SandboxLost
from actum.journal.verify import verify
from actum.lifecycle.approving import Choice
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision
from actum.tools.declaration import tool
from tests.flows.runs import Bench, bare_place
from tests.flows.terminal import WALL, Terminal

SLEEPS = "import time\nprint('start', flush=True)\ntime.sleep(1000)\nprint('never')\n"
SPINS = "print('start', flush=True)\nwhile True: pass\n"
CATCHES = (
    "import time\nprint('start', flush=True)\ntry:\n    time.sleep(1000)\n"
    "except KeyboardInterrupt:\n    print('cleaned up')\n    raise\n"
)


@pytest.mark.parametrize(
    ("program", "number", "code", "printed"),
    [
        (SLEEPS, signal.SIGINT, 130, ""),
        (SPINS, signal.SIGINT, 130, ""),
        (CATCHES, signal.SIGINT, 130, "cleaned up\n"),
        (SLEEPS, signal.SIGTERM, 143, ""),
        (SPINS, signal.SIGTERM, 143, ""),
    ],
)
def test_a_signal_ends_the_run_and_the_record_is_whole(
    terminal: Terminal, program: str, number: signal.Signals, code: int, printed: str
) -> None:
    terminal.write("p.py", program)
    process = terminal.start("exec", "p.py")
    assert process.stdout is not None
    assert process.stdout.readline() == "start\n"
    # As a terminal does: everything that belongs to the command hears it.
    os.killpg(process.pid, number)
    out, err = process.communicate()
    assert (process.returncode, out) == (code, printed), err
    assert WALL.sub("", err).startswith("stopped: ")
    (run,) = terminal.actum("runs", "list", "--json").json
    assert run["status"] == "cancelled"
    assert terminal.actum("verify").exit == 0
    assert terminal.actum("replay").exit == 0


def test_ctrl_c_in_a_stream_leaves_a_last_line(terminal: Terminal) -> None:
    terminal.write("p.py", SLEEPS)
    process = terminal.start("exec", "p.py", "--json")
    assert process.stdout is not None
    while '"text": "start' not in (line := process.stdout.readline()):
        assert line
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert err == ""
    assert '"event": "end"' in out.splitlines()[-1]
    assert '"exit": 130' in out.splitlines()[-1]


def test_a_run_that_died_without_a_word_is_broken_and_goes_on(terminal: Terminal) -> None:
    terminal.write(
        "p.py", "import time\nprint('start', flush=True)\ntime.sleep(0.5)\nprint('end')\n"
    )
    process = terminal.start("exec", "p.py")
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate()
    (run,) = terminal.actum("runs", "list", "--json").json
    assert run["status"] == "broken"
    done = terminal.actum("resume")
    assert done.exit == 0, done.err
    assert done.out.endswith("end\n")
    assert terminal.actum("replay").exit == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A disk of a quarter of a megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    # In a namespace of the command's own: nothing has to be taken away again.
    probe = subprocess.run(["unshare", "-m", "mount", *options], check=False, capture_output=True)
    if probe.returncode != 0:
        pytest.skip("a small disk needs a mount namespace, which root can make here")
    return folder


def test_a_full_disk_is_one_clear_error_and_nothing_is_done_in_silence(
    terminal: Terminal, small_disk: Path
) -> None:
    program = terminal.write(
        "p.py", "from tools import shop\nfor i in range(400):\n    shop.fill(text='x' * 1000)\n"
    )
    tools = terminal.write(
        "fill.py",
        "from actum import tool\n\n@tool(name='shop.fill', effect='read')\n"
        "def fill(text: str) -> str:\n    return text\n",
    )
    command = (
        f"mount -t tmpfs -o size=256k tmpfs {small_disk} && "
        f"ACTUM_HOME={small_disk}/data exec {sys.executable} -m actum exec {program} --tools {tools}"
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", command],
        cwd=terminal.folder,
        env=terminal.environ,
        stdin=subprocess.DEVNULL,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3, done.stderr
    assert WALL.sub("", done.stderr).startswith("error[journal.lost]: ")
    assert done.stderr.count("error[") == 1
    assert "full" in done.stderr


def test_a_file_that_may_not_grow_is_one_clear_error(terminal: Terminal) -> None:
    program = terminal.write("p.py", "print('x' * 900_000)\n")

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    process = terminal.start("exec", program, preexec_fn=small_files)
    _, err = process.communicate()
    assert process.returncode == 3, err
    assert WALL.sub("", err).startswith("error[journal.lost]: ")
    assert err.count("error[") == 1


def test_a_zygote_that_dies_is_one_clear_error_and_nothing_is_lost(tmp_path: Path) -> None:
    sent: list[int] = []

    @tool("write", name="shop.send")
    def send(i: int) -> int:
        sent.append(i)
        if sent == [0, 1]:
            kill_children()
        return i

    async def scene() -> None:
        bench = Bench(tmp_path, bare_place(), tools=[send], approver=allow_all)
        program = (
            "import time\nfrom tools import shop\nfor i in range(4):\n    print(shop.send(i))\n"
        )
        program += "    if i == 1: time.sleep(0.2)\n"
        with pytest.raises(SandboxLost) as lost:
            await bench.exec(program)
        assert lost.value.hints
        assert verify(bench.file()).intact
        # The same place starts another zygote.
        assert (await bench.resume()).status == "done"
        assert bench.output() == "0\n1\n2\n3\n"
        assert sent == [0, 1, 2, 3]
        assert (await bench.replay()).identical
        await bench.place.close()

    asyncio.run(scene())


async def allow_all(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
    return Choice(rows, by="me").all()


def kill_children() -> None:
    """The zygotes are the only processes that a host starts."""
    tasks = [task / "children" for task in Path("/proc/self/task").iterdir()]
    children = {int(child) for task in tasks for child in task.read_text().split()}
    assert children
    for child in children:
        os.kill(child, signal.SIGKILL)
