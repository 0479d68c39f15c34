"""What happened, as a message."""

from collections.abc import Sequence

from actum.loop.formats.contract import Told
from actum.loop.formats.reading.meaning import TEXT_CALL
from actum.records.messages import Image, Message, NativeCall, NativeResult, Part, Text

TOGETHER = "Answered together with the first call of this turn."


def answer_message(told: Sequence[Told]) -> Message:
    """Native calls get native results, in their order; the rest is one text behind them; then pictures."""
    results: list[Part] = [
        NativeResult(id=one.call_id, text=one.text, failed=one.failed, images=one.images)
        for one in told
        if _is_native(one) and one.call_id is not None
    ]
    words = "\n\n".join(_words(one) for one in told if not _is_native(one))
    if words or not results:
        results.append(Text(words))
    results.extend(Image(blob) for one in told if not _is_native(one) for blob in one.images)
    return Message(role="user", parts=tuple(results))


def every_call_told(told: Sequence[Told], calls: Sequence[NativeCall]) -> tuple[Told, ...]:
    """The same, and a word on each native call that has none: providers refuse a gap."""
    answered = {one.call_id for one in told}
    missing = [call for call in calls if call.id not in answered]
    first = [one for one in told if one.call_id is not None]
    if missing and told and not first:
        # Nobody knew the call that this answers, as for a `finish` that did not fit.
        answer = Told(
            text=told[0].text, call_id=missing[0].id, failed=told[0].failed, images=told[0].images
        )
        told = (answer, *told[1:])
        missing = missing[1:]
    return (*told, *(Told(text=TOGETHER, call_id=call.id) for call in missing))


def _is_native(told: Told) -> bool:
    return told.call_id is not None and not told.call_id.startswith(TEXT_CALL)


def _words(told: Told) -> str:
    if told.call_id is None:
        return told.text
    return f"Result of call {told.call_id.removeprefix(TEXT_CALL)}:\n{told.text}"
