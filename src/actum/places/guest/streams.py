"""stdout and stderr of a program, kept in order across both.

Text leaves at quiescent points, when there is much of it, and when the program flushes it. Phase 2.
"""

import io
from typing import Any, Literal

from actum.places.guest.frames import Wire
from actum.places.guest.values import safe_text

StreamName = Literal["stdout", "stderr"]
SEND_AT = 8192
LARGEST_TEXT = 1 << 20


class Output:
    """What was written and not yet sent, and how much more there may be."""

    def __init__(self, wire: Wire, limit: int) -> None:
        self._wire = wire
        self._limit = limit
        self._left = limit
        self._cut = False
        self._kept: list[tuple[StreamName, str]] = []
        self._kept_size = 0

    def begin_program(self) -> None:
        """The limit counts for each program anew."""
        self._left = self._limit
        self._cut = False

    def write(self, stream: StreamName, text: str) -> None:
        """Keep text to be sent; past the limit it is dropped, and said so once."""
        if self._cut or not text:
            return
        text = safe_text(text)
        size = len(text) if text.isascii() else len(text.encode())
        if size > self._left:
            kept = text.encode()[: self._left].decode("utf-8", "ignore")
            text = f"{kept}\n[output cut at {self._limit} bytes]\n"
            self._cut = True
        self._left -= size
        self._kept.append((stream, text))
        self._kept_size += size
        if self._kept_size >= SEND_AT:
            self.send()

    def send(self) -> None:
        """Let what was kept leave now."""
        self.push()
        self._wire.flush()

    def push(self) -> None:
        """Hand what was kept to the wire, neighbours of one stream in one frame."""
        if not self._kept:
            return
        stream, pieces = self._kept[0][0], list[str]()
        for next_stream, text in self._kept:
            if next_stream != stream:
                self._push_one(stream, pieces)
                stream, pieces = next_stream, []
            pieces.append(text)
        self._push_one(stream, pieces)
        self._kept = []
        self._kept_size = 0

    def _push_one(self, stream: StreamName, pieces: list[str]) -> None:
        text = "".join(pieces)
        for start in range(0, len(text), LARGEST_TEXT):
            piece = text[start : start + LARGEST_TEXT]
            self._wire.push({"t": "output", "stream": stream, "text": piece})


class ProgramStream(io.TextIOBase):
    """One of the two, as `sys.stdout` and `sys.stderr`."""

    def __init__(self, output: Output, name: StreamName, descriptor: int) -> None:
        super().__init__()
        self._output = output
        self._name: StreamName = name
        self._descriptor = descriptor
        self.buffer: Any = _ByteStream(self)
        self.mode = "w"

    @property
    def name(self) -> str:
        return f"<{self._name}>"

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return "utf-8"

    @property
    def errors(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return "backslashreplace"

    @property
    def line_buffering(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: Any, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._output.write(self._name, text)
        return len(text)

    def flush(self) -> None:
        """Let the text leave: a program that computes for long, or is killed, has said it."""
        self._output.send()

    def reconfigure(self, **options: Any) -> None:
        """Change nothing: the encoding is fixed."""

    def close(self) -> None:
        """Change nothing: the next program writes here too."""


class _ByteStream(io.BufferedIOBase):
    """The bytes below: what is written must be text in the end."""

    def __init__(self, text: ProgramStream) -> None:
        super().__init__()
        self.raw: Any = self
        self._text = text

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return self._text.fileno()

    def write(self, content: Any, /) -> int:
        content = bytes(content)
        self._text.write(content.decode("utf-8", "backslashreplace"))
        return len(content)

    def flush(self) -> None:
        """Let the text leave, as above."""
        self._text.flush()

    def close(self) -> None:
        """Change nothing, as above."""
