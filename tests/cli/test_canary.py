"""`actum doctor --canary`: a secret is used, and found nowhere."""

from pathlib import Path

from tests.flows.terminal import Terminal
from tests.promises import promise


@promise("secret:masked")
def test_a_secret_that_a_tool_tells_in_every_way_is_found_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    done = Terminal(folder).actum("doctor", "--canary", "--json")
    canary = done.json["canary"]
    looked = {sink["sink"]: sink["bytes"] for sink in canary["sinks"]}
    assert {"events", "files: actum", "files: actum-wal", "output", "prompts"} <= looked.keys()
    assert {"environ of its processes", "memory of its processes"} <= looked.keys()
    assert all(size > 0 for size in looked.values())
    assert [sink for sink in canary["sinks"] if sink["times"]] == []
    assert canary["clean"] is True
    assert done.exit == 0
