"""Files of a run: what went in is on record and comes again, what came out is kept."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from actum.errors import NotKept, NoWall, UserMistake
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.lifecycle.mounts import checked_mounts, with_here
from actum.lifecycle.out_folder import safe_parts, write_files
from actum.models.scripted import scripted
from actum.places.local.place import Local, WallLevel
from actum.records.events import Artifact, InputOpened, Mounted
from actum.records.run_events import RunStart
from actum.records.sessions import Limits, Mount
from actum.records.values import blob_ref
from actum.session.artifacts import left_files
from actum.tools.declaration import tool
from tests.flows.runs import Bench
from tests.flows.terminal import Terminal
from tests.promises import promise

READS = """
import os, sqlite3
print(open("sales/jan.csv").read(), os.listdir("sales"), os.path.getsize("sales/big.bin"))
print([os.stat(f"sales/{name}").st_mtime_ns for name in os.listdir("sales")])
print(oct(os.stat("sales/jan.csv").st_mode), os.readlink("sales/link"))
rows = sqlite3.connect("file:sales/db.sqlite?immutable=1", uri=True).execute("select n from t")
print(rows.fetchall(), id(object()), {object() for _ in range(3)} is None)
"""
ASKS = 'from tools import send\nfirst = open("sales/jan.csv").read()\nsend("a")\nprint(first)\n'
Scene = Callable[[Bench], Awaitable[None]]


@tool("write")
def send(to: str) -> str:
    """Send something."""
    return to


@pytest.fixture(params=["full", "landlock"])
def level(request: pytest.FixtureRequest) -> WallLevel:
    return request.param


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """A folder of a user."""
    import sqlite3

    folder = tmp_path / "mine" / "sales"
    (folder / "sub").mkdir(parents=True)
    (folder / "jan.csv").write_text("a,10\nb,20\n")
    (folder / "feb.csv").write_text("c,30\n")
    (folder / "big.bin").write_bytes(bytes(3 << 20))
    (folder / "link").symlink_to("jan.csv")
    database = sqlite3.connect(folder / "db.sqlite")
    database.execute("create table t (n)")
    database.execute("insert into t values (7)")
    database.commit()
    database.close()
    os.utime(folder / "feb.csv", ns=(10**18, 10**18 + 1))
    return folder


def play(folder: Path, scene: Scene, level: WallLevel = "full", **options: Any) -> None:
    """Run a scene on a place of this level."""

    async def act() -> None:
        bench = Bench(folder, Local(level=level, preload=()), **options)
        try:
            await scene(bench)
        except NoWall as problem:
            pytest.skip(problem.why)
        finally:
            await bench.place.close()

    asyncio.run(act())


def shown(sales: Path) -> tuple[Mount, ...]:
    return checked_mounts([Mount(str(sales))], sales)


def inputs(bench: Bench) -> dict[str, InputOpened]:
    return {e.body.path: e.body for e in bench.events() if isinstance(e.body, InputOpened)}


@promise("record:replay")
def test_what_was_opened_is_on_record_and_replays_without_the_folder(
    tmp_path: Path, sales: Path, level: WallLevel
) -> None:
    jan = (sales / "jan.csv").read_bytes()

    async def scene(bench: Bench) -> None:
        ending = await bench.exec(READS, mounts=shown(sales))
        assert ending.status == "done", ending.reason
        opened = inputs(bench)
        assert set(opened) == {"jan.csv", "db.sqlite"}
        assert opened["jan.csv"].blob is not None
        assert (opened["jan.csv"].sha256, opened["jan.csv"].size) == (blob_ref(jan).sha256, 10)
        (sales / "jan.csv").write_text("something else")
        (sales / "new.csv").write_text("new")
        assert (await bench.replay()).identical
        shutil.rmtree(sales)
        report = await bench.replay()
        assert report.identical, report.difference

    play(tmp_path, scene, level)


def test_a_file_that_was_not_kept_can_be_listed_and_not_opened(
    tmp_path: Path, sales: Path, level: WallLevel
) -> None:
    source = 'import os\nprint(len(open("sales/big.bin", "rb").read()), os.listdir("sales"))'

    async def scene(bench: Bench) -> None:
        limits = Limits(input_file_mb=1)
        assert (await bench.exec(source, mounts=shown(sales), limits=limits)).status == "done"
        big = inputs(bench)["big.bin"]
        assert (big.blob, big.size) == (None, 3 << 20)
        assert big.sha256 == blob_ref(bytes(3 << 20)).sha256
        with pytest.raises(NotKept, match=r"not kept: sales/big.bin"):
            await bench.replay()
        listing = 'import os\nprint(os.path.getsize("sales/big.bin"), os.listdir("sales"))'
        assert (await bench.replay(instead={1: listing})).identical
        caught = 'try: open("sales/feb.csv")\nexcept OSError: pass'
        with pytest.raises(NotKept, match=r"sales/feb.csv"):
            await bench.replay(instead={1: caught})

    play(tmp_path, scene, level)


def test_all_files_of_a_run_share_one_room(tmp_path: Path, sales: Path) -> None:
    for number in range(4):
        (sales / f"part-{number}").write_bytes(bytes([number]) * (1 << 20))
    source = "for n in range(4): open(f'sales/part-{n}', 'rb').read()"

    async def scene(bench: Bench) -> None:
        limits = Limits(input_run_mb=2)
        assert (await bench.exec(source, mounts=shown(sales), limits=limits)).status == "done"
        kept = [body.blob is not None for _, body in sorted(inputs(bench).items())]
        assert sorted(kept) == [False, False, True, True]

    play(tmp_path, scene)


def test_a_parked_run_goes_on_with_the_folder_as_it_was(tmp_path: Path, sales: Path) -> None:
    source = ASKS + 'import os; print(os.listdir("sales"), open("sales/jan.csv").read() == first)'

    async def scene(bench: Bench) -> None:
        assert (await bench.exec(source, mounts=shown(sales))).status == "paused"
        (sales / "jan.csv").write_text("changed")
        (sales / "new.csv").write_text("new")
        await approve(bench)
        assert (await bench.resume()).status == "done"
        assert bench.output().startswith("a,10\nb,20\n\n['big.bin', 'db.sqlite', 'feb.csv'")
        assert bench.output().endswith("True\n")
        assert "new.csv" not in bench.output()
        assert (await bench.replay()).identical

    play(tmp_path, scene, tools=[send])


def test_a_parked_run_may_not_open_what_the_changed_folder_no_longer_is(
    tmp_path: Path, sales: Path
) -> None:
    source = ASKS + 'print(open("sales/feb.csv").read())'

    async def scene(bench: Bench) -> None:
        assert (await bench.exec(source, mounts=shown(sales))).status == "paused"
        (sales / "jan.csv").write_text("changed")
        await approve(bench)
        with pytest.raises(NotKept, match=r"not kept: sales/feb.csv"):
            await bench.resume()

    play(tmp_path, scene, tools=[send])


def test_a_parked_run_goes_on_with_a_folder_that_nobody_touched(
    tmp_path: Path, sales: Path
) -> None:
    source = ASKS + 'print(open("sales/feb.csv").read())'

    async def scene(bench: Bench) -> None:
        assert (await bench.exec(source, mounts=shown(sales))).status == "paused"
        await approve(bench)
        assert (await bench.resume()).status == "done"
        assert set(inputs(bench)) == {"jan.csv", "feb.csv"}
        shutil.rmtree(sales)
        assert (await bench.replay()).identical

    play(tmp_path, scene, tools=[send])


async def approve(bench: Bench) -> None:
    store = SqliteStore.open(bench.file())
    await decide(store, Choice(pending_rows(store.events()), by="me").all())
    await store.close()


def test_a_killed_program_leaves_no_change_to_files(tmp_path: Path, sales: Path) -> None:
    first = """
