"""Programs that write to the host past the guest: what they write is data, and ends them at worst."""

import json
import struct
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from actum.errors import NoWall
from actum.places.contract import Place
from actum.places.local.place import Local
from actum.records.outcomes import Outcome
from tests.places.talking import Answering, outcome_of, program, spec, with_place
from tests.promises import promise

CALL: dict[str, Any] = {
    "t": "call",
    "number": 1,
    "tool": "crm.get",
    "args": [],
    "kwargs": {},
    "line": 1,
}
DONE = {"t": "done", "outcome": {"status": "done"}}


def packed(header: Any, body: bytes = b"") -> bytes:
    """A frame; a header that is bytes already stays as it is."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("!II", len(text), len(body)) + text + body


def png(width: int, height: int) -> bytes:
    """The first bytes of a picture."""
    return b"\x89PNG\r\n\x1a\n" + struct.pack("!I4sII", 13, b"IHDR", width, height) + bytes(9)


PICTURE = png(1, 1)


def table(*, rows: list[list[Any]], row_count: int = 1, index: int = 0) -> dict[str, Any]:
    """The end of a program that shows a table of one column."""
    shown = {"columns": [{"name": "a"}], "rows": rows, "row_count": row_count, "column_count": 1}
    return {"t": "done", "outcome": {"status": "done", "tables": [{**shown, "index": index}]}}


FORGED: dict[str, bytes] = {
    "no json": packed(b"hello"),
    "no header": packed(b""),
    "no object": packed([1, 2]),
    "no kind": packed({"number": 1}),
    "an unknown kind": packed({"t": "exec", "code": "1"}),
    "what only the host says": packed({"t": "answered", "call": "1.1", "result": {}, "now": 1}),
    "ready again": packed({"t": "ready"}),
    "a field too many": packed({**CALL, "approved": True}),
    "a field too few": packed({"t": "call", "number": 1}),
    "a number that is text": packed({**CALL, "number": "1"}),
    "a number below one": packed({**CALL, "number": 0}),
    "a negative number": packed({**CALL, "number": -5}),
    "the same number twice": packed(CALL) + packed(CALL),
    "numbers backwards": packed({**CALL, "number": 9}) + packed({**CALL, "number": 3}),
    "another run's outcome": packed({"t": "done", "outcome": {"status": "killed"}}),
    "an outcome that names a limit": packed(
        {"t": "done", "outcome": {"status": "failed", "limit": "memory"}}
    ),
    "done twice": packed(DONE) + packed(DONE),
    "two waits": packed({"t": "wait", "timeout": 5}) * 2,
    "a wait into the past": packed({"t": "wait", "timeout": -5}),
    "a header of four gigabytes": struct.pack("!II", 0xFFFFFFFF, 0),
    "a body of four gigabytes": struct.pack("!II", 2, 0xFFFFFFFF) + b"{}",
    "endless nesting": packed(b'{"t":"call","number":1,"tool":"x","args":' + b"[" * 100_000),
    "closed endless nesting": packed(
        b'{"t":"call","number":1,"tool":"x","args":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    ),
    "text that is no text": packed(b'{"t":"output","stream":"stdout","text":"\xff\xfe"}'),
    "half a character": packed(b'{"t":"output","stream":"stdout","text":"\\ud800"}'),
    "a third stream": packed({"t": "output", "stream": "frames", "text": "x"}),
    "a number that is none": packed(b'{"t":"call","number":1,"tool":"x","args":[NaN]}'),
    "a number beyond all": packed(b'{"t":"call","number":1,"tool":"x","args":[1e999]}'),
    "bytes beyond the body": packed({**CALL, "args": [{"$bytes": [0, 99]}]}, b"abc"),
    "bytes before the body": packed({**CALL, "args": [{"$bytes": [-2, 1]}]}, b"abc"),
    "bytes of no size": packed({**CALL, "args": [{"$bytes": [0, -1]}]}, b"abc"),
    "bytes as text": packed({**CALL, "args": [{"$bytes": "AAAA"}]}, b"abc"),
    "bytes that only the host can name": packed(
        {**CALL, "args": [{"$blob": {"sha256": "0" * 64, "size": 1}}]}
    ),
    "the same, spelled otherwise": packed(
        b'{"t":"call","number":1,"tool":"x","args":[{"\\u0024blob":{"sha256":"","size":1}}]}'
    ),
    "a line that no file has": packed({**CALL, "line": 10**30}),
    "a figure that is no picture": packed({"t": "figure", "png": 3}, b"abc"),
    "a figure without a body": packed({"t": "figure", "png": 0, "picture": "iVBORw0KGgo="}),
    "a figure larger than its body": packed({"t": "figure", "png": 99}, PICTURE),
    "a figure of a negative size": packed({"t": "figure", "png": -1}, PICTURE),
    "a picture of a billion dots": packed({"t": "figure", "png": 33}, png(60_000, 60_000)),
    "a drawing that is none": packed({"t": "figure", "png": 33, "svg": 3}, PICTURE + b"abc"),
    "more figures than there may be": packed({"t": "figure", "png": 33}, PICTURE) * 21
    + packed(DONE),
    "a figure that was never drawn": packed(
        {
            "t": "done",
            "outcome": {
                "status": "done",
                "figures": [{"png": {"sha256": "0" * 64, "size": 1}, "width": 1, "height": 1}],
            },
        }
    ),
    "a table with a row too long": packed(table(rows=[[1, 2]])),
    "a table of fewer rows than it shows": packed(table(rows=[[1]], row_count=0)),
    "a table with too many rows": packed(table(rows=[[1]] * 21, row_count=21)),
    "a table with an index of its own kind": packed(table(rows=[], index=-1)),
    "a table that names bytes of the record": packed(
        table(rows=[[{"$blob": {"sha256": "0" * 64, "size": 1}}]])
    ),
    "a body with nothing to say": packed({"t": "wait", "timeout": 1}, b"abc"),
}

WRITE = "import os\nos.write(3, {data!r})\nimport time\ntime.sleep(1)\nwhile True: pass"


@promise("wall:frames")
@pytest.mark.parametrize("name", FORGED)
def test_a_forged_frame_ends_the_program_and_nothing_else(name: str) -> None:
    async def act(place: Place) -> tuple[Outcome, Any, Answering]:
        host = Answering()
        sibling = await place.open(spec())
        session = await place.open(spec())
        outcome = await session.run(program(WRITE.format(data=FORGED[name]), seconds=5.0), host)
        after = await sibling.run(program("6 * 7"), Answering())
        return outcome, after.value, host

    outcome, after, host = run(act)
    assert after == 42
    assert outcome.status == "killed"
    assert outcome.error is not None
    assert outcome.error.type == "ProtocolBroken", outcome
    assert len(host.calls) <= 1


@promise("wall:frames")
def test_a_forged_call_is_a_call_like_any_other() -> None:
    source = WRITE.format(data=packed({**CALL, "tool": "os.system", "args": ["true"]}))
    outcome, host = run(lambda place: outcome_of(place, source, seconds=1.0))
    assert outcome.status in {"failed", "killed"}
    assert [call.tool for call in host.calls] == ["os.system"]


@promise("wall:frames")
@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.close(3)\nwhile True: pass",
        "import os\nos.closerange(0, 256)\nwhile True: pass",
        "import socket, os\nsocket.socket(fileno=os.dup(3)).shutdown(2)\nwhile True: pass",
        "import os\nos.write(3, b'\\0\\0')\nos._exit(0)",
        "import os\nos.dup2(1, 3)\nprint('x')\nwhile True: pass",
        (
            "import socket, os\ns = socket.socket(fileno=os.dup(3))\n"
            "socket.send_fds(s, [b'\\0' * 8], [0, 1, 2])\nwhile True: pass"
        ),
    ],
    ids=["closed", "all closed", "shut down", "cut short", "replaced", "descriptors sent"],
)
def test_a_program_that_takes_its_wire_apart_is_ended(source: str) -> None:
    async def act(place: Place) -> tuple[Outcome, Any]:
        outcome, _ = await outcome_of(place, source, seconds=5.0)
        after, _ = await outcome_of(place, "6 * 7")
        return outcome, after.value

    outcome, after = run(act)
    assert outcome.status == "killed", outcome
    assert outcome.error is not None
    assert after == 42


def run(act: Callable[[Place], Awaitable[Any]]) -> Any:
    """In the best place of this machine."""
    try:
        return with_place(lambda: Local(preload=()), act)
    except NoWall as problem:
        pytest.skip(problem.why)
