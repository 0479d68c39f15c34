"""Figures are taken by turns, and compared with what they are to be compared with."""

import asyncio

from actum.bench.measuring import Figure, Measure, figure_of, take_turns
from actum.bench.report import Line, result_of


def measured(rounds: int, seed: int) -> tuple[list[str], dict[str, Figure]]:
    order: list[str] = []

    def one(name: str, every: int) -> Measure:
        async def once() -> float:
            order.append(name)
            return float(len(order))

        return Measure(what=name, once=once, every=every)

    measures = [one("a", 1), one("b", 1), one("c", 1), one("seldom", 5)]
    return order, asyncio.run(take_turns(measures, rounds, seed))


def test_each_thing_is_done_once_a_round_and_the_first_round_is_not_counted() -> None:
    order, figures = measured(rounds=9, seed=1)
    assert sorted(order[:3]) == ["a", "b", "c"]
    assert sorted(order[3:7]) == ["a", "b", "c", "seldom"]
    assert figures["a"].samples == 9
    assert order.count("a") == 10


def test_what_takes_long_is_done_seldom_and_at_least_once() -> None:
    assert measured(rounds=1, seed=1)[1]["seldom"].samples == 1
    assert measured(rounds=9, seed=1)[1]["seldom"].samples == 2


def test_the_same_seed_gives_the_same_order() -> None:
    assert measured(rounds=5, seed=7)[0] == measured(rounds=5, seed=7)[0]
    assert measured(rounds=5, seed=7)[0] != measured(rounds=5, seed=8)[0]


def test_a_figure_is_the_best_the_middle_and_what_nineteen_of_twenty_stay_below() -> None:
    figure = figure_of([float(number) for number in range(100)])
    assert (figure.best, figure.p50, figure.p95, figure.samples) == (0.0, 49.5, 95.0, 100)


def fixed(value: float) -> Figure:
    return Figure(best=value, p50=value, p95=value, samples=1)


def test_a_ratio_is_held_against_its_bound() -> None:
    line = Line(what="ours", base="theirs", most=2)
    met = result_of(line, {"ours": fixed(4), "theirs": fixed(2)})
    missed = result_of(line, {"ours": fixed(5), "theirs": fixed(2)})
    assert met is not None
    assert missed is not None
    assert (met.ratio, met.verdict) == (2.0, "met")
    assert (missed.ratio, missed.verdict) == (2.5, "missed")


def test_without_its_base_a_figure_has_no_verdict() -> None:
    result = result_of(Line(what="ours", base="theirs", most=2), {"ours": fixed(4)})
    assert result is not None
    assert (result.ratio, result.base, result.verdict) == (None, None, "")


def test_a_bound_without_a_base_is_one_of_the_figure_itself() -> None:
    result = result_of(Line(what="ours", most=3, unit="MB"), {"ours": fixed(4)})
    assert result is not None
    assert (result.target, result.verdict) == ("<= 3 MB", "missed")
