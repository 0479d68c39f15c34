"""Types of every kind: schemas, data as values of them, and values as data."""

import datetime
import decimal
import enum
import pathlib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, TypedDict

import msgspec
import numpy as np
import pandas as pd
import pydantic
import pytest

from actum.tools.hints import as_data, convert, schema_of
from actum.tools.mistakes import DoesNotFit


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Cat:
    name: str
    lives: int = 9


@dataclass
class Dog:
    name: str
    breed: str = "none"


@dataclass
class Home:
    pets: list[Cat | Dog] = field(default_factory=list[Cat | Dog])


class Note(TypedDict):
    text: str
    at: NotRequired[datetime.date | str]


class Point(NamedTuple):
    x: int
    y: int


class Order(msgspec.Struct, rename="camel"):
    order_id: int
    pet: Cat | Dog


class User(pydantic.BaseModel):
    name: str
    age: Annotated[int, pydantic.Field(gt=0, description="in years")] = 3
    tags: list[str] = []


@dataclass
class Team:
    lead: User
    others: list[User] = field(default_factory=list[User])


Number = NewType("Number", int)
DAY = datetime.date(2026, 1, 2)

FITS: list[tuple[Any, object, object]] = [
    (int, 3, 3),
    (float, 3, 3.0),
    (bytes, b"\0a", b"\0a"),
    (int | None, None, None),
    (Literal["a", 3], 3, 3),
    (Colour, "red", Colour.RED),
    (datetime.date, "2026-01-02", DAY),
    (decimal.Decimal, "1.50", decimal.Decimal("1.50")),
    (uuid.UUID, str(uuid.UUID(int=5)), uuid.UUID(int=5)),
    (pathlib.Path, "a/b", pathlib.Path("a/b")),
    (set[int], [1, 2], {1, 2}),
    (tuple[int, str], [1, "a"], (1, "a")),
    (dict[int, str], {"1": "a"}, {1: "a"}),
    (dict[int, str], {1: "a"}, {1: "a"}),
    (Sequence[int], [1], [1]),
    (Mapping[str, int], {"a": 1}, {"a": 1}),
    (Iterator[int], [1, 2], [1, 2]),
    (Number, 4, 4),
    (Any, {"x": [1]}, {"x": [1]}),
    (object, "x", "x"),
    (Point, [1, 2], Point(1, 2)),
    (Cat, {"name": "tom"}, Cat("tom")),
    (Home, {"pets": [{"name": "a", "lives": 1}, {"name": "b", "breed": "x"}]}, Home([Cat("a", 1), Dog("b", "x")])),
    (Note, {"text": "x", "at": "2026-01-02"}, {"text": "x", "at": DAY}),
    (str | datetime.date, "2026-01-02", "2026-01-02"),
    (list[int] | list[str], ["a"], ["a"]),
    (Order, {"orderId": 1, "pet": {"name": "c"}}, Order(1, Cat("c"))),
    (User, {"name": "ann"}, User(name="ann")),
    (list[User | int], [1, {"name": "ann"}], [1, User(name="ann")]),
    (Team, {"lead": {"name": "ann"}}, Team(User(name="ann"))),
    (Annotated[int, pydantic.Field(ge=3)], 3, 3),
    (Annotated[int, msgspec.Meta(ge=3)], 3, 3),
]  # fmt: skip

DOES_NOT_FIT: list[tuple[Any, object, str]] = [
    (int, "3", ""),
    (int, 3.5, ""),
    (list[int], [1, "x"], "[1]"),
    (dict[str, list[int]], {"a": [1, "x"]}, ".a[1]"),
    (list[tuple[int, str]], [[1, 2]], "[0][1]"),
    (Cat, {"name": 3}, ".name"),
    (Home, {"pets": [{"name": "a"}, {"name": 5}]}, ".pets[1].name"),
    (Note, {"at": "x"}, ""),
    (Order, {"orderId": "1", "pet": {"name": "c"}}, ".orderId"),
    (User, {"name": "ann", "age": "5"}, ".age"),
    (list[User], [{"name": "ann"}, {"name": 3}], "[1].name"),
    (Team, {"lead": {"name": "ann"}, "others": [{"name": 1}]}, ".others[0].name"),
    (Annotated[int, pydantic.Field(gt=3)], 3, ""),
    (Annotated[int, msgspec.Meta(gt=3)], 3, ""),
    (Colour, "blue", ""),
]


@pytest.mark.parametrize(("hint", "data", "value"), FITS, ids=str)
def test_data_becomes_a_value_of_its_type(hint: Any, data: object, value: object) -> None:
    assert convert(data, hint) == value
    assert isinstance(schema_of(hint), dict)


@pytest.mark.parametrize(("hint", "data", "place"), DOES_NOT_FIT, ids=str)
def test_what_does_not_fit_is_named_by_its_place(hint: Any, data: object, place: str) -> None:
    with pytest.raises(DoesNotFit) as told:
        convert(data, hint)
    assert told.value.path == place
    assert str(told.value).startswith(f"value{place}: ")


@pytest.mark.parametrize(("hint", "data", "value"), FITS, ids=str)
def test_a_value_goes_out_as_data_and_comes_back_the_same(
    hint: Any, data: object, value: object
) -> None:
    if hint is bytes:
        assert as_data(value) == {"$bytes": "AGE="}
    elif hint == dict[int, str]:
        assert as_data(value) == {"$pairs": [[1, "a"]]}
    else:
        assert convert(as_data(value), hint) == value


def test_a_schema_says_what_is_required_and_what_a_field_means() -> None:
    schema: Any = schema_of(User)
    assert schema["required"] == ["name"]
    assert schema["properties"]["age"]["description"] == "in years"
    home: Any = schema_of(Home)
    assert home["$defs"]["Cat"]["required"] == ["name"]
    assert len(home["$defs"]["Home"]["properties"]["pets"]["items"]["anyOf"]) == 2


def test_all_that_is_wrong_with_a_model_is_told_at_once() -> None:
    with pytest.raises(DoesNotFit, match=r"name: .*; age: "):
        convert({"name": 1, "age": -1}, User)


@pytest.mark.parametrize("hint", [Callable[[], int], complex, type(lambda: 0)], ids=str)
def test_what_is_no_data_has_no_schema(hint: Any) -> None:
    with pytest.raises(TypeError):
        schema_of(hint)


class Opaque:
    pass


def test_results_of_the_usual_libraries_are_data() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert as_data(frame) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    assert as_data({"n": np.int64(3), "all": np.arange(2)}) == {"n": 3, "all": [0, 1]}
    assert as_data([User(name="ann"), Colour.RED]) == [
        {"name": "ann", "age": 3, "tags": []},
        "red",
    ]


def test_what_is_no_data_is_refused_in_words() -> None:
    loop: list[object] = []
    loop.append(loop)
    for value in (Opaque(), [Opaque()], (n for n in [1]), print, loop):
        with pytest.raises(TypeError, match=r"no data|contains itself"):
            as_data(value)
