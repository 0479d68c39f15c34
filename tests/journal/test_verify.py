"""Whatever is changed in a record is found, and the event is named."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actum.errors import DoesNotVerify
from actum.journal.recording import read_run
from actum.journal.verify import Verdict, verify
from actum.records.events import Draft, RunStart
from tests.journal.runs import (
    LARGE,
    SMALL,
    a_model_that_names_bytes,
    artifact_of,
    record,
    record_every_kind,
)
from tests.promises import promise

COLUMNS = ("seq", "kind", "parent", "step", "line", "time", "body", "hash")
EVENTS = 25
COPY_THE_LAST = (
    "insert into event select seq + 1, kind, parent, step, line, time, body, hash "
    "from event where seq = 25"
)
LARGE_SEQ = 8
SMALL_SEQ = 14


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_every_kind(tmp_path_factory.mktemp("original"))


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    return copy_of(original, tmp_path / "runs")


def copy_of(original: Path, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original.parent, folder)
    return folder / original.name


def after(path: Path, *statements: str, values: tuple[object, ...] = ()) -> Verdict:
    """The verdict on the file after somebody did this to it."""
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement, values)
    connection.commit()
    connection.close()
    return verify(path)


def named(verdict: Verdict) -> int | None:
    assert not verdict.intact
    assert not verdict.complete
    assert verdict.problem is not None
    assert verdict.problem.what
    return verdict.problem.seq


def test_an_honest_record_is_intact_and_complete(original: Path) -> None:
    assert verify(original) == Verdict(run="R001", intact=True, events=EVENTS, complete=True)


def test_a_run_that_has_not_ended_is_intact_and_not_complete(tmp_path: Path) -> None:
    path = record(tmp_path, "R001", [Draft(body=RunStart(run="R001"))])
    assert verify(path) == Verdict(run="R001", intact=True, events=1, complete=False)


def flipped(value: object, place: int, bit: int) -> object:
    """The value with one bit of it turned over."""
    if isinstance(value, int):
        changed = value ^ (1 << (bit + 8 * (place % 7)))
        return changed if changed < 2**63 else value ^ 1
    if value is None:
        return place
    raw = bytearray(str(value).encode())
    raw[place % len(raw)] ^= 1 << bit
    return bytes(raw)


@promise("record:chain")
@settings(max_examples=200)
@given(
    seq=st.integers(1, EVENTS),
    column=st.sampled_from(COLUMNS),
    flip=st.tuples(st.integers(0, 5000), st.integers(0, 7)),
)
def test_any_byte_of_any_column_of_any_row_is_found_and_the_event_named(
    original: Path,
    tmp_path_factory: pytest.TempPathFactory,
    seq: int,
    column: str,
    flip: tuple[int, int],
) -> None:
    path = copy_of(original, tmp_path_factory.mktemp("changed") / "runs")
    connection = sqlite3.connect(path)
    (value,) = connection.execute(f"select {column} from event where seq = {seq}").fetchone()
    changed = flipped(value, *flip)
    cast = "cast(? as text)" if isinstance(changed, bytes) else "?"
    try:
        connection.execute(f"update event set {column} = {cast} where seq = {seq}", (changed,))
    except sqlite3.IntegrityError:
        # That number is another event's: exchange the two.
        connection.execute("update event set seq = -1 where seq = ?", (changed,))
        connection.execute("update event set seq = ? where seq = ?", (changed, seq))
        connection.execute("update event set seq = ? where seq = -1", (seq,))
    connection.commit()
    connection.close()
    found = named(verify(path))
    if column != "seq":
        assert found == seq
    else:
        assert isinstance(changed, int)
        assert found in {seq, changed}


@pytest.mark.parametrize(
    ("statement", "seq"),
    [
        ("delete from event where seq = 7", 7),
        ("delete from event where seq = 1", 1),
        ("delete from event where seq between 3 and 5", 3),
        ("update event set seq = seq + 1 where seq = 25", 25),
        (COPY_THE_LAST, 26),
        ("insert into event values(0, 'x', null, null, null, 0, '{}', '')", 0),
        ("update event set parent = null where seq = 9", 9),
        ("update event set body = body || ' ' where seq = 4", 4),
        ("update event set hash = upper(hash) where seq = 5", 5),
        ("update event set body = (select body from event where seq = 3) where seq = 4", 4),
        ("update event set kind = kind || char(0) where seq = 6", 6),
    ],
)  # fmt: skip
def test_rows_that_are_deleted_added_moved_or_changed_are_named(
    path: Path, statement: str, seq: int
) -> None:
    assert named(after(path, statement)) == seq


def test_a_record_whose_end_was_cut_off_is_not_complete(path: Path) -> None:
    verdict = after(path, "delete from event where seq > 20")
    assert (verdict.intact, verdict.complete, verdict.events) == (True, False, 20)


def test_the_record_of_another_run_is_not_taken_for_this_one(
    original: Path, tmp_path: Path
) -> None:
    other = tmp_path / "R002.actum"
    shutil.copy(original, other)
    verdict = verify(other)
    assert named(verdict) == 1
    assert verdict.problem is not None
    assert "holds the run R001" in verdict.problem.what


@pytest.mark.parametrize(
    "statements",
    [
        ("create table extra(a)",),
        ("create index quick on event(kind)",),
        ("create view shadow as select * from event",),
        ("create trigger sly after insert on event begin delete from event; end",),
        ("alter table event add column note text",),
        ("drop table blob",),
        ("drop table event",),
        ("alter table event rename to old", "create view event as select * from old"),
        (
            "create table copy as select * from event",
            "drop table event",
            "alter table copy rename to event",
        ),
    ],
)
def test_whatever_else_stands_in_the_file_is_a_problem(
    path: Path, statements: tuple[str, ...]
) -> None:
    assert named(after(path, *statements)) is None
    with pytest.raises(DoesNotVerify):
        read_run(path)


@pytest.mark.parametrize(
    "statement",
    [
        "update blob set data = cast('other' as blob)",
        "update blob set size = size + 1",
        "update blob set sha256 = replace(sha256, substr(sha256, 1, 1), 'x')",
        "delete from blob",
    ],
)
def test_a_changed_or_missing_blob_names_the_event_that_refers_to_it(
    path: Path, statement: str
) -> None:
    assert named(after(path, statement)) == SMALL_SEQ


def test_a_wrong_blob_that_no_event_names_is_found_too(path: Path) -> None:
    assert named(after(path, "insert into blob values('aa', 1, x'00')")) == 0


def large_file(path: Path) -> Path:
    return next(file for file in path.with_suffix(".blobs").rglob("*") if file.is_file())


def delete(file: Path) -> None:
    file.unlink()


def shorten(file: Path) -> None:
    file.write_bytes(LARGE[:-1])


def change(file: Path) -> None:
    file.write_bytes(b"T" + LARGE[1:])


@pytest.mark.parametrize("harm", [delete, shorten, change])
def test_a_changed_or_missing_large_blob_names_its_event(
    path: Path, harm: Callable[[Path], None]
) -> None:
    harm(large_file(path))
    assert named(verify(path)) == LARGE_SEQ


def test_bytes_that_a_model_only_speaks_of_are_not_missed(tmp_path: Path) -> None:
    path = record(tmp_path, "R001", [Draft(body=a_model_that_names_bytes())])
    assert verify(path).intact


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def prose(path: Path) -> None:
    path.write_text("Dear reader, this is no database. " * 100)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@promise("record:unreadable")
@pytest.mark.parametrize("harm", [empty, cut, prose, folder, delete])
def test_a_file_that_is_no_record_is_called_that(path: Path, harm: Callable[[Path], None]) -> None:
    harm(path)
    before = sorted(path.parent.iterdir())
    verdict = verify(path)
    assert named(verdict) is None
    assert verdict.problem is not None
    if harm is not empty:
        assert verdict.problem.what.startswith("SQLite cannot read it: ")
    with pytest.raises(DoesNotVerify):
        read_run(path)
    assert sorted(path.parent.iterdir()) == before


@settings(max_examples=400)
@given(place=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_a_byte_changed_anywhere_in_the_file_is_found_or_changes_no_event(
    original: Path, tmp_path_factory: pytest.TempPathFactory, place: int, bit: int
) -> None:
    path = copy_of(original, tmp_path_factory.getbasetemp() / "flipped")
    raw = bytearray(path.read_bytes())
    raw[place % len(raw)] ^= 1 << bit
    path.write_bytes(raw)
    verdict = verify(path)
    if verdict.intact:
        recording = read_run(path)
        assert recording.events == read_run(original).events
        assert recording.get(artifact_of(recording)) == SMALL
    else:
        assert verdict.problem is not None
