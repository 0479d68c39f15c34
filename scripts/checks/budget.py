"""No file is longer than its budget. A longer one is a question: which noun in it wants its own file?"""

import sys
from pathlib import Path

BUDGETS = {"src": 300, "tests": 500, "examples": 200, "scripts/checks": 60}

# Files that may be longer, each with its reason beside it. Keep this list short.
LONGER: dict[str, int] = {}


def too_long(root: Path) -> list[str]:
    """One line for each file over its budget, and for each exception that is no longer needed."""
    found: list[str] = []
    for folder, budget in BUDGETS.items():
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            lines = len(path.read_text(encoding="utf-8").splitlines())
            allowed = LONGER.get(name, budget)
            if lines > allowed:
                found.append(f"{name}: {lines} lines, {allowed} allowed")
            elif name in LONGER and lines <= budget:
                found.append(f"{name}: {lines} lines, so its exception can go")
    return found


if __name__ == "__main__":
    problems = too_long(Path.cwd())
    if problems:
        print(*problems, sep="\n")
        print("Split the file by noun, or raise its line in LONGER in scripts/checks/budget.py.")
    sys.exit(1 if problems else 0)
