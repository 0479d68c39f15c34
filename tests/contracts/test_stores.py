"""What every store of events promises, whichever it is."""

import asyncio
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import actum.journal
from actum.errors import BlobMissing, DoesNotVerify, StoreLost
from actum.journal.contract import Store
from actum.records.events import Draft, Output, RunStart, ToolResult
from actum.records.values import BlobRef, blob_ref
from tests.journal.bodies import ANY_BODY


def store_classes() -> list[Any]:
    """Every class of the room that ends in `Store`, but for the contract."""
    found: list[Any] = []
    for module in pkgutil.iter_modules(actum.journal.__path__, "actum.journal."):
        members = vars(importlib.import_module(module.name)).values()
        found += [
            member
            for member in members
            if isinstance(member, type)
            and member.__name__.endswith("Store")
            and member.__module__ == module.name
            and member is not Store
        ]
    return found


def open_store(kind: Any, folder: Path, run: str = "R001") -> Store:
    return kind.create(folder, run) if hasattr(kind, "create") else kind(run)


@pytest.fixture(params=store_classes(), ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


def said(text: str) -> Draft:
    return Draft(body=Output(stream="stdout", text=text), step=1)


def test_there_are_two_stores() -> None:
    assert {kind.__name__ for kind in store_classes()} == {"MemoryStore", "SqliteStore"}


def test_events_are_numbered_from_one_and_bound_to_each_other(kind: Any, tmp_path: Path) -> None:
    async def scene() -> None:
        store = open_store(kind, tmp_path)
        events = [store.append(said(str(number))) for number in range(5)]
        assert [event.seq for event in events] == [1, 2, 3, 4, 5]
        assert len({event.hash for event in events}) == 5
        assert list(store.events()) == events
        assert list(store.events(after=3)) == events[3:]
        assert await store.sync() == events[-1].hash
        assert list(store.events()) == events
        await store.close()

    asyncio.run(scene())


def test_two_stores_make_the_same_chain_of_the_same_events(tmp_path: Path) -> None:
    async def scene(kind: Any) -> str:
        store = open_store(kind, tmp_path)
        for number in range(3):
            store.append(Draft(body=ToolResult(number=number, value="é"), step=1, time=number + 5))
        head = await store.sync()
        await store.close()
        return head

    assert len({asyncio.run(scene(kind)) for kind in store_classes()}) == 1


def test_equal_events_of_two_runs_have_different_hashes(kind: Any, tmp_path: Path) -> None:
    async def scene() -> None:
        one, other = open_store(kind, tmp_path, "R001"), open_store(kind, tmp_path, "R002")
        draft = Draft(body=RunStart(task="same"), time=5)
        assert one.append(draft).hash != other.append(draft).hash
        await one.close()
        await other.close()

    asyncio.run(scene())


def test_time_never_goes_back_in_a_run(kind: Any, tmp_path: Path) -> None:
    async def scene() -> None:
        store = open_store(kind, tmp_path)
        drafts = [Draft(body=RunStart(), time=time) for time in (100, 100, 50, None, 7)]
        times = [store.append(draft).time for draft in drafts]
        assert times == sorted(set(times))
        assert times[:3] == [100, 101, 102]
        await store.close()

    asyncio.run(scene())


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.lists(ANY_BODY, max_size=4))
def test_any_body_can_be_appended(
    kind: Any, bodies: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    async def scene() -> None:
        store = open_store(kind, tmp_path_factory.mktemp("runs"))
        events = [store.append(Draft(body=body)) for body in bodies]
        await store.sync()
        assert [event.body for event in store.events()] == bodies == [e.body for e in events]
        await store.close()

    asyncio.run(scene())


def test_what_no_column_can_hold_is_refused_and_harms_nothing(kind: Any, tmp_path: Path) -> None:
    async def scene() -> None:
        store = open_store(kind, tmp_path)
        with pytest.raises(ValueError, match="too large for the record"):
            store.append(Draft(body=RunStart(), line=2**63))
        with pytest.raises(UnicodeEncodeError):
            store.append(said("\ud800"))
        assert store.append(said("fine")).seq == 1
        await store.sync()
        await store.close()

    asyncio.run(scene())


@pytest.mark.parametrize("size", [0, 100, 2 * 1024 * 1024])
def test_bytes_come_back_under_the_hash_of_their_content(
    kind: Any, tmp_path: Path, size: int
) -> None:
    async def scene() -> None:
        content = b"x" * size
        store = open_store(kind, tmp_path)
        reference = store.put(content, "text/plain")
        assert reference == blob_ref(content, "text/plain")
        assert store.get(reference) == content
        assert store.put(content, "text/plain") == reference
        await store.sync()
        assert store.get(reference) == content
        assert store.put(content, "text/plain") == reference
        await store.close()

    asyncio.run(scene())


def test_bytes_that_are_not_there_or_not_of_that_size_are_refused(
    kind: Any, tmp_path: Path
) -> None:
    async def scene() -> None:
        store = open_store(kind, tmp_path)
        with pytest.raises(BlobMissing):
            store.get(blob_ref(b"never kept"))
        reference = store.put(b"kept", "text/plain")
        with pytest.raises(DoesNotVerify):
            store.get(BlobRef(sha256=reference.sha256, size=5))
        await store.close()

    asyncio.run(scene())


def hide(text: str) -> str:
    return text.replace("hunter2", "***")


def test_a_mask_is_applied_before_an_event_is_chained(kind: Any, tmp_path: Path) -> None:
    async def scene() -> None:
        store: Any = open_store(kind, tmp_path)
        store.mask = hide
        event = store.append(said("password hunter2"))
        assert event.body == Output(stream="stdout", text="password ***")
        assert "hunter2" not in event.text
        await store.close()

    asyncio.run(scene())


def test_a_closed_store_takes_no_events_and_may_be_closed_again(kind: Any, tmp_path: Path) -> None:
    async def scene() -> None:
        store = open_store(kind, tmp_path)
        await store.close()
        await store.close()
        with pytest.raises(StoreLost):
            store.append(said("late"))
        with pytest.raises(StoreLost):
            await store.sync()

    asyncio.run(scene())


def test_many_may_wait_for_the_disk_at_once_while_others_append(kind: Any, tmp_path: Path) -> None:
    async def scene() -> None:
        store = open_store(kind, tmp_path)

        async def write(number: int) -> None:
            for part in range(5):
                event = store.append(said(f"{number}.{part}"))
                await store.sync()
                assert store.events(after=event.seq - 1)[0] == event

        await asyncio.gather(*map(write, range(20)))
        assert [event.seq for event in store.events()] == list(range(1, 101))
        await store.close()

    asyncio.run(scene())
