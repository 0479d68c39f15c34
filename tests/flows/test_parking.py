"""Nobody is there: the run waits in its file, and goes on days later at the same line."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.records.events import Draft, Event
from actum.tools.declaration import tool
from tests.flows.runs import Bench, bare_place
from tests.flows.terminal import Terminal
from tests.promises import promise

CLOCK = """
import time
from tools import shop
before = time.time()
amounts = [shop.get(i)["amount"] for i in range(3)]
print("asks", sum(amounts))
shop.send(to="a", body=str(sum(amounts)))
print("waited", time.time() - before)
"""
DAYS = 3 * 24 * 3600


@promise("gate:ask")
def test_a_parked_run_goes_on_at_its_line_in_another_process(terminal: Terminal) -> None:
    parked = terminal.exec(CLOCK)
    assert (parked.exit, parked.out) == (8, "asks 30\n")
    assert terminal.world == ["get 0", "get 1", "get 2"]
    assert [run["status"] for run in terminal.actum("runs", "list", "--json").json] == ["paused"]
    assert terminal.actum("resume").exit == 8
    assert terminal.actum("approve", "--all").exit == 0
    done = terminal.actum("resume")
    assert done.exit == 0, done.err
    assert done.out.startswith("waited ")
    assert terminal.world == ["get 0", "get 1", "get 2", "send a"]
    (terminal.folder / "shop.py").unlink()
    again = terminal.actum("replay")
    assert (again.exit, again.out) == (0, parked.out + done.out)
    over = terminal.actum("resume")
    assert over.exit == 2
    assert "is over: done" in over.err


class DaysLater(SqliteStore):
    """The journal of a machine whose clock is three days on."""

    def append(self, draft: Draft) -> Event:
        return super().append(msgspec.structs.replace(draft, time=time.time_ns() + DAYS * 10**9))


def test_a_program_sees_that_days_went_by(tmp_path: Path) -> None:
    @tool("read", name="shop.get")
    def get(i: int) -> dict[str, int]:
        return {"amount": i}

    @tool("write", name="shop.send")
    def send(to: str, body: str) -> str:
        return "sent"

    async def scene() -> None:
        bench = Bench(tmp_path, bare_place(), tools=[get, send])
        assert (await bench.exec(CLOCK)).status == "paused"
        store = SqliteStore.open(bench.file())
        await decide(store, Choice(pending_rows(store.events()), by="me").all())
        await store.close()
        bench.store = DaysLater
        assert (await bench.resume()).status == "done"
        waited = float(bench.output().split()[-1])
        assert DAYS <= waited < DAYS + 3600
        assert (await bench.replay()).identical
        await bench.place.close()

    asyncio.run(scene())


UNKNOWN = """
import os, signal
from actum import tool

@tool(name="mail.send", effect="write")
def send(to: str) -> str:
    with open("world.txt", "a") as world:
        world.write(f"send {to}\\n")
    if not os.path.exists("alive"):
        os.kill(os.getpid(), signal.SIGKILL)
    return "sent"
"""
LETTER = """
import tools
from tools import mail
try:
    print("mail:", mail.send(to="a"))
except tools.ToolError as error:
    print("error:", error.status, error)
"""


@promise("record:unknown-outcome")
@pytest.mark.parametrize(
    ("choice", "printed", "sent"),
    [
        (("--retry", "1"), "mail: sent\n", 2),
        (("--happened", '1={"id": 7}'), "mail: {'id': 7}\n", 1),
        (("--fail", "1"), "error: unknown-outcome", 1),
    ],
)
def test_a_write_that_may_have_happened_is_asked_about(
    terminal: Terminal, choice: Sequence[str], printed: str, sent: int
) -> None:
    terminal.write("mail.py", UNKNOWN)
    terminal.write("p.py", LETTER)
    allow = '[[policy]]\ntool = "mail.send"\ndecide = "allow"\n'
    config = terminal.write("allow.toml", allow)
    died = terminal.actum("exec", "p.py", "--tools", "mail.py", "--config", config)
    assert died.exit == -9
    terminal.write("alive", "")
    resumed = terminal.actum("resume")
    assert resumed.exit == 8
    assert "not known whether this happened" in resumed.err
    (row,) = terminal.actum("approve", "--json").json
    assert (row["id"], row["kind"], row["tool"], row["line"]) == (1, "unknown", "mail.send", 5)
    assert row["arguments"] == {"to": "a"}
    assert terminal.actum("approve", "--all").exit == 2
    assert terminal.actum("approve", "--select", "1").exit == 2
    assert terminal.actum("resume").exit == 8
    assert terminal.world == ["send a"]
    assert terminal.actum("approve", row["run"], *choice).exit == 0
    done = terminal.actum("resume", row["run"])
    assert done.exit == 0, done.err
    assert done.out.startswith(printed)
    assert terminal.world == ["send a"] * sent
    again = terminal.actum("replay")
    assert (again.exit, again.out) == (0, done.out)
