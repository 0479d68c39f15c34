"""In a notebook: runs, figures, tables, an interrupt, a restart; and nothing is left behind."""

import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="the group notebook is not installed")
nbformat = pytest.importorskip("nbformat", reason="the group notebook is not installed")
pytest.importorskip("ipykernel", reason="the group notebook is not installed")

SETUP = """
import os, threading
from pathlib import Path
from actum import Agent, runs, scripted, tool

def replies(*programs):
    return [*(f"```python\\n{program}\\n```" for program in programs), "done"]

@tool(effect="read")
def begun() -> int:
    "Tell the test that the program runs."
    Path("begun").touch()
    return 1
"""
DRAW = """
plot = "import matplotlib.pyplot as plt, pandas as pd\\nplt.plot([1, 2])\\npd.DataFrame({'n': range(30)})"
run = Agent(model=scripted(replies(plot))).run_sync("draw it", show=False)
run
"""
LOOPS = """
looping = scripted(replies("kept = begun()", "while True: pass"))
Agent(model=looping, tools=[begun]).run_sync("loop", show=False)
"""
HOLDS = """
@tool(effect="read")
def hold() -> int:
    "Wait for the test."
    Path("held").touch()
    pause = threading.Event()
    while not Path("go").exists():
        pause.wait(0.05)
    return 1

holding = scripted(replies("kept = 41", "finish(kept + hold())"))
agent = Agent(model=holding, tools=[hold])
"""
STATUS = """
print(runs.open("last").status)
"""
AGAIN = """
again = Agent(model=scripted(replies("finish(6 * 7)"))).run_sync("count", show=False)
print(again)
"""


class Notebook:
    """A kernel, and cells that are run in it."""

    def __init__(self) -> None:
        self.client: Any = nbclient.NotebookClient(
            nbformat.v4.new_notebook(), timeout=60, allow_errors=True, kernel_name="python3"
        )

    def run(self, source: str) -> list[Any]:
        """Run a cell: its outputs."""
        cell = nbformat.v4.new_code_cell(source)
        self.client.nb.cells.append(cell)
        self.client.execute_cell(cell, len(self.client.nb.cells) - 1)
        return list(cell.outputs)

    @property
    def kernel(self) -> int:
        """The pid of its process."""
        return int(self.client.km.provisioner.pid)

    def text(self, source: str) -> str:
        """What a cell prints; an error stands in it too."""
        return "".join(
            output.get("text", "") + output.get("ename", "") for output in self.run(source)
        )


@contextmanager
def open_notebook() -> Generator[Notebook]:
    """A fresh kernel, until the end of the block."""
    made = Notebook()
    with made.client.setup_kernel():
        made.run(SETUP)
        yield made


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that kernels start in."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return work


def when(file: Path, act: Callable[[], None]) -> threading.Thread:
    """Do it as soon as the file is there."""

    def wait() -> None:
        pause = threading.Event()
        while not file.exists():
            pause.wait(0.05)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def is_alive(pid: int) -> bool:
    """Whether it runs; one that nobody has asked about yet is dead all the same."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def children_of(pid: int) -> list[int]:
    """The processes that a process has started."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if entry.name.isdigit() and int(fields[1]) == pid:
            found.append(int(entry.name))
    return found


@pytest.mark.timeout(180)
def test_a_run_is_a_value_with_figures_and_tables() -> None:
    pytest.importorskip("matplotlib")
    with open_notebook() as notebook:
        (shown,) = notebook.run(DRAW)
        page = shown["data"]["text/html"]
        assert "data:image/png;base64," in page
        assert "30 rows, 1 columns; the first 20 are shown" in page
        assert children_of(notebook.kernel) == []


@pytest.mark.timeout(180)
def test_an_interrupt_ends_the_run_and_the_notebook_goes_on(folder: Path) -> None:
    with open_notebook() as notebook:
        pressing = when(folder / "begun", lambda: os.kill(notebook.kernel, signal.SIGINT))
        assert notebook.text(LOOPS) == "KeyboardInterrupt"
        pressing.join()
        assert notebook.text(STATUS) == "cancelled\n"
        assert notebook.text(AGAIN) == "42\n"
        assert children_of(notebook.kernel) == []


@pytest.mark.timeout(180)
def test_a_kernel_that_dies_in_a_run_leaves_nothing_and_the_next_goes_on(folder: Path) -> None:
    left: list[int] = []
    with open_notebook() as notebook:
        notebook.run(HOLDS)

        def kill() -> None:
            left.extend(children_of(notebook.kernel))
            os.kill(notebook.kernel, signal.SIGKILL)

        killing = when(folder / "held", kill)
        with pytest.raises(nbclient.exceptions.DeadKernelError):
            notebook.run("agent.run_sync('hold', show=False)")
        killing.join()
    assert left
    pause = threading.Event()
    while any(map(is_alive, left)):
        pause.wait(0.05)
    (folder / "go").touch()
    with open_notebook() as notebook:
        notebook.run(HOLDS)
        assert notebook.text("print(runs.resume('last', agent=agent))") == "42\n"
        assert children_of(notebook.kernel) == []
