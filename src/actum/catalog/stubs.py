"""A tool as the source text that a model reads and a program imports."""

import ast
import textwrap

import msgspec

from actum.catalog.shapes import named_shapes
from actum.catalog.text import clean, first_line
from actum.records.tools import Parameter, ToolSpec, parameters_text

DOCSTRING_LIMIT = 2000
PARAMETER_LIMIT = 300
ROW_LIMIT = 300
SUMMARY_LIMIT = 90


def summary(spec: ToolSpec) -> str:
    """What it does, in at most one line."""
    return clean(first_line(spec.description), SUMMARY_LIMIT)


def row(spec: ToolSpec) -> str:
    """The tool in a list: signature, one line, and what it changes."""
    marks = [summary(spec)] if spec.description else []
    if spec.effect != "read":
        marks.append(f"({spec.effect})")
    text = clean(spec.signature, ROW_LIMIT)
    return f"{text}  # {' '.join(marks)}" if marks else text


def stub(spec: ToolSpec, *, full: bool = True, seen: str = "") -> str:
    """The function as a program sees it: signature and docstring."""
    name = spec.name.rsplit(".", 1)[-1]
    returns = f" -> {spec.returns}" if spec.returns else ""
    head = f"def {name}({parameters_text(spec.parameters)}){returns}:"
    return f"{head}\n{textwrap.indent(_docstring(spec, seen, full=full), '    ')}"


def importable_stub(spec: ToolSpec, *, seen: str = "") -> str:
    """The same, certain to be Python: one signature that is none must not cost the whole module."""
    text = stub(spec, seen=seen)
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        plain = msgspec.structs.replace(
            spec,
            parameters=(
                Parameter(name="args", kind="more"),
                Parameter(name="kwargs", kind="more_keywords"),
            ),
            returns="",
            description=f"{spec.description}\n\nCalled as: {spec.signature}",
        )
        return stub(plain, seen=seen)
    return text


def module_text(title: str, functions: list[str], modules: list[str]) -> str:
    """The text of one module: its functions, and the names of the modules below it."""
    parts = [_quoted(title)]
    if modules:
        parts.append(f"# modules: {', '.join(modules)}")
    return "\n\n".join([*parts, *functions]) + "\n"


def _docstring(spec: ToolSpec, seen: str, *, full: bool) -> str:
    limit = DOCSTRING_LIMIT if full else PARAMETER_LIMIT
    told = spec.description if full else first_line(spec.description)
    lines = [clean(told, limit).strip() or "(no description)"]
    described = [(p.name, p.description) for p in spec.parameters if p.description]
    if described:
        lines.append("")
        lines.extend(
            f"{name}: {clean(text if full else first_line(text), PARAMETER_LIMIT)}"
            for name, text in described
        )
    notes = _notes(spec, seen)
    if notes:
        lines.extend(("", *notes))
    return _quoted("\n".join(lines))


def _notes(spec: ToolSpec, seen: str) -> list[str]:
    shapes = named_shapes(spec.input_schema) | named_shapes(spec.output_schema)
    notes = [clean(f"{name}: {shape}", PARAMETER_LIMIT) for name, shape in shapes.items()]
    if seen:
        notes.append(f"Returns, as seen: {clean(seen, PARAMETER_LIMIT)}")
    if spec.effect != "read":
        notes.append(f"Effect: {spec.effect}.")
    if spec.original:
        notes.append(f"Its own name: {clean(spec.original, PARAMETER_LIMIT)}")
    return notes


def _quoted(text: str) -> str:
    """A docstring that no text can break out of."""
    if "\\" in text or '"""' in text or text.endswith('"'):
        return repr(text)
    return f'"""{text}"""'
