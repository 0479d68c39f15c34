"""`actum bench thread`: what it says, from a run of it that is as short as it can be."""

import json
from typing import Any

import pytest

from actum.bench.probed_zygote import OF_THE_ZYGOTE, POINTS
from actum.cli.bench import aligned, number
from actum.cli.main import main

SEED = 7
SET_UP = 3


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    code = main(["bench", "thread", "--rounds", "1", "--seed", str(SEED), "--json"])
    said = capsys.readouterr()
    if code == SET_UP and "wall" in said.err:
        pytest.skip("this machine can hold no program")
    assert code == 0, said.err
    return json.loads(said.out)


# It starts nine interpreters, some of which load pandas.
@pytest.mark.timeout(180)
def test_it_says_figures_with_ratios_where_they_come_from_and_where_opening_spends_its_time(
    report: dict[str, Any],
) -> None:
    assert (report["bench"], report["rounds"], report["seed"]) == ("thread", 1, SEED)
    assert set(report["load"]) == {"before", "after"}
    assert {"actum", "python", "msgspec", "pydantic-monty"} <= set(report["versions"])

    figures = {figure["what"]: figure for figure in report["figures"]}
    kinds = report["opening"]
    bare = [kind for kind in kinds if kind.endswith(", bare")]
    assert bare
    assert {f"open: {kind}" for kind in kinds} <= set(figures)
    for kind in bare:
        assert figures[f"open: {kind}"]["base"] == "raw fork: bare"
        assert figures[f"open: {kind}"]["verdict"] in {"met", "missed"}
        assert figures[f"processor time of a loop: {kind}"]["ratio"] > 0
        assert {f"call: {kind}", f"write, on the disk: {kind}", f"round trip: {kind}"} <= set(
            figures
        )

    # At level `landlock` there are no namespaces to make.
    not_everywhere = {"own mounts", "own user namespace", "tied to the zygote"}
    steps = {step for point in POINTS for step in point[2:] if step} | set(OF_THE_ZYGOTE)
    for told in kinds.values():
        assert steps - not_everywhere - {"answer sent"} <= {step["step"] for step in told}


def test_an_unknown_bench_is_a_mistake_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "everything"]) == 2
    assert "thread" in capsys.readouterr().err


def test_a_table_keeps_words_left_and_numbers_right() -> None:
    rows = [("what", "p50", "p95", "", "ratio"), ("open", "1.00", "12.00", "ms", "2")]
    assert aligned(rows, numbers={1, 2, 4}) == [
        "what   p50    p95      ratio",
        "open  1.00  12.00  ms      2",
    ]


def test_a_number_has_the_digits_that_say_something() -> None:
    assert [number(value) for value in (1234.5, 12.345, 0.0123)] == ["1234", "12.35", "0.0123"]
