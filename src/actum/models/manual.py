"""A person at the terminal, or a program by files, plays the model."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import msgspec

from actum.errors import ModelFailed
from actum.models.contract import ModelEvent, ModelRequest
from actum.models.json_fields import decoded
from actum.models.replies import events_of
from actum.records.messages import Message, NativeCall, NativeResult, Reply, Text, Usage

END_LINE = "."
LOOK_EVERY = 0.1


class ByHand:
    """Shows the request on stderr and reads the answer from the terminal, up to a line `.`."""

    def __init__(
        self,
        read: Callable[[], str] = sys.stdin.readline,
        write: Callable[[str], object] = sys.stderr.write,
    ) -> None:
        self.name = "manual"
        self._read = read
        self._write = write

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask the person. Raises `ModelFailed` where the input ends before anything is said."""
        self._write(shown(request))
        lines: list[str] = []
        while True:
            line = await asyncio.to_thread(self._read)
            if line.rstrip("\r\n") == END_LINE:
                break
            if not line and not lines:
                raise ModelFailed("Nobody answered.", why="the input ended")
            if not line:
                break
            lines.append(line)
        for event in events_of(_answer("".join(lines).removesuffix("\n"))):
            yield event


class ByFiles:
    """Writes `N.request.json` into a folder and waits for `N.reply.txt` or `N.reply.json`.

    N is how many answers the request already holds: an answer that is there is used again.
    """

    def __init__(self, folder: Path, seconds: float = 3600.0) -> None:
        self.name = f"manual:{folder}"
        self._folder = folder
        self._seconds = seconds

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask by file. Raises `ModelFailed` where no answer comes in time, or none can be read."""
        number = sum(message.role == "assistant" for message in request.messages)
        self._folder.mkdir(parents=True, exist_ok=True)
        _put(self._folder / f"{number}.request.json", msgspec.json.encode(request))
        try:
            async with asyncio.timeout(self._seconds):
                reply = await self._reply(number)
        except TimeoutError:
            raise ModelFailed(
                f"No answer was put into {self._folder}.",
                why=f"nobody wrote {number}.reply.txt within {self._seconds:g} seconds",
            ) from None
        for event in events_of(reply):
            yield event

    async def _reply(self, number: int) -> Reply:
        text = self._folder / f"{number}.reply.txt"
        whole = self._folder / f"{number}.reply.json"
        while True:
            if text.exists():
                return _answer(text.read_text(encoding="utf-8").removesuffix("\n"))
            if whole.exists():
                return _read_reply(whole)
            await asyncio.sleep(LOOK_EVERY)


def shown(request: ModelRequest) -> str:
    """What a person needs to see: everything that was said since the last answer."""
    since = 0
    for index, message in enumerate(request.messages):
        if message.role == "assistant":
            since = index + 1
    lines = [_shown_message(message) for message in request.messages[since:]]
    if request.tools:
        lines.append(f"tools: {', '.join(tool.name for tool in request.tools)}\n")
    lines.append(f"you are the model; end your answer with a line {END_LINE}\n")
    return "\n".join(lines)


def _shown_message(message: Message) -> str:
    words = [message.text] if message.text else []
    for part in message.parts:
        if isinstance(part, NativeCall):
            words.append(f"{part.name}({part.arguments})")
        elif isinstance(part, NativeResult):
            words.append(f"result of {part.id}: {part.text}")
    return f"[{message.role}]\n" + "\n".join(words) + "\n"


def _answer(text: str) -> Reply:
    parts = (Text(text),) if text else ()
    return Reply(parts=parts, usage=Usage(requests=1, usd=0.0), model="manual")


def _read_reply(path: Path) -> Reply:
    """A reply as the record keeps it: `{"parts": [{"type": "text", "text": "..."}]}`."""
    try:
        return msgspec.convert(decoded(path.read_bytes()), Reply)
    except ValueError as error:
        raise ModelFailed(f"{path} is not a reply.", why=str(error)) from None


def _put(path: Path, content: bytes) -> None:
    """Write whole or not at all: whoever waits for the file must not read half of it."""
    half = path.with_suffix(".half")
    half.write_bytes(content)
    half.replace(path)
