"""`actum run` with a scripted model."""

from pathlib import Path

import pytest

from tests.flows.terminal import Done, Terminal
from tests.promises import promise

TASK = (
    "```python\nfrom tools import shop\nx = [shop.get(i)['amount'] for i in range(3)]\nprint(x)\n```\n"
    "---\n```python\nprint(shop.send(to='a', body=str(sum(x))))\n```\n---\nThe total is 30.\n"
)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


def run(terminal: Terminal, script: str, *words: str) -> Done:
    model = f"scripted:{terminal.write('script.txt', script)}"
    return terminal.actum("run", "how much?", "--model", model, "--tools", "shop.py", *words)


def test_the_answer_goes_to_stdout_and_the_rest_to_stderr(terminal: Terminal) -> None:
    done = run(terminal, "```python\nprint(1)\n```\n---\nOne.\n")
    assert (done.exit, done.out) == (0, "One.\n")
    assert "scripted:" in done.err
    assert "stays on this machine" in done.err
    assert "actum replay" in done.err


@promise("gate:ask")
def test_a_task_parks_between_its_programs_and_goes_on_with_their_variables(
    terminal: Terminal,
) -> None:
    parked = run(terminal, TASK)
    assert (parked.exit, parked.out) == (8, "")
    assert terminal.world == ["get 0", "get 1", "get 2"]
    assert terminal.actum("approve", "--all").exit == 0
    done = terminal.actum("resume")
    assert (done.exit, done.out) == (0, "The total is 30.\n")
    assert terminal.world == ["get 0", "get 1", "get 2", "send a"]
    assert terminal.actum("replay").exit == 0
    (row,) = terminal.actum("runs", "list", "--json").json
    assert (row["status"], row["calls"]) == ("done", 4)


def test_no_wait_lets_the_model_answer_all_the_same(terminal: Terminal) -> None:
    done = run(terminal, TASK, "--no-wait")
    assert (done.exit, done.out) == (0, "The total is 30.\n")
    assert "send a" not in terminal.world


def test_an_error_of_a_program_goes_back_to_the_model(terminal: Terminal) -> None:
    script = "```python\nx = 5\n1/0\n```\n---\n```python\nprint(x)\n```\n---\nFive.\n"
    done = run(terminal, script, "--json")
    assert done.exit == 0
    end = done.lines[-1]
    assert (end["event"], end["status"], end["output"]) == ("end", "done", "Five.")
    assert end["usage"]["requests"] == 3


def test_a_budget_of_requests_is_a_limit_and_no_answer(terminal: Terminal) -> None:
    config = terminal.write("few.toml", "[budget]\nrequests = 2\n")
    done = run(terminal, "```python\n1\n```\n---\n" * 5, "--config", config)
    assert (done.exit, done.out) == (5, "")
    assert "requests" in done.err


def test_a_script_that_is_used_up_is_a_failure_of_the_model(terminal: Terminal) -> None:
    done = run(terminal, "```python\nprint(1)\n```\n")
    assert done.exit == 1
    assert "used up" in done.err
    assert terminal.actum("verify").exit == 0


def test_without_a_model_it_says_how_to_name_one(terminal: Terminal) -> None:
    done = terminal.actum("run", "how much?")
    assert done.exit in {2, 3}
    assert "--model" in done.err
    assert terminal.actum("runs", "list", "--json").json == []


def test_tools_of_unknown_effect_are_named_before_the_model_is_asked(terminal: Terminal) -> None:
    tools = terminal.write("plain.py", "from actum import tool\n\n@tool()\ndef note(): ...\n")
    model = f"scripted:{terminal.write('script.txt', 'Done.')}"
    done = terminal.actum("run", "note it", "--model", model, "--tools", tools)
    assert done.exit == 2
    assert "note" in done.err
    assert 'effect="read"' in done.err
