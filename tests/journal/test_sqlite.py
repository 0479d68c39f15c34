"""A run in one file: one writer, many readers, and nothing acknowledged is lost."""

import asyncio
import hashlib
import json
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actum.errors import DoesNotVerify, RunBusy, StoreLost, UserMistake
from actum.journal.chain import Row, first_link, link
from actum.journal.lock import is_running
from actum.journal.recording import read_run
from actum.journal.sqlite import SqliteStore
from actum.journal.verify import verify
from actum.records.events import BODIES, Draft, Newer, Output, RunStart
from tests.journal.runs import LARGE, SMALL, artifact_of, bodies, record, record_every_kind

WRITER = """
import asyncio, os, resource, sys
from pathlib import Path
from actum.errors import StoreLost
from actum.journal.sqlite import SqliteStore
from actum.records.events import Draft, Output

async def main():
    store = SqliteStore.create(Path(sys.argv[1]), "R001")
    if sys.argv[2] == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    for number in range(int(sys.argv[3])):
        store.append(Draft(body=Output(stream="stdout", text=str(number) * 400)))
        if number % 3 == 0:
            try:
                await store.sync()
            except StoreLost as error:
                print("lost", error.why, flush=True)
                sys.exit(3)
            print(number + 1, flush=True)
    os.kill(os.getpid(), 9)

asyncio.run(main())
"""


def said(text: str) -> Draft:
    return Draft(body=Output(stream="stdout", text=text))


