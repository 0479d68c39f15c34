"""How a type is read: by msgspec, by pydantic, or taken apart one level at a time."""

import collections.abc
import pathlib
import typing
from functools import lru_cache
from typing import Any, Literal, cast

import msgspec

from actum.tools import pydantic_types

Way = Literal["msgspec", "pydantic", "parts"]
ITERABLES: set[object] = {
    collections.abc.Iterable,
    collections.abc.Iterator,
    collections.abc.Generator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncIterator,
    collections.abc.AsyncGenerator,
}
SEQUENCES: set[object] = {
    list,
    set,
    frozenset,
    collections.abc.Sequence,
    collections.abc.Collection,
    *ITERABLES,
}
MAPPINGS: set[object] = {dict, collections.abc.Mapping, collections.abc.MutableMapping}


def way_of(hint: object) -> Way:
    """Who can read this type."""
    try:
        return _known_way(cast("collections.abc.Hashable", hint))
    except TypeError as error:
        if "unhashable" in str(error):
            return _find_way(hint)
        raise


def _find_way(hint: object) -> Way:
    if pydantic_types.takes(hint):
        return "pydantic"
    if typing.get_origin(hint) in ITERABLES:
        return "parts"
    try:
        msgspec.json.Decoder(cast("Any", hint))
    except TypeError:
        return "parts"
    return "msgspec"


_known_way = lru_cache(maxsize=4096)(_find_way)


def is_path(kind: object) -> bool:
    """Whether it is a type of paths."""
    return isinstance(kind, type) and issubclass(kind, pathlib.PurePath)
