"""The tools as `.pyi` files, for the editor of whoever writes programs by hand."""

import ast
import builtins
from collections.abc import Mapping

from actum.catalog.catalog import Catalog
from actum.catalog.shapes import type_of_schema
from actum.catalog.stubs import importable_stub
from actum.records.tools import ToolSpec
from actum.records.values import JSON

_HOMES = {
    "typing": {"Any", "Literal"},
    "datetime": {"date", "datetime", "time", "timedelta"},
    "decimal": {"Decimal"},
    "uuid": {"UUID"},
    "pathlib": {"Path", "PurePath"},
    "collections.abc": {"Collection", "Mapping", "MutableMapping", "Sequence"},
}
_ROOT = '''\
"""The tools of this project, as programs see them."""

from collections.abc import Callable, Iterable
from typing import Any


class ToolError(Exception):
    tool: str
    status: str
    message: str
    retryable: bool


class Denied(ToolError):
    rule: str
    hint: str


def search(query: str, limit: int = 8) -> list[dict[str, Any]]: ...
def describe(name: str, full: bool = False) -> str: ...
def parallel(function: Callable[..., Any], arguments: Iterable[Any]) -> list[Any]: ...
'''


def stub_files(catalog: Catalog, root: str) -> dict[str, str]:
    """The text of each file by its path."""
    files: dict[str, str] = {}
    _add(catalog, "", root, files)
    return files


def _add(catalog: Catalog, module: str, path: str, files: dict[str, str]) -> None:
    specs: list[ToolSpec] = []
    modules: list[str] = []
    for name in catalog.names(module) or ():
        full = f"{module}.{name}" if module else name
        entry = catalog.find(full)
        if entry is None:
            modules.append(name)
        else:
            specs.append(entry.spec)
    text = "" if module else _ROOT
    text += "".join(f"from . import {name} as {name}\n" for name in modules)
    text += _functions(specs)
    files[f"{path}/__init__.pyi" if modules or not module else f"{path}.pyi"] = text
    for name in modules:
        _add(catalog, f"{module}.{name}" if module else name, f"{path}/{name}", files)


def _functions(specs: list[ToolSpec]) -> str:
    if not specs:
        return ""
    functions = "\n\n".join(importable_stub(spec) for spec in specs)
    classes: dict[str, str] = {}
    for spec in specs:
        for schema in (spec.input_schema, spec.output_schema or {}):
            classes |= _classes(schema)
    whole = "\n\n".join([*classes.values(), functions])
    wanted = _names(whole) - classes.keys()
    imports = [
        f"from {home} import {', '.join(sorted(names & wanted))}"
        for home, names in _HOMES.items()
        if names & wanted
    ]
    known = {name for names in _HOMES.values() for name in names}
    unknown = sorted(wanted - known - set(dir(builtins)))
    lines = [*imports, *(["from typing import Any as _Any"] if unknown or classes else [])]
    lines.extend(f"{name} = _Any" for name in unknown)
    return "\n".join(lines) + f"\n\n{whole}\n"


def _classes(schema: Mapping[str, JSON]) -> dict[str, str]:
    """A class for each named type: its fields are attributes, and items too."""
    definitions = schema.get("$defs")
    found: dict[str, str] = {}
    for name, inner in definitions.items() if isinstance(definitions, dict) else ():
        properties = inner.get("properties") if isinstance(inner, dict) else None
        if isinstance(properties, dict) and name.isidentifier():
            fields = [
                f"    {field}: {type_of_schema(kind)}"
                for field, kind in properties.items()
                if field.isidentifier()
            ]
            found[name] = "\n".join([f"class {name}(dict[str, _Any]):", *fields, "    ..."])
    return found


def _names(text: str) -> set[str]:
    """The names that the annotations use."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            found |= _names_in(node.annotation)
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            found |= _names_in(node.returns)
    return found


def _names_in(annotation: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
