"""The page of events names every kind, and no other."""

import re
from pathlib import Path

from actum.records.events import BODIES

PAGE = Path(__file__).parents[2] / "docs" / "events.md"


def test_every_kind_of_event_has_its_line_and_every_line_its_kind() -> None:
    kinds = PAGE.read_text(encoding="utf-8").split("## Kinds")[1]
    lines = re.findall(r"^\| `([a-z.]+)` \|", kinds, re.MULTILINE)
    assert sorted(lines) == sorted(BODIES)
