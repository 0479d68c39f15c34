"""Libraries that ask the machine for time or randomness behind Python's back."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.guest.harness import STARTED, Guest

Open = Callable[..., Guest]

SQL = """
import sqlite3
one = sqlite3.connect(":memory:")
one.execute("create table t (x, at default current_timestamp)")
one.execute("insert into t (x) values (1)")
rows = [one.execute("select " + what).fetchone()[0] for what in (
    "random()", "hex(randomblob(8))", "current_timestamp", "current_date", "current_time",
    "datetime('now')", "date()", "strftime('%Y-%m-%d %H:%M', 'now', '+1 day')", "julianday('now')",
    "date('2025-01-31', '+1 month')",
)]
[rows, one.execute("select at from t").fetchone(), one.execute("select x from t order by random()").fetchall()]
"""


def test_sqlite_has_our_clock_and_our_entropy(open_guest: Open, python: str) -> None:
    first = open_guest(python=python).run(SQL)
    assert first.outcome["status"] == "done", first.outcome
    rows, created, _ = first.outcome["value"]
    assert rows[2:8] == [
        "2025-06-15 15:06:40", "2025-06-15", "15:06:40",
        "2025-06-15 15:06:40", "2025-06-15", "2025-06-16 15:06",
    ]  # fmt: skip
    assert rows[9] == "2025-03-03"
    assert created == ["2025-06-15 15:06:40"]
    assert open_guest(python=python).run(SQL).transcript == first.transcript


def test_pandas_and_numpy_are_born_on_the_virtual_clock(open_guest: Open) -> None:
    pytest.importorskip("pandas")
    source = (
        "import numpy as np, pandas as pd\n"
        "f = pd.DataFrame(np.random.rand(50, 2), columns=['a', 'b'])\n"
        "(pd.Timestamp.now().timestamp(), pd.to_datetime('today').timestamp(),"
        " np.random.default_rng().random(), np.random.rand(), f.sample(3).index.tolist())"
    )
    options: dict[str, Any] = {"preload": ("numpy", "pandas")}
    first = open_guest(**options).run(source)
    assert first.outcome["status"] == "done", first.outcome
    assert first.outcome["value"][0] == pytest.approx(STARTED / 1e9, abs=1)
    assert open_guest(**options).run(source).transcript == first.transcript


def test_the_programs_own_seed_holds_over_steps(open_guest: Open) -> None:
    pytest.importorskip("numpy")
    guest = open_guest(preload=("numpy",))
    guest.run("import numpy as np\nnp.random.seed(42)\nx = np.random.rand()")
    value = guest.run("np.random.rand()").outcome["value"]
    assert value == pytest.approx(0.9507143064162014)


@pytest.mark.timeout(120)
def test_figures_repeat_byte_by_byte(open_guest: Open) -> None:
    pytest.importorskip("matplotlib")
    source = (
        "import matplotlib\nmatplotlib.use('svg')\nimport matplotlib.pyplot as plt, io, hashlib\n"
        "plt.plot([1, 2, 3])\nout = io.BytesIO()\nplt.savefig(out, format='svg')\n"
        "hashlib.sha256(out.getvalue()).hexdigest()"
    )
    values = [open_guest(preload=("numpy",)).run(source).outcome.get("value") for _ in range(2)]
    assert values[0] is not None
    assert values[0] == values[1]
