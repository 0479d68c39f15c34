"""What is no part of an answer: thinking, marks of chat templates, invented turns."""

import re

THINKING = re.compile(
    r"\A\s*<(think|thinking|thought|reasoning|reflection|scratchpad)>.*?</\1>",
    re.DOTALL | re.IGNORECASE,
)
THINKING_END = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
THINKING_OPEN = re.compile(r"\A\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
# gpt-oss: analysis first, then what counts.
CHANNEL_THINKING = re.compile(
    r"<\|channel\|>analysis<\|message\|>.*?(?:<\|end\|>|(?=<\|channel\|>)|\Z)", re.DOTALL
)
CHANNEL_FINAL = re.compile(r"(?:<\|start\|>assistant)?<\|channel\|>final(?: [^<]*)?<\|message\|>")
TEMPLATE_END = re.compile(
    r"(?:(?:<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|return|call|eos)\|>"
    r"|<(?:end_of_turn|end_code|end_action|eos)>|</s>|\[/INST\]|\[EOS\])\s*)+\Z"
)
TEMPLATE_START = re.compile(
    r"\A\s*(?:<\|im_start\|>assistant\s*\n|<\|start_header_id\|>assistant<\|end_header_id\|>\s*"
    r"|<start_of_turn>model\s*\n|<\|assistant\|>\s*|<s>\s*|<\|start\|>assistant(?=[^<]|\Z))"
)
HALF = re.compile("[\ud800-\udfff]")
INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060\x00"), None)
ODD_SPACES = {ord("\u00a0"): " ", ord("\u202f"): " ", ord("\u2028"): "\n", ord("\u2029"): "\n"}

# A line that only the other side can write. What stands behind it is made up.
INVENTED = re.compile(
    r"""^[ \t]*(?:
        [*_]{0,2}(?:observations?|execution\ logs?|execution\ output|tool\ (?:response|result|output)
            |last\ output\ from\ code\ snippet|function\ (?:result|response))[*_]{0,2}\ *:
        |<(?:observation|tool_response|tool_result|function_results?|output|result|execution_result
            |interpreter|information)>
        |<\|im_start\|>(?:user|tool|ipython)|<\|start_header_id\|>(?:user|ipython|tool)
        |<\|(?:user|observation|tool_response)\|>|<start_of_turn>user|\[TOOL_RESULTS\]|\[INST\]
        |(?:human|user)\ *:
    )""",
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)

# The same where a program may stand in front: `observation: float` is a field of its own.
INVENTED_BEHIND_CODE = re.compile(
    r"^(?:[*_]{0,2}(?:Observations?|Execution [Ll]ogs?|Execution output|Tool (?:response|result|output)"
    r"|Function (?:result|response)|Last output from code snippet|Final [Aa]nswer|Thought)"
    r"[*_]{0,2} *:(?!.*=)"
    r"|</?(?:observation|tool_response|tool_result|output|result|execution_result)>"
    r"|<\|(?:im_start|start_header_id|user|observation)\|>|\[TOOL_RESULTS\])",
    re.MULTILINE,
)


def cleaned(text: str) -> str:
    """The answer without thinking and without marks of a chat template."""
    text = whole_characters(text).replace("\r\n", "\n").replace("\r", "\n")
    text = text.translate(INVISIBLE).translate(ODD_SPACES)
    text = CHANNEL_THINKING.sub("", text)
    text = _without_thinking(CHANNEL_FINAL.sub("", text))
    text = TEMPLATE_START.sub("", text)
    return TEMPLATE_END.sub("", text).strip("\n").rstrip()


def whole_characters(text: str) -> str:
    """The text without halves of characters, which nothing can store."""
    if HALF.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def before_invented(text: str) -> str:
    """What stands in front of the first turn that the model made up for the other side."""
    found = INVENTED.search(text)
    return text if found is None else text[: found.start()]


def _without_thinking(text: str) -> str:
    while found := THINKING.match(text):
        text = text[found.end() :]
    if THINKING_OPEN.match(text):
        return ""
    lone = THINKING_END.match(text)
    opened = re.search(r"<(?:think|thinking|reasoning)>", text, re.IGNORECASE)
    if lone is not None and opened is None:
        # The template put the opening mark into the prompt.
        return text[lone.end() :]
    return text
