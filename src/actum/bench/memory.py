"""How much memory processes hold, shared pages counted by their share."""

import os
from pathlib import Path


def children_of(pid: int) -> list[int]:
    """Every process below this one."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            try:
                below = [int(word) for word in task.read_text().split()]
            except OSError:
                continue
            found += below
            waiting += below
    return found


def own_children_hold() -> int:
    """Bytes that all processes below this one hold. Raises `PermissionError` where we may not look."""
    total = 0
    for pid in children_of(os.getpid()):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    return total
