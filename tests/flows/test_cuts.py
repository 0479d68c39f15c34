"""A host that dies at any moment: the run goes on, and no write happens twice."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.promises import promise

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

TOOLS = """
import os, signal, threading
from actum import tool

one_at_a_time = threading.Lock()
writes = 0

def mark(text):
    with open("world.txt", "a") as world:
        world.write(text + "\\n")

@tool(name="shop.get", effect="read")
def get(i: int) -> dict:
    mark(f"get {i}")
    return {"id": i, "amount": 10 * i}

@tool(name="shop.send", effect="write")
def send(to: str, body: str) -> str:
    global writes
    with one_at_a_time:
        writes += 1
        mark(f"send {to}")
        if os.environ.get("DIE_IN_WRITE") == str(writes):
            os.kill(os.getpid(), signal.SIGKILL)
    return "sent"
"""

PROGRAM = """
import asyncio
import concurrent.futures
from tools import shop

with concurrent.futures.ThreadPoolExecutor(3) as pool:
    amounts = [order["amount"] for order in pool.map(shop.get, range(1, 5))]
print("total", sum(amounts))
print(shop.send(to="first", body=str(sum(amounts))))

async def side_by_side():
    return await asyncio.gather(*(shop.send(to=f"c{i}", body="x") for i in range(3)), shop.get(9))

print(asyncio.run(side_by_side()))
"""
PRINTED = "total 100\nsent\n['sent', 'sent', 'sent', {'id': 9, 'amount': 90}]\n"

REPLIES = """```python
from tools import shop
amount = shop.get(7)["amount"]
print(shop.send(to="one", body=str(amount)))
```
---
```python
print(shop.send(to="two", body=str(amount + shop.get(1)["amount"])))
```
---
All is sent.
"""


def cut_everywhere(folder: Path, part: int, parts: int) -> list[dict[str, Any]]:
    """What came of every cut of the run in this folder."""
    (folder / "tools.py").write_text(TOOLS)
    done = subprocess.run(
        [sys.executable, str(HERE / "cut_host.py"), str(folder), str(part), str(parts)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(cuts: list[dict[str, Any]], writes: list[str], printed: str) -> None:
    for cut in cuts:
        assert cut["status"] == "done", cut
        assert sorted(line for line in cut["world"].splitlines() if line.startswith("send")) == [
            f"send {to}" for to in writes
        ], cut
        assert cut["output"] == printed, cut
        assert cut["identical"], cut


@promise("record:write-once")
@pytest.mark.parametrize("part", [0, 1])
def test_a_host_killed_at_any_event_loses_nothing_and_repeats_no_write(
    tmp_path: Path, part: int
) -> None:
    (tmp_path / "p.py").write_text(PROGRAM)
    cuts = cut_everywhere(tmp_path, part, 2)
    assert len(cuts) >= 20
    check(cuts, ["c0", "c1", "c2", "first"], PRINTED)
    # A write that was cut inside is never guessed about.
    inside = [cut for cut in cuts if cut["cut"].startswith("write-")]
    assert inside
    assert all(cut["unknown"] >= 1 for cut in inside)
    assert all(cut["resumes"] == 1 for cut in cuts if not cut["unknown"])


@promise("record:write-once")
def test_a_run_of_a_model_killed_at_any_event_goes_on_with_its_variables(tmp_path: Path) -> None:
    (tmp_path / "replies.txt").write_text(REPLIES)
    cuts = cut_everywhere(tmp_path, 0, 1)
    assert len(cuts) >= 20
    check(cuts, ["one", "two"], "sent\nsent\n")
