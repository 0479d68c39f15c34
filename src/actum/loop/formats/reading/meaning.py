"""What the calls of a reply mean here: a program, calls of tools, or the end."""

import ast
import keyword
from collections.abc import Sequence

import msgspec
from msgspec import UnsetType

from actum.loop.formats.contract import Brief, FormatName
from actum.loop.formats.reading.calls import Asked
from actum.loop.formats.reading.names import (
    FINISH_KEYS,
    FINISH_NAMES,
    PREFIXES,
    PROGRAM_KEYS,
    PYTHON_NAMES,
    THOUGHT_KEYS,
    is_finish,
    is_python,
)
from actum.loop.formats.reading.objects import read_json
from actum.loop.formats.reading.programs import parsed, tidy
from actum.loop.formats.reading.words import could_be
from actum.models.tool_names import allowed_name
from actum.records.actions import Action, CallTools, Finish, RunCode, Unreadable, WantedCall
from actum.records.tools import ToolSpec
from actum.records.values import JSON

TEXT_CALL = "text:"
"""In front of the ids of calls that no provider knows: they stood in the text."""

NO_PROGRAM = 'A call of python needs a program. Call python with {"code": "print(1 + 1)"}.'
NO_OBJECT = (
    "The arguments of call {number} ({name}) are no JSON object. Nothing was called. "
    'Send an object, like {{"name": "value"}}.'
)
NO_TOOL = (
    "There is no call {name} here. Call tools inside a program: "
    'python with {{"code": "from {root} import crm\nprint(crm.get(1))"}}.'
)
MIXED = (
    "One turn holds a program or calls of tools, not both. Nothing was run. "
    "Send the calls alone, or make them inside the program."
)


class Abilities(msgspec.Struct, frozen=True):
    """What can be done in this run."""

    programs: bool
    tools: dict[str, ToolSpec]
    """By each name under which a model may know them."""
    root: str
    schema: dict[str, JSON] | None

    @property
    def names(self) -> frozenset[str]:
        """All that a model can call."""
        own = PYTHON_NAMES if self.programs else frozenset[str]()
        return own | FINISH_NAMES | self.tools.keys()


class Given(msgspec.Struct, frozen=True):
    """A call and the native id that it came with."""

    asked: Asked
    id: str | None = None


def abilities(brief: Brief, name: FormatName) -> Abilities:
    """What the format and the run allow together."""
    tools = {allowed_name(spec.name): spec for spec in brief.direct}
    tools |= {spec.name: spec for spec in brief.direct}
    return Abilities(name != "json", tools, brief.tools_root, brief.output_schema)


def action_of(given: Sequence[Given], can: Abilities, thought: str) -> Action:
    """The one action that these calls are."""
    plain = [Given(_plain(one.asked, can), one.id) for one in given]
    ids = tuple(one.id for one in plain if one.id is not None)
    programs = [one for one in plain if can.programs and _is_program(one.asked, can)]
    if programs and len(programs) == len(plain):
        return _program(programs, thought, ids)
    if programs:
        return Unreadable(MIXED, ids)
    if len(plain) == 1 and _is_finish(plain[0].asked, can):
        return Finish(finish_value(plain[0].asked, can.schema))
    wanted = [one for one in plain if not _is_finish(one.asked, can)]
    if can.programs and any(one.asked.name not in can.tools for one in wanted):
        return _calls_as_program(wanted, can, thought, ids)
    return _calls(wanted, can, thought, ids)


def program_in(arguments: dict[str, JSON]) -> str | None:
    """The program among the arguments of a call of python."""
    for key in PROGRAM_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            return tidy(value)
        if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
            return tidy("\n".join(str(line) for line in value))
    return None


def thought_in(arguments: dict[str, JSON]) -> str:
    """The words beside a program."""
    words = (arguments.get(key) for key in THOUGHT_KEYS)
    return next((word for word in words if isinstance(word, str)), "")


