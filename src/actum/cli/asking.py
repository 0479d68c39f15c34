"""The table of waiting calls at the terminal, and what a person answers."""

import asyncio
import getpass
import json
import sys
from collections.abc import Sequence

from actum.cli.narration import table_text
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
        decisions += await asyncio.to_thread(_ask, ordinary)
    for row in rows:
        if row.kind != "unknown" and row.effect == "destructive":
            decisions += await asyncio.to_thread(_ask, [row])
    for row in unknown:
        decisions += await asyncio.to_thread(_ask_unknown, row)
    return decisions


def _ask(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
    choice = Choice(rows, by=getpass.getuser(), how="terminal")
    while True:
        _say(f"{table_text(rows)}\n{_KEYS}")
        answer = _read()
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


def _ask_unknown(row: PendingRow) -> list[ApprovalDecision]:
    choice = Choice([row], by=getpass.getuser(), how="terminal")
    while True:
        _say(f"{table_text([row])}\n{_UNKNOWN_KEYS}")
        match _read():
            case "r":
                return choice.unknown(1, "retry")
            case "h":
                _say("  what was its result, as JSON? (empty: null)")
                return choice.unknown(1, "happened", _json(_read()))
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


def _read() -> str:
    print("  > ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip() if line else "w"
