"""Random signatures and values: through validation and the tool and back, or the same error."""

import asyncio
import datetime
import inspect
import json
from collections.abc import Callable
from typing import Any, Literal, TypedDict

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from actum.errors import BadArguments
from actum.records.calls import ToolAnswer
from actum.records.values import mark, unmark
from actum.tools.hints import as_data, convert
from actum.tools.python_functions import PythonFunctions

Typed = tuple[Any, st.SearchStrategy[Any]]


class Row(TypedDict):
    key: str
    count: int


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LEAVES: list[Typed] = [
    (int, st.integers()),
    (float, st.floats(allow_nan=False)),
    (str, TEXT),
    (bool, st.booleans()),
    (bytes, st.binary(max_size=8)),
    (None, st.none()),
    (Literal["a", "b"], st.sampled_from(["a", "b"])),
    (datetime.date, st.dates()),
    (datetime.datetime, st.datetimes()),
    (Row, st.fixed_dictionaries({"key": TEXT, "count": st.integers()})),
]


def around(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    """Types that hold others."""
    return st.one_of(
        inner.map(lambda t: (list[t[0]], st.lists(t[1], max_size=3))),
        inner.map(lambda t: (dict[str, t[0]], st.dictionaries(TEXT, t[1], max_size=3))),
        inner.map(lambda t: (dict[int, t[0]], st.dictionaries(st.integers(), t[1], max_size=3))),
        inner.map(lambda t: (tuple[t[0], int], st.tuples(t[1], st.integers()))),
        inner.map(lambda t: (t[0] | None, st.one_of(st.none(), t[1])) if t[0] is not None else t),
    )


TYPES = st.recursive(st.sampled_from(LEAVES), around, max_leaves=4)


def across(value: object) -> Any:
    """What the other side of the wire sees of a value."""
    return unmark(json.loads(json.dumps(value)))


def do(tools: PythonFunctions, arguments: dict[str, object]) -> object:
    """Check a call and carry it out."""
    checked = tools.check("echo", (), arguments)
    answer = asyncio.run(tools.call("echo", checked, "key"))
    assert isinstance(answer, ToolAnswer), answer
    return answer.value


@given(data=st.data())
def test_values_of_a_type_come_back_unchanged(data: st.DataObject) -> None:
    hint, values = data.draw(TYPES)
    value = data.draw(values)

    def echo(it: Any) -> Any:
        seen.append(it)
        return it

    seen: list[object] = []
    echo.__annotations__ = {"it": hint, "return": hint}
    back = do(PythonFunctions([echo]), {"it": across(as_data(value))})
    assert seen == [value]
    assert convert(across(back), hint) == value


@given(data=st.data())
def test_a_value_of_another_type_is_refused_and_the_argument_named(data: st.DataObject) -> None:
    (hint, _), (_, others) = data.draw(TYPES), data.draw(TYPES)
    value = across(as_data(data.draw(others)))
    try:
        convert(value, hint)
    except ValueError:
        pass
    else:
        assume(condition=False)

    def echo(the_argument: Any) -> None:
        raise AssertionError(the_argument)

    echo.__annotations__ = {"the_argument": hint}
    with pytest.raises(BadArguments, match="the_argument"):
        PythonFunctions([echo]).check("echo", (), {"the_argument": value})


NAMES = ["a", "b", "c", "d", "e", "f"]


@st.composite
def functions(draw: st.DrawFn) -> Callable[..., Any]:
    """A function with parameters of every kind, which returns what it was given."""
    either, keywords = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    plain = draw(st.integers(0, either))
    parts = [name if n < plain else f"{name}={n}" for n, name in enumerate(NAMES[:either])]
    more, rest = draw(st.booleans()), draw(st.booleans())
    if more:
        parts.append("*more")
    elif keywords:
        parts.append("*")
    parts += [n if draw(st.booleans()) else f"{n}=0" for n in NAMES[3 : 3 + keywords]]
    if rest:
        parts.append("**rest")
    scope: dict[str, Any] = {}
    names = "".join(f"'{p.split('=')[0]}': {p.split('=')[0]}, " for p in parts if p[0] != "*")
    ends = ("'more': list(more), " if more else "") + ("'rest': rest" if rest else "")
    exec(f"def echo({', '.join(parts)}):\n    return {{{names}{ends}}}", scope)
    return scope["echo"]


@given(
    function=functions(),
    args=st.lists(st.integers(), max_size=4),
    kwargs=st.dictionaries(st.sampled_from(NAMES), st.integers(), max_size=3),
)
def test_a_call_fits_exactly_where_a_direct_call_does(
    function: Callable[..., Any], args: list[object], kwargs: dict[str, object]
) -> None:
    tools = PythonFunctions([function])
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        with pytest.raises(BadArguments):
            tools.check("echo", args, kwargs)
        return
    checked = tools.check("echo", args, kwargs)
    answer = asyncio.run(tools.call("echo", checked, "key"))
    assert answer == ToolAnswer(value=mark(function(*args, **kwargs)))
    # By name alone it is the same call: so a person edits it, and so JSON makes it.
    assert tools.check("echo", (), checked) == checked
