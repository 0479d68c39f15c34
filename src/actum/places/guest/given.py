"""What a session begins with: variables that the user handed in, and files in the working folder.

Phase 2.
"""

import base64
import json
import os
import sys
from importlib import import_module
from typing import Any

BYTES_MARK = "$bytes"
INTEGER_MARK = "$int"
FLOAT_MARK = "$float"
PAIRS_MARK = "$pairs"
LENGTH = 4

_open = os.open
_write = os.write
_close = os.close


def furnish(given: list[Any], variables: dict[str, Any]) -> None:
    """Put each where the program looks for it."""
    for one in given:
        name: str = one["name"]
        content: bytes = one["content"]
        kind: str = one["kind"]
        if kind == "file":
            write_file(name, content)
        elif kind == "bytes":
            variables[name] = content
        elif kind == "data":
            variables[name] = plain(content)
        elif kind == "array":
            variables[name] = array(content)
        else:
            variables[name] = table(content)


def write_file(name: str, content: bytes) -> None:
    """A file of the user, as the program's own copy."""
    file = _open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    rest = memoryview(content)
    while rest:
        rest = rest[_write(file, rest) :]
    _close(file)


def plain(content: bytes) -> Any:
    """Data, with what JSON has no word for behind our marks. Dictionaries are dictionaries."""
    return json.loads(content, object_hook=_from_mark)


def _from_mark(found: dict[str, Any]) -> Any:
    if len(found) == 1:
        ((mark, content),) = found.items()
        if mark == BYTES_MARK:
            return base64.b64decode(content)
        if mark == PAIRS_MARK:
            return {_key(key): value for key, value in content}
        if mark == INTEGER_MARK:
            return int(content)
        if mark == FLOAT_MARK:
            return float(content)
    return found


def _key(key: Any) -> Any:
    return tuple(map(_key, key)) if isinstance(key, list) else key


def _parts(content: bytes) -> tuple[Any, memoryview]:
    """What describes it, and the bytes behind that."""
    size = int.from_bytes(content[:LENGTH], "big")
    return plain(content[LENGTH : LENGTH + size]), memoryview(content)[LENGTH + size :]


def array(content: bytes) -> Any:
    """A numpy array of its own."""
    numpy = import_module("numpy")
    said, raw = _parts(content)
    return numpy.frombuffer(raw, dtype=said["dtype"]).reshape(said["shape"]).copy()


def table(content: bytes) -> Any:
    """A DataFrame; its columns in a dictionary where pandas is not there."""
    said, raw = _parts(content)
    try:
        pandas = import_module("pandas")
    except ImportError:
        sys.modules.pop("pandas", None)
        return {column["name"]: _values(column, raw) for column in said["columns"]}
    made = [_column(pandas, column, raw) for column in said["columns"]]
    index = None
    if said["index"] is not None:
        index = pandas.Index(_column(pandas, said["index"], raw), name=said["index"]["name"])
    frame = pandas.DataFrame(dict(enumerate(made)), index=range(said["rows"]) if not made else None)
    frame.columns = [column["name"] for column in said["columns"]]
    if index is not None:
        frame.index = index
    return frame


def _values(column: Any, raw: memoryview) -> Any:
    if "values" in column:
        return column["values"]
    numpy = import_module("numpy")
    start, size = column["at"]
    return numpy.frombuffer(raw[start : start + size], dtype=column["dtype"]).copy()


def _column(pandas: Any, column: Any, raw: memoryview) -> Any:
    return pandas.Series(_values(column, raw), dtype=column["dtype"])
