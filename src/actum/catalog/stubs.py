"""A tool as the source text that a model reads and a program imports."""

import textwrap


from actum.records.tools import ToolSpec, parameters_text

DOCSTRING_LIMIT = 2000


def clean(text: str, limit: int = DOCSTRING_LIMIT) -> str:
    """Text from outside: no control characters, capped, and it says where it was cut."""
    kept = "".join(c for c in text if c in "\n\t" or c.isprintable())
    if len(kept) <= limit:
        return kept
    return f"{kept[:limit]}... (cut at {limit} characters)"


def stub(spec: ToolSpec) -> str:
    """The function as a program sees it: signature and docstring."""
    name = spec.name.rsplit(".", 1)[-1]
    returns = f" -> {spec.returns}" if spec.returns else ""
    head = f"def {name}({parameters_text(spec.parameters)}){returns}:"
    return f"{head}\n{textwrap.indent(_docstring(spec), '    ')}"


def module_text(title: str, tools: list[ToolSpec], modules: list[str]) -> str:
    """The text of one module: its functions, and the names of the modules below it."""
    parts = [_quoted(title)]
    if modules:
        parts.append(f"# modules: {', '.join(modules)}")
    parts.extend(stub(spec) for spec in tools)
    return "\n\n".join(parts) + "\n"


def _docstring(spec: ToolSpec) -> str:
    lines = [clean(spec.description).strip() or "(no description)"]
    described = [p for p in spec.parameters if p.description]
    if described:
        lines.append("")
        lines.extend(f"{p.name}: {clean(p.description, 300)}" for p in described)
    if spec.effect != "read":
        lines.extend(("", f"Effect: {spec.effect}."))
    return _quoted("\n".join(lines))


def _quoted(text: str) -> str:
    """A docstring that no text can break out of."""
    if "\\" in text or '"""' in text or text.endswith('"'):
        return repr(text)
    return f'"""{text}"""'
