"""What happened, as a message."""

from collections.abc import Sequence

from actum.loop.formats.contract import Told
from actum.records.messages import Message, NativeResult, Part, Text


def answer_message(told: Sequence[Told]) -> Message:
    """Native calls get native results, in their order; the rest is one text behind them."""
    results: list[Part] = [
        NativeResult(id=one.call_id, text=one.text, failed=one.failed)
        for one in told
        if one.call_id is not None
    ]
    words = "\n\n".join(one.text for one in told if one.call_id is None)
    if words or not results:
        results.append(Text(words))
    return Message(role="user", parts=tuple(results))
