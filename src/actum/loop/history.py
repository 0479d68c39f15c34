"""What the model sees: native messages, the stable part first, never rewritten."""

from collections.abc import Sequence

from actum.records.messages import Image, Message, Opaque, Reply, Text, said
from actum.records.values import BlobRef


class History:
    """The conversation so far. What was sent stays as it was sent: prompt caches stay warm."""

    def __init__(self, system: str, task: str, images: Sequence[BlobRef] = ()) -> None:
        asked = Message(role="user", parts=(Text(task), *(Image(blob) for blob in images)))
        self._messages: list[Message] = [said("system", system), asked]

    @property
    def messages(self) -> tuple[Message, ...]:
        """Everything, in order."""
        return tuple(self._messages)

    def add_reply(self, reply: Reply) -> None:
        """The model's own words go back to it unchanged, opaque blocks included."""
        if any(not isinstance(part, Opaque) for part in reply.parts):
            self._messages.append(Message(role="assistant", parts=reply.parts))
        else:
            self._messages.append(said("assistant", "(an empty answer)"))

    def add(self, message: Message) -> None:
        """What happened."""
        self._messages.append(message)
