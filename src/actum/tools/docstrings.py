"""What a docstring says of each parameter: Google, NumPy and reST styles."""

import inspect
import re

_GOOGLE = re.compile(r"^\s*\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.+)$")
_REST = re.compile(r"^\s*:param\s+(?:[^:]*\s)?(\w+)\s*:\s*(.+)$")
_NUMPY = re.compile(r"^(\w+)\s*(?::.*)?$")
_SECTION = re.compile(
    r"^(args|arguments|parameters|params|returns?|raises|yields?|examples?|notes?)\s*:?\s*$", re.I
)
_ARGUMENTS = {"args", "arguments", "parameters", "params"}


def summary(docstring: str | None) -> str:
    """The text before the first section, whole."""
    lines: list[str] = []
    for line in inspect.cleandoc(docstring or "").splitlines():
        if _SECTION.match(line.strip()) or _REST.match(line):
            break
        lines.append(line)
    return "\n".join(lines).strip()


def parameter_texts(docstring: str | None) -> dict[str, str]:
    """What it says of each parameter."""
    lines = inspect.cleandoc(docstring or "").splitlines()
    found: dict[str, str] = {}
    section = ""
    name = ""
    for index, line in enumerate(lines):
        rest = _REST.match(line)
        if rest:
            found[rest[1]] = rest[2].strip()
            continue
        heading = _SECTION.match(line.strip())
        if heading:
            section = heading[1].lower()
            continue
        if section not in _ARGUMENTS or set(line.strip()) <= {"-"}:
            continue
        google = _GOOGLE.match(line)
        following = lines[index + 1] if index + 1 < len(lines) else ""
        if line[:1] not in {" ", ""} and following.startswith(" "):
            numpy = _NUMPY.match(line)
            name = numpy[1] if numpy else ""
        elif google:
            name = google[1]
            found[name] = google[2].strip()
        elif name and line.strip():
            found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found
