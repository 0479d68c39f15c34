"""Names of tools: as their source has them, and as a program can write them."""

import keyword
import re
import unicodedata

from actum.errors import BadTool

RESERVED = frozenset({"search", "describe", "parallel", "ToolError", "Denied"})
_NOT_IN_A_NAME = re.compile(r"\W+")


def check_name(name: str) -> None:
    """Refuse a name that a user gave and that cannot be made one of Python."""
    parts = name.split(".")
    if not all(re.search(r"\w", part) for part in parts):
        raise BadTool(
            f"{name!r} is no name that a program can write",
            hints=('give it one: @tool(name="crm.get")',),
        )
    if python_name(parts[0]) in RESERVED:
        raise BadTool(
            f"the name {parts[0]!r} belongs to the tools root itself",
            hints=(f'give it another: @tool(name="my.{parts[-1]}")',),
        )


def python_name(name: str) -> str:
    """The full name as a program writes it: `crm.get-order` is `crm.get_order`."""
    if name.isascii() and all(
        p.isidentifier() and not keyword.iskeyword(p) for p in name.split(".")
    ):
        return name
    return ".".join(map(_python_part, name.split(".")))


def _python_part(part: str) -> str:
    # Python itself reads every name in this form, so no other could be found.
    plain = unicodedata.normalize("NFKC", part)
    made = _NOT_IN_A_NAME.sub("_", plain).strip("_") if not plain.isidentifier() else plain
    if not made:
        return "tool"
    if made[0].isdigit() or not made.isidentifier():
        made = f"_{made}" if f"_{made}".isidentifier() else "tool"
    return f"{made}_" if keyword.iskeyword(made) else made
