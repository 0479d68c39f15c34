"""What JSON has no word for crosses as a mark and comes back."""

import datetime
import math
from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from actum.records.values import BlobRef, blob_ref, mark, unmark
from tests.journal.bodies import TEXT, VALUES

KEYS = st.none() | st.booleans() | st.integers() | TEXT | st.binary() | st.tuples(TEXT, TEXT)
DATA = st.recursive(
    VALUES | st.binary() | st.floats() | st.integers(-(2**200), 2**200),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(KEYS, parts, max_size=3)
        | st.dictionaries(st.sampled_from(["$bytes", "$int", "$pairs", "$blob", "$x", "a"]), parts)
    ),
    max_leaves=8,
)


def same(one: object, other: object) -> bool:
    """Equal in value and type; a number that is none equals itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if isinstance(one, list):
        items, others = cast("list[object]", one), cast("list[object]", other)
        return len(items) == len(others) and all(map(same, items, others))
    if isinstance(one, dict):
        fields, fellows = cast("dict[object, object]", one), cast("dict[object, object]", other)
        keys_agree = list(map(repr, fields)) == list(map(repr, fellows))
        return keys_agree and all(map(same, fields.values(), fellows.values()))
    return one == other


@given(DATA)
def test_data_comes_back_from_its_json_as_it_was(value: object) -> None:
    text = msgspec.json.encode(mark(value))
    assert same(unmark(msgspec.json.decode(text)), value)


def test_a_value_without_anything_to_mark_is_the_same_object() -> None:
    value = {"rows": [{"name": "é", "amount": 1.5}], "none": None}
    assert mark(value) is value
    assert unmark(mark(value)) is value


def test_a_tuple_comes_back_as_a_list_and_as_a_key_stays_a_tuple() -> None:
    assert unmark(mark((1, (2, 3)))) == [1, [2, 3]]
    assert unmark(mark({(1, 2): "x"})) == {(1, 2): "x"}


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"items": [1, 2, 3, {"when": datetime.date(2026, 1, 1)}]}, "value.items[3].when: a date"),
        ({"a b": object()}, "value['a b']: an object"),
        ([{1: {2}}], "value[0][1]: a set"),
        ({"text": "\udc80"}, "value.text: this text is not Unicode"),
    ],
)
def test_what_does_not_cross_is_named_with_its_place(value: object, place: str) -> None:
    with pytest.raises(TypeError) as error:
        mark(value)
    assert str(error.value).startswith(place)


def test_a_value_that_contains_itself_does_not_cross() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(TypeError, match="contains itself"):
        mark(value)


def test_a_blob_is_loaded_by_whoever_can() -> None:
    reference = blob_ref(b"content")
    marked = {"file": {"$blob": msgspec.to_builtins(reference)}}
    loaded: list[BlobRef] = []

    def load(blob: BlobRef) -> object:
        loaded.append(blob)
        return b"content"

    assert unmark(marked, load) == {"file": b"content"}
    assert loaded == [reference]
    assert unmark(marked) is marked


@pytest.mark.parametrize(
    "text",
    ['{"$bytes":5}', '{"$bytes":"?"}', '{"$int":"x"}', '{"$pairs":[1]}', '{"$pairs":[[{},1]]}'],
)
def test_a_mark_that_says_nothing_is_refused(text: str) -> None:
    mark_of_nothing = msgspec.json.decode(text)
    with pytest.raises(ValueError, match="says nothing"):
        unmark(mark_of_nothing)
