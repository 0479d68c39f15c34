"""What a user hands in with a task, as bytes that a record keeps and a session begins with."""

import builtins
import keyword
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from actum.errors import NoSuchFile, UserMistake
from actum.journal.contract import Store
from actum.records.run_events import GivenRecord, RunStart
from actum.records.sessions import Given, GivenKind
from actum.records.values import JSON, mark

LARGEST = 256 << 20
LENGTH = 4
KEYS_SHOWN = 6
OF_NUMPY = "biufcmM"
RESERVED = ("finish", "display", "tools")
OF_THE_FOLDER = ("", "..", "out", ".tmp", ".shm")
Described = tuple[GivenKind, bytes, str]
"""Kind, content, and what the model is told of it."""


class HandedIn(msgspec.Struct, frozen=True):
    """One of them, with its description."""

    given: Given
    summary: str


def handed_in(inputs: Mapping[str, object], files: Sequence[str | Path]) -> tuple[HandedIn, ...]:
    """Variables and files, checked. Raises `UserMistake` for what cannot cross."""
    found = [_variable(name, value) for name, value in inputs.items()]
    for path in files:
        one = _file(Path(path))
        if any(one.given.name == other.given.name for other in found):
            raise UserMistake(f"two things that are handed in have the name {one.given.name!r}")
        found.append(one)
    total = sum(len(one.given.content) for one in found)
    if total > LARGEST:
        raise UserMistake(
            f"what is handed in has {total:,} bytes, and {LARGEST:,} is the most",
            hints=('leave it in its folder: mounts=["data"]',),
        )
    return tuple(found)


def _variable(name: str, value: object) -> HandedIn:
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__"):
        raise UserMistake(f"inputs: {name!r} is no name for a variable")
    if name in RESERVED or hasattr(builtins, name):
        raise UserMistake(f"inputs: programs have another {name!r}", hints=("choose another name",))
    kind, content, summary = _described(name, value)
    return HandedIn(Given(name=name, kind=kind, content=content), summary)


def _file(path: Path) -> HandedIn:
    if path.name in OF_THE_FOLDER or not path.name.isprintable():
        raise UserMistake(f"files: the working folder can have no file {path.name!r}")
    try:
        content = path.expanduser().read_bytes()
    except OSError as problem:
        raise NoSuchFile(
            f"the file {path} cannot be read", why=problem.strerror or str(problem)
        ) from None
    given = Given(name=path.name, kind="file", content=content)
    return HandedIn(given, f"{len(content):,} bytes")


def _described(name: str, value: object) -> Described:
    if isinstance(value, bytes | bytearray):
        return "bytes", bytes(value), f"bytes, {len(value):,}"
    kind = type(value)
    room = kind.__module__.partition(".")[0]
    if room == "pandas" and kind.__name__ == "DataFrame":
        return _table(name, value)
    if room == "numpy" and kind.__name__ == "ndarray":
        return _array(name, value)
    try:
        content = msgspec.json.encode(mark(value))
    except TypeError as problem:
        raise UserMistake(
            f"inputs: {name} cannot be handed in",
            why=str(problem),
            hints=(
                "plain data, bytes, numpy arrays and pandas DataFrames can; files by files=[...]",
            ),
        ) from None
    return "data", content, _summary(value)


def _summary(value: object) -> str:
    if isinstance(value, dict):
        names = [str(key) for key in cast("dict[object, object]", value)]
        return f"dict, {len(names):,} keys: {_some(names)}" if names else "an empty dict"
    if isinstance(value, list | tuple):
        return f"list, {len(cast('list[object]', value)):,} items"
    if isinstance(value, str):
        return f"text, {len(value):,} characters"
    return "None" if value is None else type(value).__name__


def _some(names: Sequence[str]) -> str:
    plain = ["".join(c if c.isprintable() else " " for c in name)[:40] for name in names]
    more = ", ..." if len(plain) > KEYS_SHOWN else ""
    return ", ".join(plain[:KEYS_SHOWN]) + more