def finish_value(asked: Asked, schema: dict[str, JSON] | None) -> JSON:
    """What `finish` was given."""
    arguments = asked.arguments
    key = next(iter(arguments), "")
    if len(arguments) != 1 or key not in FINISH_KEYS:
        return asked.raw or arguments
    inner = arguments[key]
    if schema is None:
        return inner
    if isinstance(inner, str) and not could_be(inner, schema):
        # An object that was written as text inside the object.
        read = read_json(inner)
        inner = inner if isinstance(read, UnsetType) else read
    return inner if could_be(inner, schema) else arguments


def _plain(asked: Asked, can: Abilities) -> Asked:
    """The call under the name that the catalog knows."""
    name = asked.name
    if name in can.names:
        return msgspec.structs.replace(asked, name=_own_name(name, can))
    for prefix in (*PREFIXES, f"{can.root}."):
        if name.startswith(prefix):
            shorter = name.removeprefix(prefix)
            return msgspec.structs.replace(asked, name=_own_name(shorter, can))
    return asked


def _own_name(name: str, can: Abilities) -> str:
    spec = can.tools.get(name)
    return name if spec is None else spec.name


def _is_program(asked: Asked, can: Abilities) -> bool:
    return is_python(asked.name) and asked.name not in can.tools


def _is_finish(asked: Asked, can: Abilities) -> bool:
    return is_finish(asked.name) and asked.name not in can.tools


def _program(given: Sequence[Given], thought: str, ids: tuple[str, ...]) -> Action:
    parts: list[str] = []
    for one in given:
        raw = one.asked.raw
        part = _unassigned(tidy(raw)) if raw else program_in(one.asked.arguments)
        if not part or not part.strip():
            return Unreadable(NO_PROGRAM, ids)
        parts.append(part)
    words = thought or thought_in(given[0].asked.arguments)
    return RunCode("\n".join(parts), thought=words, call_id=ids[0] if ids else None)


def _unassigned(program: str) -> str:
    """`code = "..."` in place of arguments: the program is the text."""
    tree = parsed(program)
    only = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    if not isinstance(only, ast.Assign) or not isinstance(only.value, ast.Constant):
        return program
    target = only.targets[0]
    named = isinstance(target, ast.Name) and target.id in PROGRAM_KEYS
    text = only.value.value
    return tidy(text) if named and isinstance(text, str) else program


def _calls(given: Sequence[Given], can: Abilities, thought: str, ids: tuple[str, ...]) -> Action:
    wanted: list[WantedCall] = []
    for number, one in enumerate(given, 1):
        arguments = _arguments(one.asked, can)
        if arguments is None:
            return Unreadable(NO_OBJECT.format(number=number, name=one.asked.name), ids)
        wanted.append(WantedCall(one.id or f"{TEXT_CALL}{number}", one.asked.name, arguments))
    return CallTools(tuple(wanted), thought=thought)


def _arguments(asked: Asked, can: Abilities) -> dict[str, JSON] | None:
    if not asked.raw:
        return asked.arguments
    spec = can.tools.get(asked.name)
    needed = [p for p in spec.parameters if p.default is None] if spec is not None else []
    if len(needed) != 1 or asked.raw[0] in "{[\"'":
        return None
    # Words for a tool of one parameter can only be that.
    return {needed[0].name: asked.raw}


def _calls_as_program(
    given: Sequence[Given], can: Abilities, thought: str, ids: tuple[str, ...]
) -> Action:
    """Tools are modules here: what was asked for as calls is written as a program."""
    lines: list[str] = []
    imports: list[str] = []
    for one in given:
        parts = one.asked.name.split(".")
        if one.asked.raw or any(not p.isidentifier() or keyword.iskeyword(p) for p in parts):
            message = (
                f"{one.asked.name} cannot be called like this. Call tools inside a program: "
                f'python with {{"code": "from {can.root} import crm\\nprint(crm.get(1))"}}.'
            )
            return Unreadable(message, ids)
        imports.append(f"from {can.root} import {parts[0]}")
        call = f"{one.asked.name}({_keywords(one.asked.arguments)})"
        lines.append(call if len(given) == 1 else f"print({call})")
    program = "\n".join([*dict.fromkeys(imports), *lines])
    return RunCode(program, thought=thought, call_id=ids[0] if ids else None)


def _keywords(arguments: dict[str, JSON]) -> str:
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in arguments):
        return ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    return f"**{arguments!r}"
