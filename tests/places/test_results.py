"""What a program gives back beside its text: figures, tables, and values by their size."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from actum.places.local.place import Local
from actum.records.outcomes import Outcome
from tests.places.talking import Answering, run_all

PLOT = "import matplotlib.pyplot as plt\n"


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    shared = Local(preload=("numpy", "pandas"))
    yield shared
    asyncio.run(shared.close())


def run(place: Local, *sources: str) -> tuple[Sequence[Outcome], Answering]:
    """Programs in one session."""
    host = Answering()
    return asyncio.run(run_all(place, sources, host, seconds=50.0)), host


def shown(place: Local, source: str) -> str | None:
    (outcome,), _ = run(place, source)
    assert outcome.status == "done", outcome
    return outcome.shown


@pytest.mark.timeout(120)
def test_figures_come_when_shown_and_when_left_open(place: Local) -> None:
    pytest.importorskip("matplotlib")
    (first, second), host = run(
        place,
        PLOT + "plt.plot([1, 2])\nplt.show()\nplt.bar([1, 2], [3, 4])\nfig = plt.gcf()\n"
        "print(plt.get_fignums())",
        "print(plt.get_fignums())\nfig",
    )
    assert len(first.figures) == 2
    for figure in first.figures:
        assert figure.svg is not None
        picture = host.kept[figure.png.sha256]
        assert picture.startswith(b"\x89PNG")
        assert b"<svg" in host.kept[figure.svg.sha256]
        assert (figure.width, figure.height) == (
            int.from_bytes(picture[16:20], "big"),
            int.from_bytes(picture[20:24], "big"),
        )
    assert second.figures == first.figures[1:]
    assert (second.shown, second.value) == (None, None)
    assert host.text == "[1]\n[]\n"


@pytest.mark.timeout(120)
def test_the_same_program_draws_the_same_bytes(place: Local) -> None:
    pytest.importorskip("matplotlib")
    source = PLOT + (
        "import numpy as np\nfig, axes = plt.subplots(2)\naxes[0].plot(np.random.rand(9))\n"
        "axes[1].fill_between([1, 2], [3, 4])\naxes[0].set_title('a')"
    )
    (first,), _ = run(place, source)
    (again,), _ = run(place, source)
    assert len(first.figures) == 1
    assert first.figures == again.figures


@pytest.mark.timeout(120)
def test_a_failed_or_killed_program_still_shows_what_it_has_drawn(place: Local) -> None:
    pytest.importorskip("matplotlib")
    (failed, killed), _ = run(
        place,
        PLOT + "plt.plot([1])\nplt.show()\n1 / 0",
        PLOT + "import os\nplt.plot([1])\nplt.show()\nos._exit(3)",
    )
    assert (failed.status, killed.status) == ("failed", "killed")
    assert failed.figures == killed.figures
    assert len(failed.figures) == 1


@pytest.mark.timeout(120)
def test_a_figure_that_cannot_be_drawn_says_so(place: Local) -> None:
    pytest.importorskip("matplotlib")
    (outcome, after), _ = run(
        place, PLOT + "plt.title(r'$\\frac{$')", "plt.plot([1, 2])\nplt.title('fine')"
    )
    assert outcome.status == "failed"
    assert outcome.error is not None
    assert outcome.error.message.startswith("a figure could not be drawn: ")
    assert len(after.figures) == 1


@pytest.mark.timeout(180)
def test_too_many_and_too_large_figures_are_named(place: Local) -> None:
    pytest.importorskip("matplotlib")
    (many, large), host = run(
        place,
        PLOT + "plt.rcParams['figure.max_open_warning'] = 0\n"
        "for i in range(22):\n    plt.figure(figsize=(1, 1))\n    plt.plot([i])",
        "plt.figure(figsize=(300, 100))\nplt.plot([1, 2])",
    )
    assert len(many.figures) == 20
    assert "only the first 20 figures are kept" in host.text
    (figure,) = large.figures
    assert max(figure.width, figure.height) <= 2000


def test_a_table_is_its_first_rows_and_its_size(place: Local) -> None:
    pytest.importorskip("pandas")
    (outcome,), _ = run(
        place,
        "import pandas as pd\n"
        "f = pd.DataFrame({'region': ['w', 'e'] * 700, 'n': range(1400), 'x': [1.5, None] * 700})\n"
        "display(f.groupby('region')['n'].sum())\nf",
    )
    total, whole = outcome.tables
    assert [column.name for column in total.columns] == ["region", "n"]
    assert (total.index, total.rows) == (1, (("e", 490000), ("w", 489300)))
    assert (whole.row_count, whole.column_count, whole.index) == (1400, 3, 0)
    assert len(whole.rows) == 20
    assert whole.rows[1] == ("e", 1, {"$float": "nan"})
    assert [column.type for column in whole.columns][1:] == ["int64", "float64"]
    assert outcome.shown is None


def test_odd_tables_come_as_text(place: Local) -> None:
    pytest.importorskip("pandas")
    (outcome,), _ = run(
        place,
        "import pandas as pd, numpy as np, decimal\n"
        "class Odd:\n    def __str__(self): raise ValueError\n    __repr__ = __str__\n"
        "cells = [pd.Timestamp('2025-01-31'), pd.NaT, decimal.Decimal('1.50'), b'x', {'a': 1},"
        " 'y' * 900, Odd(), '\\udc80', np.float32(0.5), 2**70]\n"
        "f = pd.DataFrame([cells] * 2, columns=pd.MultiIndex.from_tuples("
        "[('a', n) for n in range(10)]), index=pd.MultiIndex.from_tuples([('i', 1), ('i', 2)]))\n"
        "f",
    )
    assert outcome.status == "done", outcome
    (table,) = outcome.tables
    row: Any = table.rows[0]
    assert table.index == 2
    assert [column.name for column in table.columns[:3]] == ["", "", "a / 0"]
    assert row[:7] == ("i", 1, "2025-01-31 00:00:00", None, "1.50", "b'x'", "{'a': 1}")
    assert len(row[7]) < 300
    assert row[8:] == ("<Odd whose repr fails: ValueError>", "\\udc80", 0.5, {"$int": str(2**70)})


def test_a_long_value_is_its_size_and_the_way_to_a_part(place: Local) -> None:
    pytest.importorskip("numpy")
    rows = shown(place, "rows = [{'id': n, 'name': 'x' * 200} for n in range(12_034)]\nrows")
    assert rows is not None
    assert rows.startswith("list of 12,034 dicts, about 2.7 MB as text; look at a part: rows[:5]\n")
    assert len(rows) < 700
    text = shown(place, "'ab\\n' * 5000")
    assert text is not None
    assert text.startswith("text of 15,000 characters, 5,001 lines; look at a part: _[:1000]")
    array = shown(place, "import numpy as np\nnp.zeros((1000, 3))")
    assert array is not None
    assert array.startswith("array of 1,000 x 3, float64, 24.0 kB; look at a part: _[:5]")
    entries = shown(place, "{n: str(n) for n in range(5000)}")
    assert entries is not None
    assert "look at a part: list(_.items())[:5]" in entries
    assert shown(place, "[1, 'two']") == "[1, 'two']"


def test_the_last_value_stays_as_an_underscore(place: Local) -> None:
    outcomes, host = run(place, "list(range(9))", "print(_[:2])", "_ = 'mine'", "5", "print(_)")
    assert [outcome.status for outcome in outcomes] == ["done"] * 5
    assert host.text == "[0, 1]\nmine\n"
