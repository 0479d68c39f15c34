"""What a run has used, counted from its record."""

from collections.abc import Sequence

from actum.records.events import Event, ModelResponse, ToolAttempted
from actum.records.messages import Usage


def usage_of(events: Sequence[Event]) -> Usage:
    """Requests, calls, tokens, money and seconds. `usd` is None where one price is not known."""
    replies = [event.body.reply for event in events if isinstance(event.body, ModelResponse)]
    used = [reply.usage for reply in replies]
    prices = [usage.usd for usage in used]
    known = [price for price in prices if price is not None]
    return Usage(
        requests=len(used),
        calls=sum(isinstance(event.body, ToolAttempted) for event in events),
        input_tokens=sum(usage.input_tokens for usage in used),
        cached_tokens=sum(usage.cached_tokens for usage in used),
        output_tokens=sum(usage.output_tokens for usage in used),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in used),
        usd=sum(known) if len(known) == len(prices) else None,
        seconds=(events[-1].time - events[0].time) / 1e9 if events else 0.0,
    )
