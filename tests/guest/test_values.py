"""What crosses from a program to a tool, in which words, and back."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.guest.harness import Guest

Open = Callable[..., Guest]
MODULES = {"": "def take(x=None): ...\n"}


def take(x: Any) -> None:
    assert x is not object


CROSSING: list[tuple[str, Any]] = [
    ("(1, 'a', None, 1.5)", [1, "a", None, 1.5]),
    ("2**63", {"$int": "9223372036854775808"}),
    ("[float('nan'), -float('inf')]", [{"$float": "nan"}, {"$float": "-inf"}]),
    ("{1: 'a', (2, 3): 'b'}", {"$pairs": [[1, "a"], [[2, 3], "b"]]}),
    ("{'$int': 1}", {"$pairs": [["$int", 1]]}),
    ("{3, 1, 2}", [1, 2, 3]),
    ("__import__('datetime').datetime(2025, 1, 2, 3)", "2025-01-02T03:00:00"),
    ("__import__('datetime').date(2025, 1, 2)", "2025-01-02"),
    ("__import__('decimal').Decimal('1.10')", "1.10"),
    ("__import__('uuid').UUID(int=1)", "00000000-0000-0000-0000-000000000001"),
    ("__import__('pathlib').Path('out/a')", "out/a"),
    ("__import__('http').HTTPStatus.OK", 200),
    ("__import__('enum').Enum('Day', 'MON')['MON']", 1),
    ("__import__('dataclasses').make_dataclass('P', ['x'])(5)", {"x": 5}),
    ("__import__('collections').namedtuple('P', 'x')(5)", [5]),
]


@pytest.mark.parametrize(("expression", "wire"), CROSSING)
def test_plain_data_crosses(open_guest: Open, expression: str, wire: Any) -> None:
    guest = open_guest(tools={"take": take}, modules=MODULES)
    run = guest.run(f"take({expression})")
    assert run.outcome["status"] == "done", run.outcome
    assert run.calls[0]["args"] == [wire]


def test_marks_come_back_as_what_they_stand_for(open_guest: Open) -> None:
    answer = {"a": {"$int": str(2**70)}, "b": {"$float": "nan"}, "c": {"$pairs": [[1, "x"]]}}

    def one_answer() -> Any:
        return answer

    guest = open_guest(tools={"take": one_answer}, modules=MODULES)
    assert guest.run("r = take()\n[r.a == 2**70, r.b != r.b, r.c[1]]").outcome["value"] == [
        True, True, "x",
    ]  # fmt: skip


def test_bytes_travel_beside_the_header(open_guest: Open) -> None:
    guest = open_guest(tools={"take": take}, modules=MODULES)
    run = guest.run("take([b'ab', bytearray(b'cde'), memoryview(b'f')])")
    assert run.calls[0]["args"] == [[{"$bytes": [0, 2]}, {"$bytes": [2, 3]}, {"$bytes": [5, 1]}]]
    assert run.calls[0]["body"] == b"abcdef".hex()


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("take(object())", "take: argument 1 is an object"),
        ("take(x={'a': [1, open]})", "take: argument 'x'['a'][1]"),
        ("take('\\ud800')", "lone surrogate"),
        ("take(loop)", "nested too deep"),
        ("take('x' * 20_000_000)", "too large"),
        ("take(b'x' * 20_000_000)", "too large"),
        (
            (
                "async def f(): take(call())\nasync def call(): return 1\n"
                "import asyncio\nasyncio.run(f())"
            ),
            "await",
        ),
    ],
)
def test_what_does_not_cross_is_named_before_the_call_leaves(
    open_guest: Open, expression: str, told: str
) -> None:
    run = open_guest(modules=MODULES).run(f"loop = []\nloop.append(loop)\n{expression}")
    assert isinstance(run.outcome["error"]["message"], str)
    assert told in run.outcome["error"]["message"]
    assert run.calls == []


def test_numpy_and_pandas_cross_as_plain_data(open_guest: Open) -> None:
    pytest.importorskip("pandas")
    guest = open_guest(tools={"take": take}, modules=MODULES, preload=("numpy", "pandas"))
    source = (
        "import numpy as np, pandas as pd\nframe = pd.DataFrame({'a': [1, 2], 'b': ['x', None]})\n"
        "take([np.float64(1.5), np.int8(2), np.arange(3), np.bool_(True), pd.Series([1]), pd.NaT,\n"
        "      pd.Timestamp('2025-01-02'), frame.loc[:0]])"
    )
    run = guest.run(source)
    assert run.outcome["status"] == "done", run.outcome
    assert run.calls[0]["args"] == [
        [1.5, 2, [0, 1, 2], True, [1], None, "2025-01-02T00:00:00", [{"a": 1, "b": "x"}]]
    ]
