"""The table of waiting calls at the terminal, and what a person answers."""

import asyncio
import getpass
import json
import sys
from collections.abc import Sequence

from actum.cli.approval_table import table_text
from actum.errors import ActumError
from actum.lifecycle.approving import Choice
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision
from actum.records.values import JSON

_KEYS = "  [a]ll  [s]elect 1,3  [d]eny  [a+] the rest of this program too  [w]ait"
_UNKNOWN_KEYS = "  [r]etry  it [h]appened  [f]ail  [w]ait"


async def ask_at_terminal(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
    """Put the rows to the person at the terminal. No answer at all means: wait."""
    unknown = [row for row in rows if row.kind == "unknown"]
    ordinary = [row for row in rows if row.kind != "unknown" and row.effect != "destructive"]
    decisions: list[ApprovalDecision] = []
    if ordinary:
        decisions += await _ask(ordinary)
    for row in rows:
        if row.kind != "unknown" and row.effect == "destructive":
            decisions += await _ask([row])
    for row in unknown:
        decisions += await _ask_unknown(row)
    return decisions


async def _ask(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
    choice = Choice(rows, by=getpass.getuser(), how="terminal")
    while True:
        _say(f"{table_text(rows)}\n{_KEYS}")
        answer = await _read()
        try:
            match answer.split(maxsplit=1):
                case ["a"]:
                    return _all(choice, rows, rest=False)
                case ["a+"]:
                    return _all(choice, rows, rest=True)
                case ["s", numbers]:
                    return _selected(choice, rows, _numbers(numbers))
                case ["d"]:
                    return choice.deny()
                case ["w"] | []:
                    return []
                case _:
                    _say("  one of the letters in brackets, please")
        except (ActumError, ValueError) as error:
            _say(f"  {error}")


def _all(choice: Choice, rows: Sequence[PendingRow], *, rest: bool) -> list[ApprovalDecision]:
    if len(rows) == 1 and rows[0].effect == "destructive":
        return choice.select([1])
    return choice.all(rest=rest)


def _selected(
    choice: Choice, rows: Sequence[PendingRow], numbers: list[int]
) -> list[ApprovalDecision]:
    refused = [number for number in range(1, len(rows) + 1) if number not in numbers]
    return choice.select(numbers) + (choice.deny(refused) if refused else [])


async def _ask_unknown(row: PendingRow) -> list[ApprovalDecision]:
    choice = Choice([row], by=getpass.getuser(), how="terminal")
    while True:
        _say(f"{table_text([row])}\n{_UNKNOWN_KEYS}")
        match await _read():
            case "r":
                return choice.unknown(1, "retry")
            case "h":
                _say("  what was its result, as JSON? (empty: null)")
                try:
                    return choice.unknown(1, "happened", _json(await _read()))
                except ValueError as error:
                    _say(f"  that is no JSON: {error}")
            case "f":
                return choice.unknown(1, "fail")
            case "w" | "":
                return []
            case _:
                _say("  one of the letters in brackets, please")


def _json(text: str) -> JSON:
    return json.loads(text) if text.strip() else None


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.replace(",", " ").split()]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


async def _read() -> str:
    """One line of the person's; at the end of the file it is to wait."""
    print("  > ", end="", file=sys.stderr, flush=True)
    line = await _line()
    return line.strip() if line else "w"


async def _line() -> str:
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def read() -> None:
        if not line.done():
            line.set_result(sys.stdin.readline())

    try:
        # No thread: one that waits for a key could not be left at Ctrl-C.
        loop.add_reader(sys.stdin.fileno(), read)
    except NotImplementedError:
        return await asyncio.to_thread(sys.stdin.readline)
    try:
        return await line
    finally:
        loop.remove_reader(sys.stdin.fileno())


async def ask_what_instead() -> str | None:
    """A person has stopped the program: what now?"""
    _say("\nstopped. Say what to do instead, or press Enter to end the run.")
    words = await _read()
    return None if words in {"", "w"} else words
