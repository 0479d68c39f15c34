"""Text from tools and servers: made harmless and short before anybody reads it."""

import unicodedata

# Marks that turn the direction of text around, or that nobody can see, hide what is written.
_HIDING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def clean(text: str, limit: int) -> str:
    """No control or hidden characters; capped, and it says so."""
    if text.isascii() and text.isprintable():
        kept = text
    else:
        kept = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in _HIDING)
    if len(kept) <= limit:
        return kept
    mark = "..." if limit < 400 else f"... (cut at {limit} characters)"
    return kept[: max(0, limit - len(mark))].rstrip() + mark


def first_line(text: str) -> str:
    """The first sentence of a description, in one line."""
    paragraph = text.strip().partition("\n\n")[0]
    line = " ".join(paragraph.split())
    sentence, end, _ = line.partition(". ")
    return sentence + "." if end else line
