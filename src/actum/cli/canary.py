"""A secret made for the occasion is used by a tool that tells it in every way; then it is looked for.

Everything happens in a folder of its own, which is removed afterwards.
"""

import asyncio
import base64
import secrets
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import msgspec

from actum.assemble import Workshop
from actum.lifecycle.live import LiveRun
from actum.lifecycle.observed import ObservedStore
from actum.lifecycle.starting import start_task
from actum.models.contract import ModelRequest
from actum.models.scripted import scripted
from actum.records.events import Event
from actum.records.sessions import OutputChunk
from actum.settings.load import load_settings
from actum.settings.vault import KeptSecret, keep
from actum.tools.declaration import tool
from actum.tools.python_functions import PythonFunctions
from actum.tools.secrets import secret

NAME = "canary"
PROGRAM = """```python
import os, sys
import tools
from tools import bird

print(bird.looked())
for way in bird.ways():
    print(way, bird.tell(way))
try:
    bird.tell("error")
except tools.ToolError as error:
    print(error)
backwards = bird.tell("backwards")
for letter in backwards[::-1]:
    sys.stdout.write(letter)
    sys.stdout.flush()
open("note.txt", "w").write(str(bird.tell("exact")))
print(dict(os.environ))
for name in ("environ", "cmdline"):
    try:
        print(open(f"/proc/self/{name}").read())
    except OSError as error:
        print(error)
bird.looked()
raise RuntimeError(bird.tell("exact"))
```"""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One sink: how many bytes of it were looked through, and how often the secret stood there."""

    sink: str
    bytes: int
    times: int


def send_a_canary(environ: Mapping[str, str]) -> tuple[Found, ...]:
    """Use a secret that was never seen before, and look for it everywhere."""
    with tempfile.TemporaryDirectory(prefix="actum-canary-") as folder:
        here = Path(folder)
        mine = {
            **{name: text for name, text in environ.items() if not name.startswith("ACTUM_")},
            "ACTUM_HOME": str(here / "home"),
            "XDG_CONFIG_HOME": str(here / "config"),
        }
        value = f"canary/+{secrets.token_hex(16)}"
        keep(NAME, KeptSecret(value=value), mine)
        canary = _Canary(value, here / "home")
        asyncio.run(_fly(Workshop(load_settings(here, environ=mine), mine), canary))
        canary.look_at_home()
        return canary.found()


async def _fly(workshop: Workshop, canary: "_Canary") -> None:
    model = scripted([PROGRAM, canary.asked])
    bird = PythonFunctions(canary.tools)
    parts = await workshop.parts(sources=(bird,), model=model, listener=canary.printed)
    file = workshop.store()
    live: LiveRun | None = None
    try:
        start = workshop.start("canary", action_format="code")
        live = await start_task(ObservedStore(file, canary.told), start, parts)
        await live.go()
    finally:
        if live is not None:
            await live.close()
        await file.close()


class _Canary:
    """Tools that tell the secret, and everything in which it is looked for."""

    def __init__(self, value: str, home: Path) -> None:
        self._value = value
        self._home = home
        self._needles = tuple(_needles(value))
        self._bytes: Counter[str] = Counter()
        self._times: Counter[str] = Counter()
        self.tools = _birds(self.look_around)

    def found(self) -> tuple[Found, ...]:
        """What was looked through."""
        return tuple(
            Found(sink=sink, bytes=size, times=self._times[sink])
            for sink, size in self._bytes.items()
        )

    def asked(self, request: ModelRequest) -> str:
        """What the model sees."""
        self._look("prompts", msgspec.json.encode(request))
        return "done"

    def told(self, event: Event) -> None:
        """What listeners see."""
        self._look("events", event.text.encode())

    def printed(self, chunk: OutputChunk) -> None:
        """What the terminal sees."""
        self._look("output", chunk.text.encode())

    def look_around(self) -> None:
        """While the program waits: the open record, and the processes that hold the program."""
        self.look_at_home()
        for process in _below(Path("/proc/self")):
            for name in ("environ", "cmdline"):
                self._look(f"{name} of its processes", _read(process / name))
            for part in _memory(process):
                self._look("memory of its processes", part)

    def look_at_home(self) -> None:
        """Every file of the home, but for the one that keeps secrets."""
        for path in self._home.rglob("*"):
            if path.is_file() and path.name != "secrets.json":
                kind = path.suffix.removeprefix(".") or "other"
                self._look(f"files: {kind}", _read(path))

    def _look(self, sink: str, content: bytes) -> None:
        self._bytes[sink] += len(content)
        lowered = content.lower()
        self._times[sink] += sum(lowered.count(needle) for needle in self._needles)


def _birds(look_around: Callable[[], None]) -> list[Callable[..., object]]:
    @tool("read", name="bird.ways")
    def ways() -> list[str]:
        return list(_told(""))

    @tool("read", name="bird.tell", secrets=(NAME,))
    def tell(way: str) -> object:
        value = secret(NAME).reveal()
        if way == "error":
            raise ValueError(f"Authorization: Bearer {value}")
        return value[::-1] if way == "backwards" else _told(value)[way]

    @tool("read", name="bird.looked")
    def looked() -> str:
        look_around()
        return "looked"

    return [ways, tell, looked]


def _told(value: str) -> dict[str, object]:
    raw = value.encode()
    return {
        "exact": value,
        "nested": [{"a": {value: [value]}}],
        "bytes": b"x" + raw,
        "url": quote(value, safe=""),
        "hex": raw.hex(),
        **{f"base64 {n}": base64.b64encode(b"x" * n + raw + b"y").decode() for n in range(3)},
        "base64 url": base64.urlsafe_b64encode(raw).decode(),
        "json": msgspec.json.encode({"v": value}).decode(),
    }


def _needles(value: str) -> Iterator[bytes]:
    """The secret in each way, in small letters. Not made by what masks it."""
    raw = value.encode()
    yield raw.lower()
    yield quote(value, safe="").lower().encode()
    yield raw.hex().encode()
    for offset in range(3):
        encoded = base64.b64encode(b"x" * offset + raw + b"y")
        # What stands next to it changes the first and the last characters.
        yield encoded[offset + 1 : -4].lower()


def _below(process: Path) -> Iterator[Path]:
    """The processes that this one has started, and theirs."""
    try:
        tasks = list((process / "task").iterdir())
    except OSError:
        return
    for task in tasks:
        for number in _read(task / "children").split():
            child = Path("/proc") / number.decode()
            yield child
            yield from _below(child)


def _memory(process: Path) -> Iterator[bytes]:
    """What can be read of a process's memory. Some of it may be closed even to us."""
    try:
        with (process / "mem").open("rb", buffering=0) as memory:
            for line in _read(process / "maps").decode().splitlines():
                begin, _, end = line.split()[0].partition("-")
                if "rw" not in line.split()[1]:
                    continue
                try:
                    memory.seek(int(begin, 16))
                    yield memory.read(int(end, 16) - int(begin, 16))
                except (OSError, ValueError, OverflowError):
                    continue
    except OSError:
        return


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
