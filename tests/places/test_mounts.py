"""Folders of the host in a session: read, never written, never left, at each level."""

import os
import stat
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from actum.errors import NotSetUp, NoWall
from actum.places.contract import LeftFile, Place
from actum.places.local.place import Local
from actum.records.sessions import Mount
from tests.places.talking import Answering, program, spec, with_place
from tests.promises import promise

Level = Literal["full", "landlock"]
HIDDEN = "hidden: nobody may read this"

ATTACKS = {
    "a link that leaves": 'open("sales/link").read()',
    "a link to an absolute path": 'open("sales/absolute").read()',
    "a folder behind a link": 'open("sales/folder-link/key").read()',
    "two points": 'open("sales/../private/key").read()',
    "two points in the middle": 'open("sales/sub/../../private/key").read()',
    "the neighbour": 'open("private/key").read()',
    "the neighbour by its own path": "open({key!r}).read()",
    "by descriptor": 'open(os.open("../private/key", os.O_RDONLY, dir_fd=os.open("sales", 0)))',
    "a link made here": 'os.symlink({key!r}, "own"); open("own").read()',
    "a link made here to the folder above": 'os.symlink("sales/..", "up"); open("up/private/key")',
    "from inside": 'os.chdir("sales"); open("../private/key").read()',
    "listing above": 'out = os.listdir("sales/.."); assert "private" not in out; open("no")',
    "every descriptor": (
        "[open(os.open('../private/key', os.O_RDONLY, dir_fd=n)) for n in range(3, 20)]"
    ),
}
WRITES = {
    "a new file": 'open("sales/new", "w")',
    "an old file": 'open("sales/jan.csv", "a")',
    "cutting": 'os.truncate("sales/jan.csv", 0)',
    "removing": 'os.unlink("sales/jan.csv")',
    "renaming": 'os.rename("sales/jan.csv", "sales/feb.csv")',
    "taking away": 'os.rename("sales/jan.csv", "jan.csv")',
    "putting there": 'open("mine", "w").close(); os.rename("mine", "sales/mine")',
    "a second name for it": 'os.link("sales/jan.csv", "again"); open("again", "a").write("x")',
    "a second name there": 'open("mine2", "w").close(); os.link("mine2", "sales/mine2")',
    "a folder": 'os.mkdir("sales/new")',
    "removing a folder": 'os.rmdir("sales/empty")',
    "a link": 'os.symlink("jan.csv", "sales/jan-link")',
    "a pipe": 'os.mkfifo("sales/pipe")',
    "a device": 'os.mknod("sales/device", 0o600 | 0x2000, os.makedev(1, 3))',
    "through a descriptor": 'os.open("jan.csv", os.O_RDWR, dir_fd=os.open("sales", 0))',
    "by /proc": 'open("/proc/self/fd/%d" % os.open("sales/jan.csv", 0), "r+")',
}
MODES = ('os.chmod("sales/jan.csv", 0o777)', 'os.utime("sales/jan.csv", (1, 1))')


@pytest.fixture(params=["full", "landlock"])
def level(request: pytest.FixtureRequest) -> Level:
    return request.param


@pytest.fixture
def sales(tmp_path: Path) -> Iterator[Path]:
    """A folder below one that is closed to all others, beside one with a secret."""
    above = tmp_path / "above"
    above.mkdir(mode=0o700)
    folder, private = above / "sales", above / "private"
    for made in (folder, folder / "sub", folder / "empty", private):
        made.mkdir(mode=0o755)
    (folder / "jan.csv").write_text("a,10\nb,20\n")
    (folder / "sub" / "feb.csv").write_text("c,30\n")
    (private / "key").write_text(HIDDEN)
    (folder / "link").symlink_to("../private/key")
    (folder / "absolute").symlink_to(private / "key")
    (folder / "folder-link").symlink_to(private)
    yield folder
    assert (private / "key").read_text() == HIDDEN


