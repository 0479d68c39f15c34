"""Figures and tables of a run: on record, replayed, seen by the model, in notebooks and in `--json`."""

import asyncio
import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from actum import Agent, Run, runs, scripted, tool
from actum.errors import UserMistake
from actum.places.local.place import Local
from actum.records.messages import NativeCall, Reply, Text
from tests.flows.runs import Bench
from tests.flows.terminal import Terminal
from tests.models.servers.fake_chat import chat_answer
from tests.models.servers.fake_provider import serving

PLOT = "import matplotlib.pyplot as plt\nplt.bar([1, 2], [3, {height}])\n"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    pytest.importorskip("matplotlib")
    shared = Local(preload=("numpy", "pandas"))
    yield shared
    asyncio.run(shared.close())


@tool(effect="write")
def send(text: str) -> str:
    """Send a text."""
    return f"sent {text}"


def drawn(place: Local, last: str = "send('x')") -> Run:
    """A run that draws, shows a table with hostile cells, and does one more thing."""
    first = (
        "import pandas as pd\n"
        + PLOT.format(height=4)
        + f"plt.title('a')\npd.DataFrame({{'<b>name': ['{HOSTILE}', None], 'n': [1.5, 2]}})"
    )
    model = scripted([f"```python\n{first}\n```", f"```python\n{last}\n```", f"done {HOSTILE}"])
    return Agent(model=model, tools=[send], place=place).run_sync("draw it")


@pytest.mark.timeout(120)
def test_a_figure_is_seen_by_a_model_that_sees(place: Local) -> None:
    program = json.dumps({"code": PLOT.format(height=4)})
    draws = Reply(parts=(NativeCall("a", "python", program),), stop="calls")
    with serving(chat_answer(draws), chat_answer(Reply(parts=(Text("a bar"),)))) as provider:
        run = Agent(model=f"{provider.url}/v1#sees", place=place).run_sync("draw it")
    assert run.output == "a bar"
    told = json.dumps(provider.asked[1].body)
    assert "Figure 1 (png and svg, " in told
    assert f"data:image/png;base64,{base64.b64encode(run.picture()).decode()}" in told


@pytest.mark.timeout(120)
def test_a_replay_draws_again_and_compares(place: Local, tmp_path: Path) -> None:
    async def act() -> None:
        bench = Bench(tmp_path, place)
        ending = await bench.exec(PLOT.format(height=4))
        assert ending.status == "done"
        report = await bench.replay()
        assert report.identical
        report = await bench.replay(instead={1: PLOT.format(height=5)})
        assert report.difference is not None
        assert report.difference.recorded.startswith("its figures are ")

    asyncio.run(act())


@pytest.mark.timeout(120)
def test_a_run_has_its_figures_and_tables(place: Local) -> None:
    run = drawn(place, last="plt.pie([1, 2])")
    assert run.status == "done"
    assert [(each.name, each.step) for each in run.figures] == [("figure-1", 1), ("figure-2", 2)]
    (table,) = run.tables
    assert (table.name, table.table.row_count) == ("table-1", 2)
    assert run.picture(2).startswith(b"\x89PNG")
    assert b"<svg" in run.picture(2, "svg")
    assert runs.open(run.id).picture(2) == run.picture(2)
    with pytest.raises(UserMistake, match="has no figure-3"):
        run.picture(3)


@pytest.mark.timeout(120)
def test_a_notebook_shows_answer_figures_tables_and_what_waits(place: Local) -> None:
    waits = drawn(place)
    assert waits.status == "paused"
    page = waits._repr_html_()  # pyright: ignore[reportPrivateUsage] -- as a notebook does
    assert "waits for a decision" in page
    assert "<td style='text-align: left; padding: 2px 8px'>send</td>" in page
    assert page.count("<img ") == 1
    assert base64.b64encode(waits.picture()).decode() in page
    assert "2 rows, 2 columns" in page
    waits.approve(all=True)
    done = waits.resume()
    page = done._repr_html_()  # pyright: ignore[reportPrivateUsage] -- as above
    assert "done &lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page
    assert "<b>name" not in page


@pytest.mark.timeout(120)
def test_scripts_read_figures_and_tables(terminal: Terminal) -> None:
    pytest.importorskip("matplotlib")
    terminal.write(
        "p.py",
        PLOT.format(height=4) + "import pandas as pd\npd.DataFrame({'n': range(30)})",
    )
    lines = terminal.actum("exec", "p.py", "--json", "--out", "kept").lines
    step = next(line for line in lines if line["event"] == "step")
    end = lines[-1]
    (figure,) = end["figures"]
    (table,) = end["tables"]
    assert {key: figure[key] for key in step["figures"][0]} == step["figures"][0]
    assert (figure["name"], figure["step"]) == ("figure-1", 1)
    assert len(figure["png"]["sha256"]) == 64
    assert figure["svg"]["size"] > 1000
    kept = (terminal.folder / "kept" / "figure-1.png").read_bytes()
    assert hashlib.sha256(kept).hexdigest() == figure["png"]["sha256"]
    assert (terminal.folder / "kept" / "figure-1.svg").exists()
    assert (table["name"], table["row_count"], len(table["rows"])) == ("table-1", 30, 20)
    assert table["columns"] == [{"name": "n", "type": "int64"}]
