"""The small parts: streams cut anywhere, waits, prices, names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actum.models.call_pieces import CallPieces
from actum.models.contract import NativeTool
from actum.models.history import fits_strict
from actum.models.prices import PRICES, known_price, price
from actum.models.providers import PROVIDERS
from actum.models.retries import Retries, asked_wait
from actum.models.scripted import replies_in
from actum.models.server_sent_events import EventReader
from actum.models.tool_names import ToolNames, allowed_name
from actum.records.messages import Usage
from actum.records.values import JSON

LINES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=40)


@given(
    events=st.lists(st.lists(LINES, min_size=1, max_size=3), max_size=5),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    size=st.integers(1, 50),
)
def test_events_are_the_same_however_the_bytes_are_cut(
    events: list[list[str]], ending: str, size: int
) -> None:
    text = ""
    for lines in events:
        text += f": remark{ending}event: e{ending}"
        text += "".join(f"data: {line}{ending}" for line in lines) + ending
    content = text.encode()
    reader = EventReader()
    found: list[bytes] = []
    for at in range(0, len(content), size):
        found += reader.feed(content[at : at + size])
    found += reader.close()
    assert found == ["\n".join(lines).encode() for lines in events]


def test_a_last_event_without_its_empty_line_is_read() -> None:
    reader = EventReader()
    assert [*reader.feed(b"data: 1\n\ndata: 2"), *reader.close()] == [b"1", b"2"]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["index", "id", "function"]),
            st.recursive(
                st.none() | st.integers(-1, 3) | st.sampled_from(["", "a", "b"]),
                lambda inner: st.dictionaries(
                    st.sampled_from(["name", "arguments"]), inner, max_size=2
                ),
                max_leaves=4,
            ),
        ),
        max_size=8,
    )
)
def test_pieces_of_calls_never_raise_and_ids_are_unique(pieces: list[dict[str, JSON]]) -> None:
    calls = CallPieces()
    for piece in pieces:
        calls.take(piece)
    ids = [call.id for call, _ in calls.whole(3)]
    assert len(set(ids)) == len(ids)
    assert "" not in ids


def test_waits_double_up_to_a_limit_and_leave_half_to_chance() -> None:
    retries = Retries(attempts=9, first=1, most=10)
    assert [retries.wait(n, None, 1.0) for n in range(1, 7)] == [1, 2, 4, 8, 10, 10]
    assert retries.wait(1, None, 0.0) == 0.5
    assert retries.wait(9, None, 1.0) is None


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 50.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:10 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
    ],
)
def test_a_wait_is_read_in_every_form(headers: dict[str, str], wait: float | None) -> None:
    assert asked_wait(headers, now=50.0) == wait


def test_a_price_counts_the_cache_and_the_long_request() -> None:
    used = Usage(input_tokens=10_000, cached_tokens=8_000, output_tokens=1_000)
    cost = price("anthropic:claude-sonnet-5-5", used, cache_write_tokens=1_000)
    assert cost == pytest.approx((1_000 * 2 + 8_000 * 0.1 + 1_000 * 2.5 + 1_000 * 10) / 1e6)
    long = Usage(input_tokens=300_000, output_tokens=1_000)
    assert price("openai:gpt-6.1-sol", long) == pytest.approx((300_000 * 4 + 1_000 * 15) / 1e6)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("openai:gpt-4.1-2025-04-14", True),
        ("anthropic:claude-haiku-4-5-20251001", True),
        ("openai:something-new", False),
        ("openrouter:gpt-4.1", False),
        ("http://127.0.0.1:8000/v1#m", False),
    ],
)
def test_an_unknown_price_is_not_guessed(name: str, known: bool) -> None:
    assert (known_price(name) is not None) == known


@pytest.mark.parametrize("name", ["scripted", "scripted:f.txt", "manual", "ollama:qwen3:8b"])
def test_what_costs_nothing_costs_nothing(name: str) -> None:
    assert price(name, Usage(input_tokens=1_000_000)) == 0.0


def test_default_models_of_makers_have_a_price() -> None:
    for provider in PROVIDERS:
        if provider.name in (
            "anthropic",
            "openai",
            "openai-responses",
            "gemini",
            "deepseek",
            "xai",
        ):
            assert provider.default_model in PRICES


@given(st.lists(st.text(max_size=80), unique=True, max_size=12))
def test_names_of_tools_go_there_and_back(names: list[str]) -> None:
    tools = [NativeTool(name=name, description="", schema={}) for name in names]
    there = ToolNames(tools)
    sent = [there.there(name) for name in names]
    assert len(set(sent)) == len(sent)
    assert [there.back(name) for name in sent] == names
    assert all(allowed_name(name) == name and len(name) <= 64 for name in sent)


@pytest.mark.parametrize(
    ("text", "replies"),
    [
        ("", ()),
        ("one", ("one",)),
        ("one\n", ("one",)),
        ("one\n\n---\n two \n--- \nthree", ("one\n", " two ", "three")),
        ("one\n---\n", ("one",)),
        ("---\ntwo", ("", "two")),
        ("a --- b\n----\n", ("a --- b\n----",)),
    ],
)
def test_a_script_is_cut_at_its_separators(text: str, replies: tuple[str, ...]) -> None:
    assert replies_in(text) == replies


def test_only_closed_schemas_are_held_strictly() -> None:
    closed: dict[str, JSON] = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "string"}}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert fits_strict(closed)
    assert not fits_strict({**closed, "required": []})
    assert not fits_strict({**closed, "properties": {"a": {"type": "object"}}})
