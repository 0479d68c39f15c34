"""Where words go: data to stdout, narration to stderr, and all of it as JSON when asked."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO, TypeAlias

from actum.errors import ActumError

if TYPE_CHECKING:
    from actum.records.values import JSON

Shown: TypeAlias = "JSON | Mapping[str, JSON]"

BROKEN_PIPE = 141
_RED = "31;1"
_FAINT = "2"


class ReaderGone(SystemExit):
    """Whoever read the answer has left; there is nobody to tell."""


class Screen:
    """One command's way to speak. `as_json` may be set while the command line is still read."""

    def __init__(self) -> None:
        self.as_json = False
        self._kept: list[str] = []
        self._streaming = False

    def narrate(self, text: str) -> None:
        """Say something to a person. Not said with `--json`."""
        if not self.as_json:
            print(plain(text), file=sys.stderr, flush=True)

    def notice(self, text: str) -> None:
        """Say something that a script may want to know too."""
        if not self.as_json:
            print(plain(text), file=sys.stderr, flush=True)
        elif self._streaming:
            self.event({"event": "notice", "text": text})
        else:
            self._kept.append(text)

    def data(self, text: str) -> None:
        """Print a line of the answer."""
        self.write(text + "\n")

    def write(self, text: str) -> None:
        """Print a part of the answer as it is. All that goes to stdout goes through here."""
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError as error:
            # What is still buffered must not raise again at the very end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise ReaderGone(BROKEN_PIPE) from error

    def stream(self) -> None:
        """From here on the answer is JSON lines; notices go among them."""
        self._streaming = True
        kept, self._kept = self._kept, []
        for text in kept:
            self.notice(text)

    def event(self, event: Mapping[str, JSON]) -> None:
        """Print one line of a stream."""
        self.data(json.dumps(event, ensure_ascii=False))

    def document(self, document: Shown) -> None:
        """Print the answer of a command that has one. Notices become its key `notices`."""
        if isinstance(document, Mapping) and self._kept:
            document = {**document, "notices": [*self._kept]}
        self.data(json.dumps(document, ensure_ascii=False, indent=2))

    def error(self, error: ActumError) -> None:
        """Say what went wrong, and what to do next."""
        text = json.dumps(error_document(error)) if self.as_json else error_text(error)
        print(text, file=sys.stderr, flush=True)


def error_document(error: ActumError) -> dict[str, JSON]:
    """An error as scripts read it."""
    body: dict[str, JSON] = {
        "code": error.code,
        "message": error.message,
        "where": error.where,
        "why": error.why,
        "hints": list(error.hints),
    }
    return {"error": body}


def error_text(error: ActumError) -> str:
    """An error as people read it."""
    lines = [f"{colour(f'error[{error.code}]', _RED, sys.stderr)}: {plain(error.message)}"]
    if error.where:
        lines.append(f"  --> {plain(error.where)}")
    if error.why:
        lines.append(f"  why: {plain(error.why)}")
    lines.extend(f"  hint: {plain(hint)}" for hint in error.hints)
    return "\n".join(lines)


def faint(text: str) -> str:
    """Text of lesser weight on stdout."""
    return colour(text, _FAINT, sys.stdout)


def colour(text: str, code: str, stream: TextIO) -> str:
    """Coloured where somebody can see it and has not said no. Never the only sign of anything."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb":
        return text
    return f"\x1b[{code}m{text}\x1b[0m" if stream.isatty() else text


def plain(text: str) -> str:
    """Text that cannot move the cursor or change colours: it may come from anywhere."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def somebody_there() -> bool:
    """Whether a question would reach a person."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(question: str) -> bool:
    """Ask a person for yes or no; no is the answer when nothing is said."""
    print(f"{plain(question)} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
