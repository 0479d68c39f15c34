"""What a docstring says of each parameter: Google, NumPy, reST and Epytext styles."""

import inspect
import re

_GOOGLE = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*(?::|--| - )\s*(.*)$")
_FIELD = re.compile(r"^[:@]param\s+(?:[^:]*\s)?\*{0,2}(\w+)\s*:\s*(.*)$")
_OTHER_FIELD = re.compile(
    r"^[:@](?:param|type|arg|argument|key|keyword|returns?|rtype|raises?|yields?)\b.*:"
)
_NUMPY = re.compile(r"^\*{0,2}(\w+)(?:\s*,\s*\*{0,2}\w+)*\s*(?::.*)?$")
_SECTION = re.compile(
    r"^(args|arguments|parameters|params|keyword args|keyword arguments|other parameters|"
    r"returns?|raises|yields?|examples?|notes?|warnings?|see also|references|attributes)\s*:?$",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"^-{3,}$")
_OF_PARAMETERS = {
    "args",
    "arguments",
    "parameters",
    "params",
    "keyword args",
    "keyword arguments",
    "other parameters",
}


def summary(docstring: str | None) -> str:
    """The text before the first section, whole."""
    lines: list[str] = []
    for line in inspect.cleandoc(docstring or "").splitlines():
        if _SECTION.match(line.strip()) or _OTHER_FIELD.match(line.strip()):
            break
        lines.append(line)
    return "\n".join(lines).strip()


def parameter_texts(docstring: str | None) -> dict[str, str]:
    """What it says of each parameter, each in one line."""
    reader = _Reader(inspect.cleandoc(docstring or "").splitlines())
    reader.read()
    return {name: " ".join(words.split()) for name, words in reader.found.items() if words.strip()}


class _Reader:
    """Goes through the lines once, and knows the section and the parameter it is in."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._section = ""
        self._indent: int | None = None
        self._name = ""
        self.found: dict[str, str] = {}

    def read(self) -> None:
        """Take in every line."""
        for line in self._lines:
            text = line.strip()
            heading = _SECTION.match(text)
            if heading:
                self._section, self._indent, self._name = heading[1].lower(), None, ""
            elif not self._read_field(text) and text and not _UNDERLINE.match(text):
                self._read_line(text, len(line) - len(line.lstrip()))

    def _read_field(self, text: str) -> bool:
        """`:param x: what it is` stands outside of sections."""
        field = _FIELD.match(text)
        if field:
            self._section = "fields"
            self._start(field[1], field[2])
        elif _OTHER_FIELD.match(text):
            self._name = ""
            return True
        return bool(field)

    def _read_line(self, text: str, indent: int) -> None:
        if self._section == "fields":
            self._go_on(text)
        if self._section not in _OF_PARAMETERS:
            return
        if self._indent is None:
            self._indent = indent
        if indent > self._indent:
            self._go_on(text)
            return
        google = _GOOGLE.match(text)
        numpy = _NUMPY.match(text)
        if indent == 0 and numpy:
            # NumPy puts the type after the colon, and the words below it.
            self._start(numpy[1], "")
        elif google:
            self._start(google[1], google[2])

    def _start(self, name: str, words: str) -> None:
        self._name = name
        self.found[name] = words

    def _go_on(self, text: str) -> None:
        if self._name:
            self.found[self._name] += f" {text}"
