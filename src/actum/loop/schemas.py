"""A value against a JSON schema: the part of it that types are written in."""

from collections.abc import Iterator

from actum.records.values import JSON

_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
_DEEP = 50


def problem_with(value: JSON, schema: dict[str, JSON]) -> str | None:
    """The first thing that does not fit, with its path; None where all fits."""
    return next(_Checker(schema).problems(value, schema, "the value", 0), None)


class _Checker:
    """Walks a value and a schema side by side."""

    def __init__(self, root: dict[str, JSON]) -> None:
        found = root.get("$defs")
        self._definitions: dict[str, JSON] = found if isinstance(found, dict) else {}

    def problems(self, value: JSON, schema: JSON, path: str, depth: int) -> Iterator[str]:
        """Everything that does not fit, in the order of the value."""
        schema = self._resolved(schema)
        if not isinstance(schema, dict) or depth > _DEEP:
            return
        options = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(options, list):
            if not any(self._fits(value, option, path, depth) for option in options):
                yield f"{path} is none of the kinds that it may be"
            return
        yield from self._choices(value, schema, path)
        kind = schema.get("type")
        if kind is not None and not _is_a(value, kind):
            yield f"{path} must be {_named(kind)}, not {_kind_of(value)}"
            return
        yield from self._bounds(value, schema, path)
        if isinstance(value, dict):
            yield from self._members(value, schema, path, depth)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                inner = self._item_schema(schema, index)
                yield from self.problems(item, inner, f"{path}[{index}]", depth + 1)

    def _choices(self, value: JSON, schema: dict[str, JSON], path: str) -> Iterator[str]:
        if "const" in schema and value != schema["const"]:
            yield f"{path} must be {schema['const']!r}"
        choices = schema.get("enum")
        if isinstance(choices, list) and value not in choices:
            yield f"{path} must be one of {', '.join(repr(choice) for choice in choices)}"

    def _fits(self, value: JSON, schema: JSON, path: str, depth: int) -> bool:
        return next(self.problems(value, schema, path, depth + 1), None) is None

    def _members(
        self, value: dict[str, JSON], schema: dict[str, JSON], path: str, depth: int
    ) -> Iterator[str]:
        required = schema.get("required")
        if isinstance(required, list):
            yield from (f"{path}.{name} is missing" for name in required if name not in value)
        known = schema.get("properties")
        properties = known if isinstance(known, dict) else {}
        others = schema.get("additionalProperties", True)
        for name, item in value.items():
            if name in properties:
                yield from self.problems(item, properties[name], f"{path}.{name}", depth + 1)
            elif others is False:
                yield f"{path}.{name} is unknown"
            else:
                yield from self.problems(item, others, f"{path}.{name}", depth + 1)

    def _bounds(self, value: JSON, schema: dict[str, JSON], path: str) -> Iterator[str]:
        if isinstance(value, int | float) and not isinstance(value, bool):
            least, most = schema.get("minimum"), schema.get("maximum")
            if isinstance(least, int | float) and value < least:
                yield f"{path} must be at least {least}"
            if isinstance(most, int | float) and value > most:
                yield f"{path} must be at most {most}"

    def _item_schema(self, schema: dict[str, JSON], index: int) -> JSON:
        first = schema.get("prefixItems")
        if isinstance(first, list) and index < len(first):
            return first[index]
        return schema.get("items")

    def _resolved(self, schema: JSON) -> JSON:
        reference = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(reference, str):
            return schema
        return self._definitions.get(reference.rsplit("/", 1)[-1])


def _is_a(value: JSON, kind: JSON) -> bool:
    if isinstance(kind, list):
        return any(_is_a(value, one) for one in kind)
    wanted = _TYPES.get(kind) if isinstance(kind, str) else None
    if wanted is None:
        return True
    if isinstance(value, bool):
        return wanted is bool
    return isinstance(value, wanted)


def _named(kind: JSON) -> str:
    return " or ".join(str(one) for one in kind) if isinstance(kind, list) else str(kind)


def _kind_of(value: JSON) -> str:
    return next(name for name, kind in _TYPES.items() if _is_a(value, name) and kind)
