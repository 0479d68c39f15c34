"""The list of runs is made from their files, and every reference means one run or is refused."""

import asyncio
import threading
from pathlib import Path

import pytest

from actum.errors import NoSuchRun
from actum.journal.index import find_run, list_all_runs, list_runs, new_run_id, runs_folder
from actum.journal.sqlite import SqliteStore
from actum.journal.summary import summarize
from actum.records.events import (
    AnyBody,
    ApprovalDecision,
    Draft,
    ModelResponse,
    RunEnd,
    RunPause,
    RunResume,
    RunStart,
    ToolAttempted,
    ToolCalled,
)
from actum.records.messages import Reply, Usage
from tests.journal.runs import record, record_every_kind

SECOND = 1_000_000_000


def brief_run(folder: Path, run: str, *bodies: AnyBody, began: int = 1) -> Path:
    start = Draft(body=RunStart(run=run, task=f"task of {run}"), time=began * SECOND)
    return record(folder, run, [start, *(Draft(body=body, time=0) for body in bodies)])


def test_a_run_is_listed_with_what_it_was_and_cost(tmp_path: Path) -> None:
    summary = summarize(record_every_kind(tmp_path / "project"))
    assert (summary.id, summary.task, summary.status) == ("R001", "count é", "done")
    assert (summary.steps, summary.calls, summary.usd, summary.seconds) == (1, 3, 0.5, 2.0)
    assert (summary.model, summary.format) == ("scripted:x", "code")
    assert (summary.place, summary.level) == ("local", "full")
    assert (summary.project, summary.events) == ("project", 25)
    assert summary.started is not None
    assert summary.started.endswith("Z")


@pytest.mark.parametrize(
    ("bodies", "status"),
    [
        ((), "broken"),
        ((RunEnd(status="denied"),), "denied"),
        ((RunPause(),), "paused"),
        ((RunPause(), ApprovalDecision(call="1.1", decision="allow")), "paused"),
        ((RunPause(), RunResume()), "broken"),
        ((RunPause(), RunResume(), RunEnd(status="limit")), "limit"),
    ],
)
def test_the_status_is_what_the_record_says(
    tmp_path: Path, bodies: tuple[AnyBody, ...], status: str
) -> None:
    assert summarize(brief_run(tmp_path, "R001", *bodies)).status == status


def test_a_run_whose_process_lives_is_running(tmp_path: Path) -> None:
    async def scene() -> None:
        store = SqliteStore.create(tmp_path, new_run_id(tmp_path))
        assert summarize(store.path).status == "running"
        store.append(Draft(body=RunStart(run=store.run, task="now")))
        await store.sync()
        assert (summarize(store.path).status, summarize(store.path).task) == ("running", "now")
        await store.close()
        assert summarize(store.path).status == "broken"

    asyncio.run(scene())


def test_a_run_that_has_not_ended_is_counted_from_its_events(tmp_path: Path) -> None:
    answer = ModelResponse(reply=Reply(parts=(), usage=Usage(usd=0.25)))
    called = ToolCalled(number=4, tool="crm.get")
    calls = [ToolAttempted(number=number) for number in range(3)]
    summary = summarize(brief_run(tmp_path, "R001", answer, *calls, called, answer))
    assert (summary.calls, summary.usd) == (3, 0.5)


def test_the_newest_started_run_comes_first_whichever_was_written_last(tmp_path: Path) -> None:
    for run, began in (("R001", 5), ("R002", 9), ("R003", 1), ("R004", 9)):
        brief_run(tmp_path, run, began=began)
    assert [summary.id for summary in list_runs(tmp_path)] == ["R004", "R002", "R001", "R003"]


def test_a_damaged_file_is_listed_and_the_others_with_it(tmp_path: Path) -> None:
    brief_run(tmp_path, "R001")
    (tmp_path / "R002.actum").write_bytes(b"no database at all" * 100)
    (tmp_path / "R003.actum").write_bytes(b"")
    (tmp_path / "R004.actum").mkdir()
    found = {summary.id: summary for summary in list_runs(tmp_path)}
    assert found.keys() == {"R001", "R002", "R003", "R004"}
    assert {summary.status for summary in found.values()} == {"broken"}
    assert all(found[run].problem for run in ("R002", "R003", "R004"))


def test_a_folder_that_is_not_there_has_no_runs(tmp_path: Path) -> None:
    assert list_runs(tmp_path / "nothing") == []
    assert list_all_runs(tmp_path / "nothing") == []


def test_no_two_command_lines_get_the_same_id(tmp_path: Path) -> None:
    taken: list[str] = []
    threads = [
        threading.Thread(target=lambda: taken.extend(new_run_id(tmp_path) for _ in range(50)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(taken)) == 200
    assert {len(run) for run in taken} <= {4, 5}
    assert not set("".join(taken)) & set("ILOU")


@pytest.fixture
def runs(home: Path) -> Path:
    here = runs_folder(home, "here")
    brief_run(here, "7F3K", began=1)
    brief_run(here, "7F9A", began=3)
    brief_run(here, "B001", began=2)
    brief_run(runs_folder(home, "there"), "7FZZ", began=9)
    brief_run(runs_folder(home, "there"), "C123", began=8)
    return home


@pytest.mark.parametrize(
    ("reference", "run"),
    [
        ("last", "7F9A"),
        ("last~0", "7F9A"),
        ("last~1", "B001"),
        ("last~2", "7F3K"),
        ("7F3K", "7F3K"),
        ("7f3", "7F3K"),
        ("b", "B001"),
        ("bOOl", "B001"),
        ("7FZZ", "7FZZ"),
        ("c", "C123"),
    ],
)
def test_a_reference_finds_its_run_in_the_project_then_everywhere(
    runs: Path, reference: str, run: str
) -> None:
    assert find_run(runs, "here", reference).stem == run


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("7F", "7F could be any of 2 runs: 7F3K, 7F9A."),
        ("last~3", "This project has 3 runs: none is 3 before the last."),
        ("XXXX", "There is no run XXXX."),
        ("", "There is no run ."),
        ("../there/C123", "There is no run ../there/C123."),
    ],
)
def test_a_reference_that_means_no_single_run_is_refused(
    runs: Path, reference: str, message: str
) -> None:
    with pytest.raises(NoSuchRun) as refused:
        find_run(runs, "here", reference)
    assert refused.value.message == message
    assert refused.value.hints


def test_a_mistyped_id_is_answered_with_those_that_are_near(runs: Path) -> None:
    with pytest.raises(NoSuchRun) as refused:
        find_run(runs, "here", "7F3X")
    assert "7F3K" in refused.value.hints[0]


def test_there_is_no_last_run_where_there_is_none(runs: Path) -> None:
    with pytest.raises(NoSuchRun, match="no run in this project yet"):
        find_run(runs, "elsewhere", "last")
