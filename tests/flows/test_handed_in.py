"""Variables and files from Python: they reach the program, not the prompt, and a replay has them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from actum import Agent, Mount, runs, scripted
from actum.errors import NoSuchFile, UserMistake
from actum.records.events import Event, ModelRequest
from actum.records.messages import Text

SECRET_CELL = "nobody sends this to a model"


def fenced(program: str) -> str:
    return f"```python\n{program}\n```"


def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "n": [1, 2, 3],
            "text": [SECRET_CELL, None, "c"],
            "share": [1.5, float("nan"), 2.0],
            "day": np.array(["2024-01-01", "2024-01-02", "NaT"], dtype="datetime64[ns]"),
            "flag": [True, False, True],
            7: [[1], {"a": 2}, "mixed"],
        },
        index=pd.Index(["x", "y", "z"], name="key"),
    )


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_variables_and_files_reach_the_program_and_not_the_prompt(project: Path) -> None:
    (project / "note.txt").write_text("a note")
    (project / "data").mkdir()
    (project / "data" / "a.csv").write_text("in a folder")
    data = {"a": [1, {"b": 2**80}], "$odd": b"\x00\xff", ("t", 1): None}
    program = f"""
assert data == {data!r} and type(data) is dict and type(data["a"][1]) is dict
assert raw == bytes(range(256))
assert grid.shape == (2, 3) and grid.sum() == 15 and grid.flags.writeable
assert open("note.txt").read() == "a note" and open("year/a.csv").read() == "in a folder"
assert frame.loc["x", "text"] == {SECRET_CELL!r} and frame["text"].isna().sum() == 1
assert frame.index.name == "key" and list(frame.columns)[-1] == 7 and frame[7].iloc[1] == {{"a": 2}}
assert str(frame["day"].dtype).startswith("datetime64") and frame["day"].isna().sum() == 1
open("out/n.txt", "w").write("kept")
finish([frame["n"].sum().item(), frame["share"].sum(), bool(frame["flag"].iloc[1])])
"""
    model = scripted([fenced(program)])
    agent = Agent(model=model, mounts=[Mount("data", "year")], format="code", output=list)
    given = {
        "frame": table(),
        "raw": bytes(range(256)),
        "data": data,
        "grid": np.arange(6).reshape(2, 3),
    }
    run = agent.run_sync("go", inputs=given, files=["note.txt"])
    assert run.output == [6, 3.5, False], run.error
    assert [(file.name, file.read_text()) for file in run.artifacts] == [("n.txt", "kept")]
    prompt = prompts(run.events)
    assert SECRET_CELL not in prompt
    assert "frame (pandas DataFrame, 3 rows: n, text, share, day, flag, 7)" in prompt
    assert "year/ (read-only), note.txt (6 bytes)" in prompt
    (project / "data" / "a.csv").unlink()
    (project / "note.txt").unlink()
    report = runs.replay(run.id)
    assert report.identical, report.difference


def prompts(events: Sequence[Event]) -> str:
    """Everything that the model was sent."""
    return "".join(
        part.text
        for event in events
        if isinstance(event.body, ModelRequest)
        for message in event.body.added
        for part in message.parts
        if isinstance(part, Text)
    )


def of_two_levels() -> object:
    pandas: Any = pd
    return pandas.DataFrame([[1]], index=pandas.MultiIndex.from_arrays([[1], [2]]))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("x", object(), "object does not cross"),
        ("class", 1, "no name for a variable"),
        ("print", 1, "another 'print'"),
        ("x", pd.DataFrame({"c": pd.Categorical(["a"])}), "of type category"),
        ("x", np.array([object()]), "its type is object"),
        ("x", of_two_levels(), "several levels"),
    ],
)
def test_what_cannot_cross_is_said_before_anything_runs(name: str, value: object, why: str) -> None:
    agent = Agent(model=scripted([]))
    with pytest.raises(UserMistake) as mistake:
        agent.run_sync("go", inputs={name: value})
    assert why in f"{mistake.value.message} {mistake.value.why}"


def test_files_that_are_not_there_or_in_the_way_are_said(project: Path) -> None:
    agent = Agent(model=scripted([]), mounts=["data"])
    (project / "data").mkdir()
    other = project / "other" / "data"
    other.parent.mkdir()
    other.write_text("a file of that name")
    with pytest.raises(NoSuchFile):
        agent.run_sync("go", files=["missing.txt"])
    with pytest.raises(UserMistake, match="has the name 'data' too"):
        agent.run_sync("go", files=[other])
