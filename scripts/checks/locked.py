"""The versions for pip are those of uv.lock, and uv.lock is that of pyproject.toml."""

import hashlib
import re
import sys
import tomllib
from pathlib import Path

LISTS = Path("scripts/locked")


def name_of(requirement: str) -> str:
    """The package in `Click>=8.2`, as package indexes spell it."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else requirement


def asked() -> set[str]:
    """What pyproject.toml asks for: each requirement as name and version range, without its marker."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    lists = [
        project["project"]["dependencies"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    texts = [item for each in lists for item in each if isinstance(item, str)]
    plain = [text.partition(";")[0].strip() for text in texts]
    return {name_of(item) + item[len(name_of(item)) :] for item in plain}


def resolved() -> set[str]:
    """What uv.lock was made for."""
    lock = tomllib.loads(Path("uv.lock").read_text(encoding="utf-8"))
    own = next(package for package in lock["package"] if package["name"] == "actum")
    metadata = own["metadata"]
    lists = [metadata["requires-dist"], *metadata["requires-dev"].values()]
    return {item["name"] + item.get("specifier", "") for each in lists for item in each}


if __name__ == "__main__":
    found = [f"uv.lock and pyproject.toml differ: {item}" for item in sorted(asked() ^ resolved())]
    lock_hash = hashlib.sha256(Path("uv.lock").read_bytes()).hexdigest()
    found += [
        f"{path} was not written from this uv.lock"
        for path in sorted(LISTS.glob("*.txt"))
        if lock_hash not in path.read_text(encoding="utf-8").split("\n", 1)[0]
    ]
    if found:
        print(*found, sep="\n")
        print("Run scripts/lock (it needs uv) and commit what it changes.")
    sys.exit(1 if found else 0)