def _packed(said: dict[str, JSON], raw: bytes) -> bytes:
    text = msgspec.json.encode(said)
    return len(text).to_bytes(LENGTH, "big") + text + raw


def _array(name: str, value: Any) -> Described:
    if value.dtype.kind not in OF_NUMPY:
        raise _not_data(name, f"its type is {value.dtype}", "turn it into a list: value.tolist()")
    shape = [int(size) for size in value.shape]
    said: dict[str, JSON] = {"dtype": value.dtype.str, "shape": cast("JSON", shape)}
    summary = f"numpy array, {' x '.join(map(str, shape))}, {value.dtype}"
    return "array", _packed(said, value.tobytes()), summary


def _table(name: str, value: Any) -> Described:
    raw = bytearray()
    names = list(value.columns)
    if not all(isinstance(each, str | int) for each in names):
        raise _not_data(name, "its columns have names of several parts", "give them plain names")
    columns = [_column(name, label, value.iloc[:, at], raw) for at, label in enumerate(names)]
    index = None
    if type(value.index).__name__ == "MultiIndex":
        raise _not_data(name, "its index has several levels", "hand in value.reset_index()")
    if not _counts(value.index):
        index = _column(name, value.index.name, value.index.to_series(), raw)
    rows = int(value.shape[0])
    said: dict[str, JSON] = {"columns": cast("JSON", columns), "index": index, "rows": rows}
    shown = _some([str(label) for label in names])
    return "table", _packed(said, bytes(raw)), f"pandas DataFrame, {rows:,} rows: {shown}"


def _counts(index: Any) -> bool:
    is_range = type(index).__name__ == "RangeIndex"
    return is_range and index.name is None and index.start == 0 and index.step == 1


def _column(table: str, label: Any, series: Any, raw: bytearray) -> dict[str, JSON]:
    """One column: numbers and times as they lie in memory, text and mixed things as data."""
    column: dict[str, JSON] = {"name": label, "dtype": str(series.dtype)}
    kind = getattr(series.dtype, "kind", "O")
    of_numpy = type(series.dtype).__module__.startswith("numpy")
    if of_numpy and kind in OF_NUMPY:
        values = series.to_numpy()
        column["dtype"] = values.dtype.str
        content = values.tobytes()
        column["at"] = [len(raw), len(content)]
        raw += content
        return column
    if str(series.dtype) not in {"object", "str", "string"}:
        raise _not_data(
            table,
            f"its column {label!r} is of type {series.dtype}",
            f"turn it into text or numbers first: {table}[{label!r}].astype(str)",
        )
    missing = series.isna().tolist()
    values = [None if gone else each for each, gone in zip(series.tolist(), missing, strict=True)]
    try:
        column["values"] = mark(values)
    except TypeError as problem:
        hint = f"turn it into text first: {table}[{label!r}].astype(str)"
        raise _not_data(table, f"its column {label!r}: {problem}", hint) from None
    return column


def _not_data(name: str, why: str, hint: str) -> UserMistake:
    return UserMistake(f"inputs: {name} cannot be handed in", why=why, hints=(hint,))


def refuse_taken_names(start: RunStart, handed: Sequence[HandedIn]) -> None:
    """A file and a folder cannot have one name."""
    files = {one.given.name for one in handed if one.given.kind == "file"}
    taken = {mount.name for mount in start.mounts} & files
    if taken:
        raise UserMistake(f"files: a folder that is mounted has the name {min(taken)!r} too")


def with_given(store: Store, start: RunStart, handed: Sequence[HandedIn]) -> RunStart:
    """A run that begins with them; their content goes into its record."""
    given = tuple(
        GivenRecord(
            name=one.given.name,
            kind=one.given.kind,
            summary=one.summary,
            blob=store.put(one.given.content, "application/octet-stream"),
        )
        for one in handed
    )
    return msgspec.structs.replace(start, given=given)
