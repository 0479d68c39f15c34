"""Bytes of a text/event-stream in, the data of each event out."""

from collections.abc import Iterator

from actum.errors import ModelFailed

MOST_BYTES = 64 * 1024 * 1024


class EventReader:
    """Takes bytes however they were cut, and gives the data of each event that is whole."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The events that end in this chunk."""
        for line in self._lines(chunk):
            if line.startswith(b"data:"):
                data = line[5:]
                self._data.append(data[1:] if data.startswith(b" ") else data)
            elif not line and self._data:
                yield b"\n".join(self._data)
                self._data.clear()

    def close(self) -> Iterator[bytes]:
        """The event that the stream ended on without its empty line."""
        yield from self.feed(b"\n\n")

    def _lines(self, chunk: bytes) -> Iterator[bytes]:
        if b"\n" not in chunk and b"\r" not in chunk:
            self._keep(chunk)
            return
        whole = b"".join((*self._rest, chunk))
        self._rest.clear()
        self._rest_size = 0
        lines = whole.splitlines(keepends=True)
        if not lines[-1].endswith(b"\n"):
            # A carriage return at the very end may be half of a line end.
            self._keep(lines.pop())
        for line in lines:
            yield line.rstrip(b"\r\n")

    def _keep(self, piece: bytes) -> None:
        self._rest.append(piece)
        self._rest_size += len(piece)
        if self._rest_size > MOST_BYTES:
            raise ModelFailed(
                "The provider sent a line that does not end.",
                why=f"more than {MOST_BYTES // (1024 * 1024)} MiB without a line end",
            )