def at(level: Level, act: Callable[[Place], Awaitable[Any]]) -> Any:
    try:
        return with_place(lambda: Local(level=level, preload=()), act)
    except NoWall as problem:
        pytest.skip(problem.why)


def seen(level: Level, mounts: tuple[Mount, ...], source: str) -> str:
    """What a program prints that is shown these folders."""

    async def act(place: Place) -> str:
        session = await place.open(spec(mounts=mounts))
        host = Answering()
        outcome = await session.run(program(source), host)
        await session.close()
        assert outcome.status == "done", outcome.error
        return host.text

    return at(level, act)


def tried(tries: dict[str, str], key: Path) -> str:
    """A program that makes each try from the working folder and prints those that worked."""
    sources = {name: text.format(key=str(key)) for name, text in tries.items()}
    return f"""
import os
work = os.getcwd()
for name, source in {sources!r}.items():
    os.chdir(work)
    try:
        exec(source)
    except OSError:
        continue
    print("OUT", name)
"""


def test_a_mount_is_read_under_its_name(level: Level, sales: Path) -> None:
    source = """
import os, glob, pathlib
print(open("sales/jan.csv").read(), os.listdir("sales"), os.listdir("."))
print([path for path, _, _ in os.walk(".")], glob.glob("**/*.csv", recursive=True))
print(os.path.realpath("sales/sub"), os.path.islink("sales"), pathlib.Path("sales").resolve())
os.chdir("sales"); print(os.getcwd()); os.chdir(".."); print(os.getcwd())
"""
    assert seen(level, (Mount(str(sales), "sales"),), source) == (
        "a,10\nb,20\n ['absolute', 'empty', 'folder-link', 'jan.csv', 'link', 'sub']"
        " ['.shm', '.tmp', 'out', 'sales']\n"
        "['.', './.shm', './.tmp', './out', './sales', './sales/empty', './sales/sub']"
        " ['sales/jan.csv', 'sales/sub/feb.csv']\n"
        "/tmp/actum-box/sales/sub False /tmp/actum-box/sales\n"
        "/tmp/actum-box/sales\n/tmp/actum-box\n"
    )


@promise("wall:files")
def test_no_program_leaves_a_mount(level: Level, sales: Path) -> None:
    source = tried(ATTACKS, sales.parent / "private" / "key")
    assert seen(level, (Mount(str(sales), "sales"),), source) == ""


@promise("wall:files")
def test_no_program_writes_into_a_mount(level: Level, sales: Path) -> None:
    before = contents(sales)
    source = tried(WRITES, sales.parent / "private" / "key")
    assert seen(level, (Mount(str(sales), "sales"),), source) == ""
    assert contents(sales) == before


def test_modes_and_times_of_the_host_stay(level: Level, sales: Path) -> None:
    before = contents(sales)
    tries = "\n".join(f"try: {text}\nexcept OSError: pass" for text in MODES)
    seen(level, (Mount(str(sales), "sales"),), f"import os\n{tries}")
    assert contents(sales) == before


def contents(folder: Path) -> list[tuple[str, int, int, int]]:
    """Everything below a folder, with mode, size and time."""
    found: list[tuple[str, int, int, int]] = []
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        found.append((str(path), status.st_mode, status.st_size, status.st_mtime_ns))
    return found


