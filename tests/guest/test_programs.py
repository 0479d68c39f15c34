"""How programs end, what stays of them, and what is told about their errors."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.guest.harness import Guest, in_this_order

Open = Callable[..., Guest]


def test_the_last_expression_goes_back(open_guest: Open) -> None:
    outcome = open_guest().run("x = 20\nx + 1").outcome
    assert (outcome["status"], outcome["value"], outcome["shown"]) == ("done", 21, "21")


def test_what_is_no_data_goes_back_as_text_only(open_guest: Open) -> None:
    outcome = open_guest().run("class Thing:\n    def __repr__(self): return 'a thing'\nThing()")
    assert outcome.outcome["shown"] == "a thing"
    assert outcome.outcome.get("value") is None


def test_variables_stay_after_a_failure(open_guest: Open) -> None:
    guest = open_guest()
    assert guest.run("x = 1\ny = 1 / 0").outcome["status"] == "failed"
    assert guest.run("x, __name__").outcome["value"] == [1, "__main__"]


def test_an_error_names_its_line_and_what_stood_there(open_guest: Open) -> None:
    guest = open_guest()
    guest.run("def half(x):\n    return 10 / x")
    error = guest.run("zero = 0\n\nhalf(zero)").outcome["error"]
    assert (error["type"], error["line"]) == ("ZeroDivisionError", 3)
    assert error["names"] == {"x": "0"}
    assert error["frames"] == [
        {"line": 3, "function": "<module>", "source": "half(zero)"},
        {"line": 2, "function": "half of <step 1>", "source": "return 10 / x"},
    ]


def test_an_endless_recursion_is_told_short(open_guest: Open) -> None:
    error = open_guest().run("def f(x):\n    return f(x + 1)\nf(0)").outcome["error"]
    assert error["type"] == "RecursionError"
    assert [frame["line"] for frame in error["frames"]] == [3, 2]


def test_a_syntax_error_names_its_line(open_guest: Open) -> None:
    error = open_guest().run("x = 1\ny = = 2").outcome["error"]
    assert (error["type"], error["line"]) == ("SyntaxError", 2)


def test_a_hostile_repr_does_no_harm(open_guest: Open) -> None:
    source = (
        "class Hostile(Exception):\n"
        "    def __repr__(self): raise SystemExit(3)\n"
        "    __str__ = __repr__\n"
        "bad = Hostile()\n"
    )
    guest = open_guest()
    assert "repr fails" in guest.run(source + "bad").outcome["shown"]
    outcome = guest.run("raise bad").outcome
    assert outcome["status"] == "failed"
    assert "repr fails" in outcome["error"]["names"]["bad"]


def test_a_long_value_is_shown_short(open_guest: Open) -> None:
    guest = open_guest()
    assert len(guest.run("'x' * 1_000_000").outcome["shown"]) < 2100
    assert len(guest.run("list(range(1_000_000))").outcome["shown"]) < 2100


@pytest.mark.parametrize("value", ["list(range(1_000_000))", "'x' * 5_000_000", "b'x' * 5_000_000"])
def test_a_large_value_is_not_sent(open_guest: Open, value: str) -> None:
    outcome = open_guest().run(value).outcome
    assert (outcome["status"], outcome.get("value")) == ("done", None)


def test_finish_ends_the_program_with_an_answer(open_guest: Open) -> None:
    source = "try:\n    finish({'late': 3})\nexcept Exception:\n    pass\nprint('not reached')"
    run = open_guest().run(source)
    assert (run.outcome["status"], run.outcome["value"]) == ("finished", {"late": 3})
    assert run.output == ""


@pytest.mark.parametrize(
    "source",
    [
        (
            "import asyncio\nasync def main():\n    async def one(): finish(5)\n"
            "    await asyncio.gather(one(), asyncio.sleep(9), return_exceptions=True)\n"
            "asyncio.run(main())\nprint('not reached')"
        ),
        (
            "import threading, time\nthreading.Thread(target=lambda: finish(5)).start()\n"
            "time.sleep(5)\nprint('not reached')"
        ),
        "try:\n    finish(5)\nexcept BaseException:\n    x = 1",
    ],
    ids=["task", "thread", "swallowed"],
)
def test_finish_ends_it_from_anywhere(open_guest: Open, source: str) -> None:
    run = open_guest().run(source)
    assert (run.outcome["status"], run.outcome["value"]) == ("finished", 5)
    assert run.output == ""


def test_finish_takes_data_only(open_guest: Open) -> None:
    error = open_guest().run("finish(object())").outcome["error"]
    assert error["type"] == "DoesNotCross"
    assert "finish" in error["message"]


@pytest.mark.parametrize(
    ("source", "status", "code"),
    [
        ("import sys; sys.exit()", "done", 0),
        ("exit(0)", "done", 0),
        ("import sys; sys.exit(3)", "failed", 3),
        ("import sys; sys.exit('no rows')", "failed", 1),
    ],
)
def test_exit_codes_are_told(open_guest: Open, source: str, status: str, code: int) -> None:
    outcome = open_guest().run(source).outcome
    assert (outcome["status"], outcome["exit_code"]) == (status, code)


def test_an_interrupt_stops_a_waiting_program(open_guest: Open) -> None:
    guest = open_guest()
    source = "import time\ntry:\n    time.sleep(9)\nfinally:\n    left = True"
    outcome = guest.run(source, choose=in_this_order("interrupt")).outcome
    assert outcome["status"] == "interrupted"
    assert outcome["error"]["line"] == 3
    assert guest.run("left").outcome["value"] is True


def test_an_interrupt_stops_an_event_loop(open_guest: Open) -> None:
    source = (
        "import asyncio\n"
        "async def main():\n"
        "    try:\n        await asyncio.sleep(9)\n"
        "    finally:\n        print('cleaned up')\n"
        "asyncio.run(main())"
    )
    run = open_guest().run(source, choose=in_this_order("interrupt"))
    assert run.outcome["status"] == "interrupted"
    assert run.output == "cleaned up\n"


@pytest.mark.parametrize(
    "source",
    [
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        "import asyncio\nasync def main():\n    await asyncio.Event().wait()\nasyncio.run(main())",
        "import queue\nqueue.Queue().get()",
        (
            "import threading\ne = threading.Event()\nt = threading.Thread(target=e.wait)\n"
            "t.start()\nt.join()"
        ),
    ],
    ids=["lock", "task", "queue", "thread"],
)
def test_a_deadlock_is_an_error(open_guest: Open, python: str, source: str) -> None:
    outcome = open_guest(python=python).run(source).outcome
    assert outcome["error"]["type"] == "Deadlock"
    assert "every thread and task waits" in outcome["error"]["message"]


def test_a_deadlock_can_be_caught_and_leaves_locks_right(open_guest: Open) -> None:
    source = (
        "import threading\nlock = threading.Lock()\nlock.acquire()\n"
        "try:\n    lock.acquire()\nexcept RuntimeError:\n    lock.release()\n"
        "lock.acquire(timeout=1)"
    )
    assert open_guest().run(source).outcome["value"] is True


def test_output_keeps_its_order_across_both_streams(open_guest: Open) -> None:
    source = (
        "import sys, os\nprint('a')\nprint('b', file=sys.stderr)\nsys.stdout.write('c')\n"
        "sys.stdout.buffer.write('d\\u20ac'.encode())\nprint('\\ud800', sys.stdout.isatty())"
    )
    frames = [frame for frame in open_guest().run(source).seen if frame["t"] == "output"]
    assert [(frame["stream"], frame["text"]) for frame in frames] == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "cd\u20ac\\ud800 False\n"),
    ]


def test_output_is_cut_and_says_so(open_guest: Open) -> None:
    guest = open_guest(output_bytes=10_000)
    run = guest.run("for i in range(100_000): print(i)")
    assert run.outcome["status"] == "done"
    assert run.output.endswith("[output cut at 10000 bytes]\n")
    assert len(run.output) < 10_050
    assert guest.run("print('again')").output == "again\n"


def test_output_streams_while_it_is_produced(open_guest: Open) -> None:
    run = open_guest().run("import time\nprint('first')\ntime.sleep(1)\nprint('second')")
    assert [frame["t"] for frame in run.seen] == ["output", "wait", "output"]


def test_text_that_utf8_has_no_word_for_passes_in_errors_and_values(open_guest: Open) -> None:
    guest = open_guest()
    assert guest.run("raise ValueError('\\ud800')").outcome["error"]["message"] == "\\ud800"
    outcome = guest.run("'\\ud800'").outcome
    assert outcome.get("value") is None
    assert "ud800" in outcome["shown"]


def test_help_is_there(open_guest: Open) -> None:
    stub = (
        'def get(i: int) -> dict:\n    """One order. With all lines.\n\n    Long story.\n    """\n'
    )
    guest = open_guest(modules={"": "# modules: crm\n", "crm": stub})
    assert guest.run("help(crm.get)").output == "def get(i: int) -> dict\n    One order\n"
    assert "Long story" in guest.run("help(crm.get, full=True)").output
    assert "def get(i: int) -> dict" in guest.run("help(crm)").output
    assert "Return the number of items" in guest.run("help(len)").output


def test_nobody_answers_input(open_guest: Open) -> None:
    assert open_guest().run("input('name?')").outcome["error"]["type"] == "EOFError"


def test_functions_of_earlier_steps_can_be_inspected(open_guest: Open) -> None:
    guest = open_guest()
    guest.run("def double(x):\n    return 2 * x")
    value: Any = guest.run("import inspect\ninspect.getsource(double)").outcome["value"]
    assert value == "def double(x):\n    return 2 * x\n"


def test_objects_of_a_program_can_be_pickled(open_guest: Open) -> None:
    source = "import pickle\nclass Point:\n    x = 1\npickle.loads(pickle.dumps(Point())).x"
    assert open_guest().run(source).outcome["value"] == 1
