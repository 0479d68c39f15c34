"""Is this text a program, and which one was meant?"""

import ast
import builtins
import html
import re
import textwrap
import warnings

from actum.loop.formats.reading.cleaning import INVENTED_BEHIND_CODE

FENCE_LINE = re.compile(r"\A\s*(?:```|~~~)[^\n]*\n(.*?)(?:\n\s*(?:```|~~~)\s*)?\Z", re.DOTALL)
PROMPT_LINE = re.compile(r"^(?:>>>|\.\.\.)(?: |$)")
QUOTE_FENCE = re.compile(r"\A\s*(?:'''|\"\"\")(?:python|py)\n(.*?)(?:'''|\"\"\")\s*\Z", re.DOTALL)
# The language on a line of its own, where the fence was forgotten.
LANGUAGE_LINE = re.compile(r"\A\s*(?:%%)?(?:python3?|py)[ \t]*:?[ \t]*\n", re.IGNORECASE)
NOTEBOOK_PROMPT = re.compile(r"^In ?\[\d*\]: |^ {3,}\.\.\.: ", re.MULTILINE)
# What stands in front of every line: the mark of a quotation, a number.
MARGINS = (re.compile(r"^> ?"), re.compile(r"^\s*\d+(?:[:.|]| \|)? ?"))
CODE_LINE = re.compile(
    r"^(?:import \w|from [\w.]+ import |def \w+\(|class \w+|for .+:\s*$|while .+:\s*$|with .+:\s*$"
    r"|try:\s*$|if .+:\s*$|async |await |print\(|finish\(|help\(|@\w"
    r"|[A-Za-z_][\w.\[\]\"', ]* = |[a-z_]\w*(?:\.\w+)+\()"
)
BLOCKS = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
)
ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
OWN_CALLS = frozenset({"finish", "help", "display"})
SMART_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
PLACES_TRIED = 12


def parsed(text: str) -> ast.Module | None:
    """The tree of a program; None where it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def tidy(text: str) -> str:
    """The program inside: no fence, no margin, no prompts, quotes that Python knows."""
    fenced = FENCE_LINE.match(text) or QUOTE_FENCE.match(text)
    program = textwrap.dedent(fenced[1] if fenced else text).strip("\n").rstrip()
    program = without_invented(LANGUAGE_LINE.sub("", program))
    if len(program) > 2 and program[0] == program[-1] == "`" and "`" not in program[1:-1]:
        program = program[1:-1]
    program = NOTEBOOK_PROMPT.sub("", program)
    lines = program.split("\n")
    if lines and PROMPT_LINE.match(lines[0]):
        program = "\n".join(line[4:] for line in lines if PROMPT_LINE.match(line))
    if parsed(program) is not None:
        return program
    return next((other for other in _repaired(program) if parsed(other) is not None), program)


def _repaired(program: str) -> list[str]:
    straight = program.translate(SMART_QUOTES)
    repaired = [straight, program.lstrip(), straight.strip(), program.expandtabs(4)]
    if "\n" not in program and "\\n" in program:
        # Escaped twice on its way through JSON.
        repaired.append(program.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t"))
    if "&" in program:
        repaired.append(html.unescape(program))
    for margin in MARGINS:
        lines = [margin.sub("", line) for line in program.split("\n")]
        if all(margin.match(line) for line in program.split("\n") if line.strip()):
            repaired.append("\n".join(lines))
    return repaired


def without_invented(program: str) -> str:
    """The program up to what the model made up behind it. `Observation: 5` compiles too."""
    for found in INVENTED_BEHIND_CODE.finditer(program):
        front = program[: found.start()].rstrip()
        if not is_empty(front) and parsed(front) is not None:
            return front
    return program


def is_empty(text: str) -> bool:
    """Whether a program does nothing: no line, or only remarks."""
    tree = parsed(text)
    return not text.strip() or (tree is not None and not tree.body)


def is_clearly_code(text: str) -> bool:
    """Whether a text can only be meant as a program. `Paris (France)` compiles too."""
    tree = parsed(text)
    return tree is not None and any(_is_clear(statement) for statement in tree.body)


def looks_like_code(text: str) -> bool:
    """Whether most lines look like Python, though it may not compile."""
    lines = [
        line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")
    ]
    like = sum(
        1 for line in lines if CODE_LINE.match(line) or line[:1] in {" ", "\t", ")", "]", "}"}
    )
    return bool(lines) and like * 2 > len(lines)


def program_at_end(text: str) -> tuple[str, str] | None:
    """Words and the program behind them, where nothing marks where it starts."""
    lines = text.split("\n")
    for index in _places(lines):
        program = "\n".join(lines[index:])
        if is_clearly_code(program):
            return "\n".join(lines[:index]).strip(), program
    return None


def _places(lines: list[str]) -> list[int]:
    """Where a program may start: its first line looks like code, and the one above does not."""
    like = [bool(CODE_LINE.match(line) or line.startswith("# ")) for line in lines]
    starts = [index for index, code in enumerate(like) if code and not (index and like[index - 1])]
    return starts[:PLACES_TRIED]


def _is_clear(statement: ast.stmt) -> bool:
    if isinstance(statement, BLOCKS):
        return True
    if isinstance(statement, ASSIGNMENTS):
        value = statement.value
        return value is not None and any(isinstance(node, ast.Call) for node in ast.walk(value))
    if isinstance(statement, ast.If):
        return any(_is_clear(inner) for inner in statement.body)
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.List | ast.Tuple):
        return bool(value.elts) and all(_is_call(item) for item in value.elts)
    return _is_call(value)


def _is_call(value: ast.expr) -> bool:
    if isinstance(value, ast.Await):
        return _is_call(value.value)
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Attribute):
        return True
    name = value.func.id if isinstance(value.func, ast.Name) else ""
    return name in OWN_CALLS or hasattr(builtins, name)
