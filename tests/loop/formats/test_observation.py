# ruff: noqa: E501 -- the texts stand here as the model reads them
"""How a program ended, word for word."""

import msgspec
from inline_snapshot import snapshot

from actum.loop.formats.finding import open_format
from actum.loop.formats.shown_results import images_of
from actum.records.outcomes import Column, Figure, Frame, Limit, Outcome, ProgramError, Table
from actum.records.values import blob_ref

CODE = open_format("code")


def told(outcome: Outcome, printed: str = "", *notes: str) -> str:
    return CODE.observation(outcome, printed, notes)


def test_output_and_value_come_back() -> None:
    assert told(Outcome(status="done", value=3, shown="3"), "late: 3\n") == snapshot("""\
Output:
late: 3
Value: 3\
""")


def test_silence_is_named() -> None:
    assert told(Outcome(status="done")) == snapshot(
        "The program ran and printed nothing. Print what you need to see."
    )


def figure(content: bytes, size: int | None = None) -> Figure:
    png = blob_ref(content, "image/png")
    if size is not None:
        png = msgspec.structs.replace(png, size=size)
    return Figure(png=png, width=640, height=480)


def test_a_table_comes_as_its_first_rows_and_its_size() -> None:
    table = Table(
        columns=(
            Column(name="region", type="str"),
            Column(name="total", type="float64"),
            Column(name="days", type="int64"),
        ),
        rows=(("west\ncoast", 8815774.62, 3), (None, {"$float": "nan"}, 2**60)),
        row_count=140_000,
        column_count=45,
        index=1,
    )
    assert told(Outcome(status="done", tables=(table,)), "done\n") == snapshot("""\
Output:
done
Table 1: 140,000 rows, 45 columns; the first 2 rows and the first 2 columns:
region (str) | total (float64) | days (int64)
west coast | 8815774.62 | 3
 | nan | 1152921504606846976\
""")


def test_figures_are_numbered_and_the_first_are_seen() -> None:
    figures = (*(figure(bytes([n])) for n in range(5)), figure(b"x", size=5_000_000))
    outcome = Outcome(status="done", figures=figures)
    assert told(outcome) == snapshot("""\
Figure 1 (png, 640x480)
Figure 2 (png, 640x480)
Figure 3 (png, 640x480)
Figure 4 (png, 640x480)
Figure 5 (png, 640x480, kept, not shown to the model)
Figure 6 (png, 640x480, kept, not shown to the model)\
""")
    assert images_of(outcome) == tuple(each.png for each in figures[:4])


def test_a_wide_and_long_table_is_capped() -> None:
    row = tuple("x" * 300 for _ in range(30))
    table = Table(
        columns=tuple(Column(name="n" * 300) for _ in range(30)),
        rows=(row,) * 20,
        row_count=20,
        column_count=30,
    )
    text = told(Outcome(status="done", tables=(table,) * 20))
    assert len(text) < 5 * 4 * 1024 + 500
    assert text.endswith("(15 more tables are not shown)")


def test_an_error_comes_with_its_line_and_what_was_done() -> None:
    error = ProgramError(
        type="KeyError",
        message="'amount'",
        line=3,
        frames=(
            Frame(3, "<module>", "total = add(rows)"),
            Frame(1, "add", "    return sum(r['amount'] for r in rows)"),
        ),
        names={"rows": "list of 3: [{'id': 1}, ...]"},
    )
    text = told(
        Outcome(status="failed", error=error),
        "3 rows\n",
        "these calls were made: crm.list() line 1, crm.note(1, 'x') line 2",
    )
    assert text == snapshot("""\
Output:
3 rows
Error in line 3: KeyError: 'amount'
  line 3: total = add(rows)
  line 1 in add: return sum(r['amount'] for r in rows)
  rows = list of 3: [{'id': 1}, ...]
Note: these calls were made: crm.list() line 1, crm.note(1, 'x') line 2\
""")


def test_a_refusal_names_its_rule() -> None:
    error = ProgramError(
        type="Denied", message="crm.delete is not allowed", line=2, rule="deny crm.delete*"
    )
    assert told(Outcome(status="failed", error=error)) == snapshot("""\
Error in line 2: Denied: crm.delete is not allowed
Refused by the rule deny crm.delete*. Do it another way, or say what you need.\
""")


def test_a_killed_program_says_which_limit_and_what_still_holds() -> None:
    limits: tuple[Limit, ...] = (
        "seconds", "cpu", "memory", "output", "disk", "threads", "calls",
    )  # fmt: skip
    texts = {limit: told(Outcome(status="killed", limit=limit)) for limit in limits}
    assert texts == snapshot(
        {
            "seconds": "The program was stopped: it ran too long. Variables are as before this program; tool calls that were made stay made. Next: do less in one program, or make many calls side by side.",
            "cpu": "The program was stopped: it used too much CPU time. Variables are as before this program; tool calls that were made stay made. Next: use a faster way or a smaller part of the data.",
            "memory": "The program was stopped: it used too much memory. Variables are as before this program; tool calls that were made stay made. Next: go through the data in parts; keep only what you need.",
            "output": "The program was stopped: it printed too much. Variables are as before this program; tool calls that were made stay made. Next: print a count or the first rows.",
            "disk": "The program was stopped: it wrote too much to disk. Variables are as before this program; tool calls that were made stay made. Next: write less, and delete what is no longer needed.",
            "threads": "The program was stopped: it started too many threads. Variables are as before this program; tool calls that were made stay made. Next: use a small thread pool.",
            "calls": "The program was stopped: it made too many tool calls. Variables are as before this program; tool calls that were made stay made. Next: make fewer calls: filter first, or ask for many at once.",
        }
    )


def test_a_process_that_died_says_so() -> None:
    assert told(Outcome(status="killed", exit_code=139)) == snapshot(
        "The program's process ended (exit code 139). Variables are as before this program; tool calls that were made stay made."
    )


def test_open_calls_are_counted() -> None:
    assert told(Outcome(status="done", open_calls=2), "x") == snapshot("""\
Output:
x
2 tool calls were still under way when the program ended; their results are lost.\
""")


def test_an_interrupted_program_says_so() -> None:
    assert told(Outcome(status="interrupted")) == snapshot(
        "The program was interrupted before its end. Variables set so far are kept."
    )


def test_an_exit_code_is_told() -> None:
    assert told(Outcome(status="done", exit_code=3)) == snapshot(
        "The program ended itself with exit code 3."
    )


def test_everything_is_capped() -> None:
    error = ProgramError(
        type="E", message="m" * 100_000, names={str(n): "v" * 10_000 for n in range(100)}
    )
    text = told(Outcome(status="failed", error=error, shown="s" * 100_000), "p" * 100_000)
    assert len(text) < 20_000
    assert "characters cut" in text
