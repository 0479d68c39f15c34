"""Text for the model, never longer than its cap; it says where it was cut."""

OBSERVATION_LIMIT = 8 * 1024


def capped(text: str, limit: int = OBSERVATION_LIMIT) -> str:
    """Head and tail of a long text, and how much is missing between them."""
    if len(text) <= limit:
        return text
    head = text[: limit * 2 // 3]
    tail = text[-(limit // 3) :]
    missing = len(text) - len(head) - len(tail)
    return f"{head}\n... ({missing} characters cut; print less, or a part of it) ...\n{tail}"
