"""A person's terminal: `actum` as a process of its own, in a folder of its own."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIGHT = (
    "import sys, actum.places.local.place as place\n"
    "place.USUAL_PRELOAD = ()\n"
    "from actum.cli.main import main\n"
    "sys.exit(main())"
)
"""`python -m actum`, but for numpy and pandas, which a place would load ahead in each process."""

SHOP = """
from actum import tool

def mark(text):
    with open("world.txt", "a") as world:
        world.write(text + "\\n")

@tool(name="shop.get", effect="read")
def get(i: int) -> dict:
    "One order by its number."
    mark(f"get {i}")
    return {"id": i, "amount": 10 * i}

@tool(name="shop.send", effect="write")
def send(to: str, body: str = "") -> str:
    "Send a mail."
    mark(f"send {to}")
    return "sent"

@tool(name="shop.drop", effect="destructive")
def drop(i: int) -> str:
    "Delete an order."
    mark(f"drop {i}")
    return "gone"
"""


WALL = re.compile(r"^place local: landlock · record \w+\n", re.MULTILINE)
"""What `exec` says first where the wall is the weaker one: true, and not what the tests are about."""


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    exit: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its one document."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Its stream."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Terminal:
    """A folder with tools, and a home of its own."""

    folder: Path

    def __post_init__(self) -> None:
        (self.folder / "shop.py").write_text(SHOP)

    @property
    def environ(self) -> dict[str, str]:
        """What the commands see."""
        home = self.folder.parent
        return {**os.environ, "HOME": str(home), "ACTUM_HOME": str(home / "data"), "NO_COLOR": "1"}

    @property
    def world(self) -> list[str]:
        """What tools have really done."""
        file = self.folder / "world.txt"
        return file.read_text().splitlines() if file.exists() else []

    def write(self, name: str, text: str) -> str:
        """A file in the folder."""
        (self.folder / name).write_text(text)
        return name

    def start(self, *words: str, **options: Any) -> "subprocess.Popen[str]":
        """A command that goes on by itself, as a group of its own."""
        return subprocess.Popen(
            [sys.executable, "-c", LIGHT, *words],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )

    def actum(self, *words: str, stdin: str | None = None) -> Done:
        """A command, to its end. Nobody sits at it."""
        done = subprocess.run(
            [sys.executable, "-c", LIGHT, *words],
            cwd=self.folder,
            env=self.environ,
            input=stdin or "",
            capture_output=True,
            check=False,
            text=True,
        )
        return Done(done.returncode, done.stdout, WALL.sub("", done.stderr, count=1))

    def exec(self, source: str, *words: str) -> Done:
        """A program with the shop's tools."""
        self.write("p.py", source)
        return self.actum("exec", "p.py", "--tools", "shop.py", *words)

    def file(self) -> Path:
        """The record of the only run here."""
        (found,) = (self.folder.parent / "data").rglob("*.actum")
        return found
