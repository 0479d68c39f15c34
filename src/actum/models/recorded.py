"""A model that answers from a record: what was said then, in the same order."""

from collections.abc import AsyncGenerator, Sequence

from actum.errors import ModelFailed
from actum.models.contract import ModelEvent, ModelRequest
from actum.models.replies import events_of
from actum.records.messages import Reply


class Recorded:
    """Gives the replies of a record. The reply is chosen by how many answers the request holds."""

    def __init__(self, replies: Sequence[Reply], name: str = "recorded") -> None:
        self.name = name
        self._replies = tuple(replies)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Say what was said. Raises `ModelFailed` where the record holds no more."""
        said = sum(message.role == "assistant" for message in request.messages)
        if said >= len(self._replies):
            raise ModelFailed(
                f"The record behind {self.name} holds no further answer.",
                why=f"it has {len(self._replies)}, and number {said + 1} was asked for",
            )
        for event in events_of(self._replies[said]):
            yield event