kept = open("sales/jan.csv").read()
open("mine", "w").write("1")
open("out/a.txt", "w").write("first")"""
    killed = """
open("mine", "a").write("2")
open("out/a.txt", "a").write("lost")
open("out/b.txt", "w").write("lost")
import os; os._exit(3)"""
    last = """
print(open("mine").read(), kept == open("sales/jan.csv").read())
open("out/c", "w")
import os; finish([open("out/a.txt").read(), os.listdir("out")])"""
    programs = [first, killed, last]

    async def scene(bench: Bench) -> None:
        ending = await bench.task("go", action_format="code", mounts=shown(sales))
        assert ending.output == ["first", ["a.txt", "c"]]
        assert "1 True\n" in bench.output()
        assert list(left_files(bench.events())) == ["a.txt", "c"]
        (sales / "jan.csv").unlink()
        assert (await bench.replay()).identical

    play(tmp_path, scene, model=scripted([fenced(text) for text in programs]))


def fenced(program: str) -> str:
    return f"```python\n{program}\n```"


def test_artifacts_are_recorded_as_they_come_change_and_go(
    tmp_path: Path, level: WallLevel
) -> None:
    programs = [
        'import os; os.mkdir("out/d"); open("out/d/a.txt", "w").write("1"); open("out/b", "w")',
        "1 + 1",
        'open("out/d/a.txt", "w").write("22"); os.remove("out/b")',
        "finish(0)",
    ]

    async def scene(bench: Bench) -> None:
        assert (await bench.task("go", action_format="code")).status == "done"
        told = [
            (event.step, event.body.name, event.body.blob and event.body.blob.size)
            for event in bench.events()
            if isinstance(event.body, Artifact)
        ]
        assert told == [(1, "b", 0), (1, "d/a.txt", 1), (3, "b", None), (3, "d/a.txt", 2)]
        assert (await bench.replay()).identical
        other = await bench.replay(instead={3: 'open("out/d/a.txt", "w").write("33")'})
        assert other.difference is not None
        assert "out/b" in other.difference.recorded

    play(tmp_path, scene, level, model=scripted([fenced(text) for text in programs]))


def test_a_file_that_changes_while_it_is_read_is_said(tmp_path: Path, sales: Path) -> None:
    @tool("read")
    def change() -> str:
        """Change the folder, as somebody else would."""
        (sales / "jan.csv").write_text("changed by somebody")
        return "done"

    source = 'from tools import change\nchange()\nprint(open("sales/jan.csv").read())'

    async def scene(bench: Bench) -> None:
        assert (await bench.exec(source, mounts=shown(sales))).status == "done"
        assert inputs(bench)["jan.csv"].note == "it was changed after the run began"
        assert (await bench.replay()).identical

    play(tmp_path, scene, tools=[change])


def test_two_runs_at_once_hear_of_the_same_folder(tmp_path: Path, sales: Path) -> None:
    async def scene(bench: Bench) -> None:
        source = 'open("sales/jan.csv").read()'
        runs = [bench.exec(source, f"R00{n}", mounts=shown(sales)) for n in range(4)]
        await asyncio.gather(*runs)
        for number in range(4):
            assert "input" in bench.kinds(f"R00{number}")

    play(tmp_path, scene)


def test_a_folder_with_a_pipe_is_not_mounted(tmp_path: Path, sales: Path) -> None:
    os.mkfifo(sales / "sub" / "pipe")

    async def scene(bench: Bench) -> None:
        with pytest.raises(UserMistake, match="sub/pipe is a pipe"):
            await bench.exec("1", mounts=shown(sales))

    play(tmp_path, scene)


@pytest.mark.parametrize(
    ("paths", "why"),
    [
        (["a/data", "b/data"], "has that name too"),
        (["a/out"], "the working folder has one"),
        (["/"], "no last part"),
        (["a/missing"], "No such file"),
        (["a/file.txt"], "only folders"),
    ],
)
def test_mounts_that_cannot_be_are_refused_early(
    tmp_path: Path, paths: Sequence[str], why: str
) -> None:
    for name in ("a/data", "b/data", "a/out"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a" / "file.txt").write_text("")
    with pytest.raises(UserMistake) as mistake:
        checked_mounts([Mount(path) for path in paths], tmp_path)
    assert why in f"{mistake.value.message} {mistake.value.why}"


def test_a_mount_is_named_by_the_last_part_of_its_path(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "named").symlink_to(real)
    mounts = checked_mounts([Mount("named"), Mount("real/..", "up")], tmp_path)
    assert mounts == (Mount(str(real), "named"), Mount(str(tmp_path), "up"))


def test_the_current_folder_is_shown_unless_it_is_too_much(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    environ = {"HOME": str(home), "ACTUM_HOME": str(tmp_path / "project2" / "data")}
    start, told = with_here(RunStart(task="go"), project, environ)
    assert (start.mounts, told) == ((Mount(str(project), "here"),), "")
    for folder in (home, Path("/"), tmp_path):
        start, told = with_here(RunStart(task="go"), folder, environ)
        assert start.mounts == ()
        assert told.startswith("the current folder is not shown to programs")


def test_names_that_a_program_chose_stay_below_the_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "results", tmp_path / "outside"
    outside.mkdir()
    folder.mkdir()
    (outside / "mine").write_text("mine")
    (folder / "a-link").symlink_to(outside / "mine")
    names = ["../../evil", "/etc/evil", "a/../../b", "a-link", "new\nline", "x" * 300]
    content = {blob_ref(name.encode()).sha256: name.encode() for name in names}
    files = {name: blob_ref(name.encode()) for name in names}
    written = write_files(files, lambda blob: content[blob.sha256], folder)
    assert written[:5] == ["evil", "etc/evil", "a/b", "a-link", "new_line"]
    assert all((folder / name).is_file() for name in written)
    assert (outside / "mine").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside", "results"]
    assert safe_parts("..") == ["file"]


def test_a_link_in_the_place_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "results", tmp_path / "outside"
    outside.mkdir()
    folder.mkdir()
    (folder / "sub").symlink_to(outside)
    with pytest.raises(UserMistake):
        write_files({"sub/x": blob_ref(b"x")}, lambda _: b"x", folder)
    assert list(outside.iterdir()) == []


def test_files_at_the_terminal(terminal: Terminal) -> None:
    (terminal.folder / "data").mkdir()
    (terminal.folder / "data" / "a.txt").write_text("content of a")
    (terminal.folder / "p.py").write_text(
        'text = open("data/a.txt").read()\nopen("out/b.txt", "w").write(text.upper())\nprint(text)'
    )
    done = terminal.actum("exec", "p.py", "--mount", "data", "--out", "results", "--json")
    assert done.exit == 0, done.err
    assert done.lines[-1]["artifacts"][0]["name"] == "b.txt"
    assert (terminal.folder / "results" / "b.txt").read_text() == "CONTENT OF A"
    shutil.rmtree(terminal.folder / "data")
    assert terminal.actum("replay").exit == 0
    other = terminal.folder / "q.py"
    other.write_text('print(open("data/none.txt").read())')
    assert terminal.actum("exec", "p.py", "--mount", "data").exit == 2


def test_the_record_lists_the_folder_as_it_was(tmp_path: Path, sales: Path) -> None:
    async def scene(bench: Bench) -> None:
        await bench.exec("1", mounts=shown(sales))
        mounted = [e.body for e in bench.events() if isinstance(e.body, Mounted)]
        assert [(body.name, body.entries, body.cut) for body in mounted] == [("sales", 7, False)]

    play(tmp_path, scene)
