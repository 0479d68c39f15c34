"""A model that says what was written down for it. Its place in the script is in the request."""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import msgspec

from actum.errors import ModelFailed, NoSuchFile
from actum.models.contract import ModelEvent, ModelRequest
from actum.models.replies import events_of
from actum.records.messages import Reply, Text, Usage

ScriptedReply = str | Reply | Callable[[ModelRequest], "str | Reply"]
SEPARATOR = "---"


class Scripted:
    """Gives its replies one after the other.

    The reply is chosen by how many answers the request already holds, so a run that goes on in a
    new process goes on at the same place.
    """

    def __init__(self, replies: Sequence[ScriptedReply], name: str = "scripted") -> None:
        self.name = name
        self._replies = tuple(replies)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Say the next reply. Raises `ModelFailed` where the script is used up."""
        said = sum(message.role == "assistant" for message in request.messages)
        if said >= len(self._replies):
            raise ModelFailed(
                f"The script of {self.name} is used up.",
                why=f"it has {len(self._replies)} replies, and number {said + 1} was asked for",
                hints=("add a reply to the script",),
            )
        reply = self._replies[said]
        answer = reply(request) if callable(reply) else reply
        for event in events_of(_counted(answer, self.name)):
            yield event


def scripted(replies: Sequence[ScriptedReply]) -> Scripted:
    """A model for tests: each reply is text as a model would send it, or a function of the request."""
    return Scripted(replies)


def scripted_file(path: Path) -> Scripted:
    """A model whose replies stand in a text file, separated by lines of `---`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NoSuchFile(
            f"The script {path} cannot be read.",
            why=str(error),
            hints=("a script is a text file; replies are separated by a line ---",),
        ) from None
    return Scripted(replies_in(text), name=f"scripted:{path}")


def replies_in(text: str) -> tuple[str, ...]:
    """The replies in a script's text, each without the line end before the separator."""
    replies: list[list[str]] = [[]]
    for line in text.splitlines(keepends=True):
        if line.rstrip() == SEPARATOR:
            replies.append([])
        else:
            replies[-1].append(line)
    whole = ["".join(lines).removesuffix("\n").removesuffix("\r") for lines in replies]
    if not whole[-1]:
        # A file that ends with a separator, or holds nothing at all, has no reply there.
        whole.pop()
    return tuple(whole)


def _counted(answer: str | Reply, name: str) -> Reply:
    """The answer with the usage of a model that costs nothing."""
    if isinstance(answer, str):
        answer = Reply(parts=(Text(answer),) if answer else ())
    model = answer.model or name
    return msgspec.structs.replace(answer, usage=Usage(requests=1, usd=0.0), model=model)
