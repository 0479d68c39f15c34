"""`--output`: a type as Python writes it, or a file with a JSON schema."""

import ast
import json
from pathlib import Path

from actum.errors import UserMistake
from actum.records.values import JSON

_PLAIN: dict[str, str] = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "None": "null",
    "list": "array",
    "dict": "object",
}
_HINT = "like this: --output int, --output 'list[dict]', --output schema.json"


def answer_schema(text: str) -> dict[str, JSON] | None:
    """The schema of a type or of a file. None for `str`: words are an answer."""
    if text == "str":
        return None
    if Path(text).suffix == ".json":
        return _from_file(Path(text))
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise UserMistake(f"--output {text!r} is no type", hints=(_HINT,)) from error
    return _schema(tree, text)


def _schema(node: ast.expr, text: str) -> dict[str, JSON]:
    match node:
        case ast.Name(id=name) if name in _PLAIN:
            return {"type": _PLAIN[name]}
        case ast.Constant(value=None):
            return {"type": "null"}
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return {"anyOf": [_schema(left, text), _schema(right, text)]}
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return {"type": "array", "items": _schema(item, text)}
        case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[_, item])):
            return {"type": "object", "additionalProperties": _schema(item, text)}
        case _:
            raise UserMistake(f"--output {text!r} is no type that is known here", hints=(_HINT,))


def _from_file(path: Path) -> dict[str, JSON]:
    try:
        schema: JSON = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserMistake(
            f"the schema {path} cannot be read", why=str(error), hints=(_HINT,)
        ) from error
    if not isinstance(schema, dict):
        raise UserMistake(f"{path} holds no schema", hints=("a schema is a JSON object",))
    return schema