def run_writer(folder: Path, mode: str, count: int) -> list[str]:
    """What a process printed that wrote until it was killed or its disk was full."""
    command = [sys.executable, "-c", WRITER, str(folder), mode, str(count)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


def beside(path: Path) -> dict[str, bytes]:
    """Every file of the folder and its content."""
    return {
        str(file.relative_to(path.parent)): file.read_bytes()
        for file in path.parent.rglob("*")
        if file.is_file()
    }


def test_every_kind_comes_back_from_the_file(tmp_path: Path) -> None:
    path = record_every_kind(tmp_path)
    recording = read_run(path)
    assert [event.kind for event in recording.events[3:5]] == ["action.start", "module.load"]
    assert {event.kind for event in recording.events} == set(BODIES)
    assert recording.head == recording.events[-1].hash
    assert recording.get(artifact_of(recording)) == SMALL
    assert beside(path).keys() == {
        "R001.actum",
        f"R001.blobs/{hashlib.sha256(LARGE).hexdigest()[:2]}/{hashlib.sha256(LARGE).hexdigest()}",
    }


def test_only_the_user_can_read_the_files(tmp_path: Path) -> None:
    async def scene() -> None:
        store = SqliteStore.create(tmp_path / "runs", "R001")
        for body in bodies(store):
            store.append(Draft(body=body))
        await store.sync()
        files = [path for path in (tmp_path / "runs").rglob("*") if path.is_file()]
        assert len(files) == 5
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        await store.close()

    asyncio.run(scene())


def test_a_run_is_gone_on_with_where_it_ended(tmp_path: Path) -> None:
    path = record_every_kind(tmp_path)

    async def scene() -> None:
        store = SqliteStore.open(path)
        before = len(store.events())
        assert store.append(said("more")).seq == before + 1
        await store.close()
        assert len(read_run(path).events) == before + 1
        assert verify(path).intact

    asyncio.run(scene())


def test_events_of_one_loop_are_kept_by_the_next(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path, "R001")
    store.append(said("before any loop"))

    async def scene() -> None:
        store.append(said("in a loop"))

    asyncio.run(scene())
    asyncio.run(scene())
    asyncio.run(store.sync())
    assert len(read_run(store.path).events) == 3
    store.append(said("between"))
    asyncio.run(store.close())
    assert len(read_run(store.path).events) == 4


def test_events_are_committed_soon_without_being_waited_for(tmp_path: Path) -> None:
    async def scene() -> None:
        store = SqliteStore.create(tmp_path, "R001")
        store.append(said("soon"))
        while not read_run(store.path).events:  # noqa: ASYNC110 -- seen from outside alone
            await asyncio.sleep(0)
        assert [event.seq for event in read_run(store.path).events] == [1]
        await store.close()

    asyncio.run(scene())


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    async def scene() -> None:
        store = SqliteStore.create(tmp_path, "R001")
        store.append(said("one"))
        await store.sync()
        assert is_running(store.path)
        with pytest.raises(RunBusy) as busy:
            SqliteStore.open(store.path)
        assert "R001" in busy.value.message
        assert "process" in busy.value.why
        assert busy.value.hints
        assert len(read_run(store.path).events) == 1
        assert verify(store.path).intact
        await store.close()
        assert not is_running(store.path)
        await SqliteStore.open(store.path).close()

    asyncio.run(scene())


def test_a_run_that_is_there_is_not_begun_again(tmp_path: Path) -> None:
    path = record_every_kind(tmp_path)
    before = beside(path)
    with pytest.raises(UserMistake, match="already"):
        SqliteStore.create(tmp_path, "R001")
    assert beside(path) == before


def test_what_does_not_verify_is_not_gone_on_with_and_not_touched(tmp_path: Path) -> None:
    path = record_every_kind(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("update event set line = 99 where seq = 6")
    connection.close()
    before = beside(path)
    with pytest.raises(DoesNotVerify, match="not as it was written") as broken:
        SqliteStore.open(path)
    assert "event 6" in broken.value.why
    assert beside(path) == before


def test_an_acknowledged_event_outlives_the_process(tmp_path: Path) -> None:
    acknowledged = run_writer(tmp_path, "killed", 50)
    path = tmp_path / "R001.actum"
    assert not is_running(path)
    assert verify(path).intact
    assert len(read_run(path).events) >= int(acknowledged[-1])

    async def go_on() -> None:
        store = SqliteStore.open(path)
        store.append(said("more"))
        await store.close()

    asyncio.run(go_on())
    assert verify(path).intact


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file size there")
def test_a_full_disk_loses_the_store_and_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    *acknowledged, lost = run_writer(tmp_path, "full", 100_000)
    assert lost.startswith("lost")
    path = tmp_path / "R001.actum"
    assert verify(path).intact
    assert len(read_run(path).events) >= int(acknowledged[-1])


@pytest.mark.parametrize("gone", ["R001.actum", "R001.actum-wal"])
def test_a_file_that_is_gone_is_noticed_before_anything_is_acknowledged(
    tmp_path: Path, gone: str
) -> None:
    async def scene() -> None:
        store = SqliteStore.create(tmp_path, "R001")
        store.append(said("one"))
        await store.sync()
        (tmp_path / gone).unlink()
        store.append(said("two"))
        with pytest.raises(StoreLost) as lost:
            await store.sync()
        assert lost.value.why
        assert lost.value.hints
        with pytest.raises(StoreLost):
            store.append(said("three"))
        await store.close()
        assert not is_running(store.path)

    asyncio.run(scene())


def test_reading_leaves_nothing_beside_the_file_and_changes_nothing(tmp_path: Path) -> None:
    path = record_every_kind(tmp_path)
    before = beside(path)
    assert verify(path).intact
    read_run(path)
    assert beside(path) == before


def test_a_copy_of_a_killed_run_is_read_with_and_without_its_log(tmp_path: Path) -> None:
    run_writer(tmp_path / "runs", "killed", 50)
    path = tmp_path / "copy" / "R001.actum"
    path.parent.mkdir()
    for name in ("R001.actum", "R001.actum-wal"):
        (path.parent / name).write_bytes((tmp_path / "runs" / name).read_bytes())
    before = beside(path)
    assert verify(path).intact
    assert len(read_run(path).events) >= 48
    assert beside(path) == before
    (path.parent / "R001.actum-wal").unlink()
    verdict = verify(path)
    assert not verdict.complete
    assert beside(path).keys() == {"R001.actum"}


def test_a_kind_of_a_newer_version_is_kept_and_shown(tmp_path: Path) -> None:
    path = record(tmp_path, "R001", [Draft(body=RunStart(run="R001"))])
    head = read_run(path).head
    row = Row(2, "hologram", None, 1, None, 2**62, '{"beam":[1,2]}')
    with sqlite3.connect(path) as connection:
        connection.execute("insert into event values(?,?,?,?,?,?,?,?)", (*row, link(head, row)))
    connection.close()
    event = read_run(path).events[-1]
    assert (event.kind, event.body) == ("hologram", Newer(fields={"beam": [1, 2]}))
    assert verify(path).intact

    async def go_on() -> None:
        store = SqliteStore.open(path)
        assert store.events()[-1] == event
        store.append(said("after"))
        await store.close()

    asyncio.run(go_on())
    assert verify(path).intact


@given(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.integers(0, 2**63 - 1))
def test_anyone_can_check_the_chain_with_the_standard_library(text: str, line: int | None) -> None:
    def chained(*columns: object) -> str:
        array = json.dumps(columns, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(array.encode()).hexdigest()

    first = chained("actum", 1, "R001")
    assert first == first_link("R001")
    row = Row(1, text, None, 4, line, 5, text)
    assert link(first, row) == chained(first, 1, text, None, 4, line, 5, text)