def test_a_name_that_changes_under_the_program_leads_nowhere(level: Level, sales: Path) -> None:
    """The host, or somebody on it, swaps a file and a link while the program opens it."""
    over = threading.Event()
    target = sales / "swapped"

    def swap() -> None:
        fresh = sales / ".fresh"
        while not over.is_set():
            fresh.symlink_to("../private/key")
            fresh.replace(target)
            fresh.write_text("plain")
            fresh.replace(target)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        source = """
found = set()
for _ in range(3000):
    try:
        found.add(open("sales/swapped").read())
    except OSError:
        found.add("refused")
print("hidden" in " ".join(found), "plain" in found)
"""
        assert seen(level, (Mount(str(sales), "sales"),), source).startswith("False")
    finally:
        over.set()
        swapping.join()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_in_a_mount_is_none_at_level_full(sales: Path) -> None:
    os.mknod(sales / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    source = 'try: open("sales/null")\nexcept OSError as error: print(type(error).__name__)'
    assert seen("full", (Mount(str(sales), "sales"),), source) == "PermissionError\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="root runs sessions as nobody's account")
def test_what_root_alone_may_read_is_read_at_level_full(sales: Path) -> None:
    (sales / "jan.csv").chmod(0o600)
    assert seen("full", (Mount(str(sales), "sales"),), 'print(open("sales/jan.csv").read(4))')


def test_several_folders_stand_side_by_side(level: Level, sales: Path) -> None:
    mounts = (Mount(str(sales), "one"), Mount(str(sales / "sub"), "two words"))
    source = 'import os; print(os.listdir("two words"), len(os.listdir("one")))'
    assert seen(level, mounts, source) == "['feb.csv'] 6\n"


def test_a_folder_that_is_gone_is_said(level: Level, tmp_path: Path) -> None:
    with pytest.raises(NotSetUp, match="cannot be mounted"):
        seen(level, (Mount(str(tmp_path / "gone"), "gone"),), "1")


def test_where_a_folder_lies_does_not_move_the_heap(level: Level, tmp_path: Path) -> None:
    """A replay is shown a copy, at another path: nothing of a program may depend on it."""
    short, long = tmp_path / "a", tmp_path / ("long" * 20) / "deep" / "folder"
    for folder in (short, long):
        folder.mkdir(parents=True)
        (folder / "x.txt").write_text("x" * 100)

    source = """
import os
os.listdir("data"); open("data/x.txt").read(); os.stat("data")
for path, _, names in os.walk("."): pass
print([id(object()) for _ in range(3)], id([]), {object() for _ in range(3)}, hash(object()))
"""

    async def act(place: Place) -> list[str]:
        said: list[str] = []
        for folder in (short, long, short):
            session = await place.open(spec(mounts=(Mount(str(folder), "data"),)))
            host = Answering()
            await session.run(program(source), host)
            await session.close()
            said.append(host.text)
        return said

    assert len(set(at(level, act))) == 1


def test_what_is_left_under_out_is_seen_from_outside(level: Level, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text(HIDDEN)
    source = f"""
import os
os.makedirs("out/deep/er")
open("out/a.txt", "w").write("a")
open("out/deep/er/b.bin", "wb").write(bytes(3))
os.symlink({str(secret)!r}, "out/link")
os.symlink("/", "out/root")
with open("out/sparse", "wb") as file: file.truncate(60 << 20)
open(b"out/\\xff\\n", "w").write("odd")
open("beside.txt", "w").write("not there")
"""

    async def act(place: Place) -> list[tuple[LeftFile, ...]]:
        session = await place.open(spec())
        looks: list[tuple[LeftFile, ...]] = [tuple(await session.left())]
        for step, text in enumerate([source, "1", 'open("out/a.txt", "a").write("b")'], 1):
            await session.run(program(text, step=step), Answering())
            looks.append(tuple(await session.left()))
        await session.close()
        return looks

    empty, first, again, changed = at(level, act)
    assert empty == ()
    told = {file.name: file.content for file in first}
    assert told["a.txt"] == b"a"
    assert told["deep/er/b.bin"] == bytes(3)
    assert told["\\xff\n"] == b"odd"
    assert not any(HIDDEN.encode() in (file.content or b"") for file in first)
    problems = {file.name for file in first if file.problem}
    assert problems == {"link", "root"}
    assert [file.content for file in again] == [None] * len(first)
    assert [file.content for file in changed if file.content] == [b"ab"]
