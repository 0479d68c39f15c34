"""Search: what is found, in which order, and what is read anew after a change."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from actum.catalog.search import SearchIndex
from actum.records.tools import Parameter, ToolSpec
from tests.catalog.sources import catalog_of, spec

TOOLS = [
    spec("stripe.refunds.create", "Refund a payment, in whole or in part."),
    spec("stripe.payments.list", "Lists payments, newest first."),
    spec("github.createIssue", "Open an issue in a repository."),
    spec("github.deleteBranch", "Remove a branch."),
    spec("mail.send", "Send a mail.", parameters=(Parameter(name="recipient"),)),
    spec("weather.forecast", "The weather of the coming days in a city."),
]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("refund a payment", "stripe.refunds.create"),
        ("how do I give a customer a refund?", "stripe.refunds.create"),
        ("list the payments", "stripe.payments.list"),
        ("new github issues", "github.createIssue"),
        ("erase a branch", "github.deleteBranch"),
        ("recipients", "mail.send"),
        ("forecasting", "weather.forecast"),
        ("wether", "weather.forecast"),
        ("MAIL", "mail.send"),
    ],
)
def test_words_find_the_tool(words: str, name: str) -> None:
    assert catalog_of(*TOOLS).search(words)[0].name == name


def test_a_hit_says_what_a_program_needs() -> None:
    (hit, *_) = catalog_of(*TOOLS).search("send mail", limit=1)
    assert (hit.signature, hit.summary) == ("mail.send(recipient)", "Send a mail.")
    assert (hit.effect, hit.source) == ("read", "")
    assert hit.score > 0


def test_nothing_is_found_by_words_that_say_nothing() -> None:
    catalog = catalog_of(*TOOLS)
    for words in ("", "the of and", "qqqqqqq", "?!", "x" * 10_000):
        assert catalog.search(words) == []


def test_the_order_does_not_depend_on_the_order_of_sources() -> None:
    forth = catalog_of(*TOOLS).search("payment branch mail weather")
    back = catalog_of(*reversed(TOOLS)).search("payment branch mail weather")
    assert forth == back


def test_one_changed_tool_is_read_alone() -> None:
    index = SearchIndex()
    assert index.update(TOOLS) == len(TOOLS)
    assert index.update(TOOLS) == 0
    changed = [*TOOLS[:-1], spec("weather.forecast", "Tides and waves.")]
    assert index.update(changed) == 1
    assert index.search("tides", 5)[0][0] == "weather.forecast"
    assert index.search("city", 5) == []
    fresh = SearchIndex()
    fresh.update(changed)
    for words in ("payment", "list the payments", "tides of the branch"):
        assert index.search(words, 5) == fresh.search(words, 5)
    assert index.update(TOOLS[:2]) == 0
    assert index.search("mail", 5) == []


def test_what_was_read_is_kept_by_its_content(tmp_path: Path) -> None:
    path = str(tmp_path / "cache" / "index")
    assert SearchIndex(path).update(TOOLS) == len(TOOLS)
    again = SearchIndex(path)
    assert again.update([*TOOLS, spec("tides.next", "High water.")]) == 1
    assert again.search("mail", 1)[0][0] == "mail.send"


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"\x82\xa6format\x63\xa9documents\x80"])
def test_a_broken_cache_costs_only_time(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "index"
    path.write_bytes(content)
    assert SearchIndex(str(path)).update(TOOLS) == len(TOOLS)
    assert SearchIndex(str(path)).update(TOOLS) == 0


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert SearchIndex(str(tmp_path / "file" / "index")).update(TOOLS) == len(TOOLS)


def test_a_ranking_of_the_users_own_is_joined_with_ours() -> None:
    asked: list[str] = []

    def rank(words: str, tools: Sequence[ToolSpec]) -> list[str]:
        asked.append(words)
        assert len(tools) == len(TOOLS)
        return ["weather.forecast", "no.such.tool"]

    hits = catalog_of(*TOOLS, rank=rank).search("send mail", limit=2)
    assert {hit.name for hit in hits} == {"mail.send", "weather.forecast"}
    assert asked == ["send mail"]


def test_a_search_while_the_index_is_built_waits_for_it() -> None:
    catalog = catalog_of(*(spec(f"m.f{n}", f"Does the thing number{n}.") for n in range(2000)))
    catalog.prepare()
    found: list[str] = []

    def look(number: int) -> None:
        found.append(catalog.search(f"number{number}")[0].name)

    threads = [threading.Thread(target=look, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {f"m.f{n}" for n in range(8)}
