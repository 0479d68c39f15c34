"""Names that models give to the two actions that every run may have."""

PYTHON_NAMES = frozenset(
    {
        "python",
        "python_interpreter",
        "python_repl",
        "run_python",
        "run_python_code",
        "execute_python",
        "execute_python_code",
        "execute_code",
        "execute",
        "exec",
        "run_code",
        "run_program",
        "code",
        "code_interpreter",
        "code_execution",
        "tool_code",
        "ipython",
        "repl",
    }
)
PROGRAM_KEYS = (
    "code",
    "program",
    "python",
    "python_code",
    "script",
    "source",
    "source_code",
    "cmd",
    "command",
    "query",
    "input",
    "arg",
    "__arg1",
)
THOUGHT_KEYS = ("thought", "thoughts", "thinking", "reasoning", "explanation", "description")
FINISH_NAMES = frozenset(
    {"finish", "final_answer", "finalanswer", "final", "submit", "submit_answer"}
)
FINISH_KEYS = ("value", "answer", "result", "final_answer", "output", "response", "text")
PREFIXES = ("functions.", "function.", "default_api.", "multi_tool_use.", "tools.", "api.")


def is_python(name: str) -> bool:
    """Whether a name can only mean a program, in this dialect or another."""
    plain = name.lower().replace(" ", "_").replace("-", "_")
    return plain in PYTHON_NAMES or "python" in plain


def is_finish(name: str) -> bool:
    """Whether a name can only mean the end."""
    return name.lower().replace(" ", "_") in FINISH_NAMES
