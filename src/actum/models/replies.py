"""A reply as a stream of events, and a stream of events as a reply."""

from collections.abc import AsyncIterator, Iterator

from actum.errors import ModelFailed
from actum.models.contract import (
    BlockDone,
    ModelEvent,
    ReplyEnd,
    TextDelta,
    ThinkingDelta,
    UsageSeen,
)
from actum.records.messages import NativeCall, Opaque, Part, Reply, Text, Usage


def events_of(reply: Reply) -> Iterator[ModelEvent]:
    """What a model would have sent to give this reply."""
    for part in reply.parts:
        if isinstance(part, Text):
            yield TextDelta(part.text)
        elif isinstance(part, NativeCall | Opaque):
            yield BlockDone(part)
    yield UsageSeen(reply.usage)
    yield ReplyEnd(stop=reply.stop, model=reply.model, id=reply.id)


class ReplyBuilder:
    """Puts a reply together from events, its parts in the order in which they came."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._words: list[str] = []
        self._usage = Usage(requests=1)
        self._end: ReplyEnd | None = None

    def add(self, event: ModelEvent) -> None:
        """Take the next event."""
        if isinstance(event, TextDelta):
            self._words.append(event.text)
        elif isinstance(event, BlockDone):
            self._end_words()
            self._parts.append(event.block)
        elif isinstance(event, UsageSeen):
            self._usage = event.usage
        elif isinstance(event, ReplyEnd):
            self._end = event
        else:
            _shown_only: ThinkingDelta = event

    def reply(self) -> Reply:
        """The whole of it. Raises `ModelFailed` where the stream did not come to its end."""
        if self._end is None:
            raise ModelFailed("The answer of the model stopped before its end.")
        self._end_words()
        return Reply(
            parts=tuple(self._parts),
            stop=self._end.stop,
            usage=self._usage,
            model=self._end.model,
            id=self._end.id,
        )

    @property
    def usage(self) -> Usage:
        """What has been used so far, also of an answer that was cut."""
        return self._usage

    def _end_words(self) -> None:
        if self._words:
            self._parts.append(Text("".join(self._words)))
            self._words.clear()


async def whole_reply(stream: AsyncIterator[ModelEvent]) -> Reply:
    """Listen to the end."""
    builder = ReplyBuilder()
    async for event in stream:
        builder.add(event)
    return builder.reply()
