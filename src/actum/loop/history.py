"""What the model sees: native messages, the stable part first, never rewritten."""

from actum.records.messages import Message, Opaque, Reply, said


class History:
    """The conversation so far. What was sent stays as it was sent: prompt caches stay warm."""

    def __init__(self, system: str, task: str) -> None:
        self._messages: list[Message] = [said("system", system), said("user", task)]

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
