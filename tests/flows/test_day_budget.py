"""What all runs of a project may cost in a day, over runs and processes."""

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from actum import Agent, Budget, tool
from actum.agent.run import Run
from actum.journal.day_spend import DaySpend
from actum.models.contract import ModelEvent, ModelRequest, ReplyEnd, TextDelta, UsageSeen
from actum.records.messages import Usage
from actum.settings.tree import DayBudget

DAY = 24 * 60 * 60 * 1_000_000_000
ANOTHER_PROCESS = """
from tests.flows.test_day_budget import ask
print(ask(0.25).status)
"""


class Priced:
    """A model that asks its price for each answer, and needs two."""

    name = "priced:two"

    def __init__(self, price: float) -> None:
        self.price = price
        self.asked = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.asked += 1
        first = sum(message.role == "assistant" for message in request.messages) == 0
        yield TextDelta('{"tool": "look", "arguments": {}}' if first else "done")
        yield UsageSeen(Usage(requests=1, usd=self.price))
        yield ReplyEnd(stop="end")


@tool("read")
def look() -> str:
    return "nothing"


def ask(price: float, day: float | None = 1.0) -> Run:
    """A run of two requests, on a day with so much money."""
    budget = Budget(usd=100, day=DayBudget(usd=day))
    return Agent(model=Priced(price), tools=[look], budget=budget, format="json").run_sync("x")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def runs_folder(home: Path) -> Path:
    (folder,) = (home / "runs").iterdir()
    return folder


def test_runs_end_before_the_request_that_the_day_has_no_money_for(home: Path) -> None:
    assert ask(0.25).status == "done"
    elsewhere = subprocess.run(
        [sys.executable, "-c", ANOTHER_PROCESS],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert elsewhere.stdout == "done\n", elsewhere.stderr
    assert DaySpend(runs_folder(home)).usd() == pytest.approx(1.0)
    third = ask(0.25)
    assert third.status == "limit"
    assert third.usage.requests == 0
    assert third.error.startswith("today's budget of $1.00 for this project is used up ($1.00")
    assert "[budget] day.usd" in third.error


def test_a_run_that_spends_the_last_of_the_day_keeps_what_it_has(home: Path) -> None:
    run = ask(1.5)
    assert run.status == "limit"
    assert run.usage.requests == 1
    assert run.usage.usd == pytest.approx(1.5)
    assert ask(1.5, day=None).status == "done"


def test_a_new_day_has_new_money_and_a_run_counts_on_the_day_of_its_answers(home: Path) -> None:
    ask(0.25)
    folder = runs_folder(home)
    assert DaySpend(folder).usd() == pytest.approx(0.5)
    assert DaySpend(folder, clock=lambda: time.time_ns() + DAY).usd() == 0.0
