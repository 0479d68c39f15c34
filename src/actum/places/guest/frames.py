"""The wire: frames over one descriptor, each a JSON header and a body of raw bytes.

Phase 2. Only `read` and `write` are used, so that any system-call filter lets it pass.
"""

import io
import os
from typing import Any

from actum.places.guest.values import Body, header_text, read_header

LENGTHS = 8
LARGEST_FRAME = 16 << 20
"""The host ends a session that sends a larger header or body."""


class Wire:
    """Frames out are kept until `flush`; a frame in is read whole, into memory of its size."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._reader = io.FileIO(descriptor, "rb", closefd=False)
        self._lengths = bytearray(LENGTHS)
        self._kept: list[bytes] = []

    def push(self, header: dict[str, Any], body: Body | None = None) -> None:
        """Keep a frame to be sent."""
        self.push_encoded(header_text(header), body)

    def push_encoded(self, header: bytes, body: Body | None = None) -> None:
        """Keep a frame whose header is JSON already."""
        size = body.size if body is not None else 0
        self._kept.append(len(header).to_bytes(4, "big") + size.to_bytes(4, "big"))
        self._kept.append(header)
        if body is not None:
            self._kept.extend(body.parts)

    def fits(self, header: bytes, body: Body) -> bool:
        """Whether the host will take it."""
        return len(header) <= LARGEST_FRAME and body.size <= LARGEST_FRAME

    def flush(self) -> None:
        """Send what was kept."""
        if not self._kept:
            return
        rest = memoryview(b"".join(self._kept))
        self._kept.clear()
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def receive(self) -> dict[str, Any]:
        """Wait for the next frame. Ends the process where the host is gone."""
        self._fill(self._lengths)
        header = bytearray(int.from_bytes(self._lengths[:4], "big"))
        body = bytearray(int.from_bytes(self._lengths[4:], "big"))
        self._fill(header)
        self._fill(body)
        return read_header(header, body)

    def _fill(self, buffer: bytearray) -> None:
        rest = memoryview(buffer)
        while rest:
            count = self._reader.readinto(rest)
            if not count:
                os._exit(0)
            rest = rest[count:]
