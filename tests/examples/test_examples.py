"""The small programs of the choosing page: each runs as it stands, and its record is as good as any."""

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from actum import runs
from actum.journal.recording import read_run
from actum.journal.verify import verify
from actum.records.events import RunStart

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
LONGEST = 60


@dataclass(frozen=True)
class Expected:
    """What an example says, and what its last run must and must not have done."""

    lines: tuple[str, ...]
    called: tuple[str, ...] = field(default=())
    programs: bool = True


EXPECTED = {
    "support_router": Expected(
        ("answer: T-17 is with billing.", "turns: 4, calls that reached a tool: 2"),
        ("tickets.read", "tickets.assign", "tickets.assign"),
        programs=False,
    ),
    "front_door": Expected(
        ("answer: Order 7 leaves tomorrow. The rest I may not do.", "reached: orders.status"),
        ("orders.status", "customers.delete", "customers.list"),
        programs=False,
    ),
    "week_over_week": Expected(
        ("answer: revenue +280, spend +84, tickets +28",),
        ("shop.revenue",) * 2 + ("ads.spend",) * 2 + ("support.tickets",) * 2,
        programs=False,
    ),
    "research_loop": Expected(
        ("answer: Foragers sleep 6 hours. (p7, after 4 papers)",),
        ("search", "library.find", *("library.paper",) * 4),
    ),
    "calendar_to_mail": Expected(
        (
            "paused, nothing is sent yet: 0 mails. One decision for all of them:",
            "  mail.send  eve: Review is at 14:00, not at 15:00",
            "answer: 4 mails about 2 meetings",
            "sent: 4",
        ),
        ("calendar.meetings", *("mail.send",) * 4),
    ),
    "readings_until": Expected(
        (
            "answer: mean of the last 10 is 60.2 degrees at second 205: valve at 40 %",
            "pages: 5, readings that the model was sent: 0, valve: 40 %",
        ),
        ("sensor.page",) * 5 + ("valve.set",),
    ),
}


def output_of(name: str, folder: Path) -> str:
    """What an example prints, run as a user runs it."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if "NoWall" in done.stderr:
        pytest.skip("this machine can hold no program")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_gives_its_answer_and_its_records_verify_and_replay(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    expected = EXPECTED[name]
    printed = output_of(name, tmp_path)
    for line in expected.lines:
        assert re.search(rf"^{re.escape(line)}(   record: \w+)?$", printed, re.MULTILINE), printed
    assert "scripted" in printed
    records = re.findall(r"record: (\w+)$", printed, re.MULTILINE)
    for record in records:
        verdict = verify(runs.find(record))
        assert (verdict.intact, verdict.complete) == (True, True), verdict
        report = runs.replay(record)
        assert (report.identical, report.remarks) == (True, ()), report
    start = read_run(runs.find(records[-1])).events[0].body
    assert isinstance(start, RunStart)
    assert start.model == "scripted"
    # JSON opens no place, so nothing of one stands in its record.
    assert (start.environment is not None) == expected.programs
    assert tuple(call.tool for call in runs.open(records[-1]).calls) == expected.called


def test_the_comparison_is_counted_in_the_run_that_prints_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = output_of("week_over_week", tmp_path)
    rows = dict(re.findall(r"^(\S.*?) {2,}(\d+ +\d+ +[\d,]+)$", printed, re.MULTILINE))
    counted = {name: [int(n.replace(",", "")) for n in row.split()] for name, row in rows.items()}
    looks, knows, one_by_one, parallel = counted.values()
    assert [row[0] for row in (looks, knows, one_by_one, parallel)] == [3, 1, 7, 2]
    assert [row[1] for row in (looks, knows, one_by_one, parallel)] == [9, 6, 6, 6]
    # Against parallel calls a program that has to look takes a turn more, and sends less.
    assert knows[2] < looks[2] < parallel[2] < one_by_one[2]


def test_examples_are_small_and_the_choosing_page_links_each() -> None:
    programs = {path.stem: path for path in EXAMPLES.glob("*.py")}
    page = (ROOT / "docs" / "code-or-json.md").read_text(encoding="utf-8")
    assert set(programs) == {*EXPECTED, "counted"}
    for name, path in programs.items():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST, name
        assert f"../examples/{name}.py" in page, name
