"""Figures of matplotlib: drawn to bytes when they are shown, and at the end of a program.

Phase 2. Nothing here imports matplotlib; where a program has not, there are no figures.
"""

import io
import sys
from collections.abc import Callable
from typing import Any

MOST_FIGURES = 20
LARGEST_PICTURE = 4 << 20
LONGEST_SIDE = 2000
"""Pixels. A larger figure is drawn with fewer dots; `savefig` draws it as it is."""
UNTIDY_SIDE = 2 * LONGEST_SIDE
PYPLOT = "matplotlib.pyplot"

Send = Callable[[bytes, bytes], None]


def _nowhere(picture: bytes, drawing: bytes) -> None:
    """Nobody has asked for pictures."""


class Figures:
    """The figures of one program on their way to the host."""

    def __init__(self) -> None:
        self._send: Send = _nowhere
        self._sent: list[bytes] = []

    def begin(self, send: Send) -> None:
        """Where pictures go: a PNG, and an SVG that may be empty."""
        self._send = send

    def begin_program(self) -> None:
        """Each program may draw anew."""
        self._sent = []

    def show_all(self, last: Any = None) -> None:
        """Draw every open figure and close it, as a notebook does; and this one, if it is not open."""
        opened = _taken()
        for figure in opened if last is None or last in opened else [*opened, last]:
            self.draw(figure)

    def draw(self, figure: Any) -> None:
        """Send one figure, unless this program has sent the same picture before."""
        picture, border = _png(figure)
        if picture in self._sent:
            return
        if len(self._sent) == MOST_FIGURES:
            print(f"[only the first {MOST_FIGURES} figures are kept]", file=sys.stderr)
        self._sent.append(picture)
        if len(self._sent) > MOST_FIGURES:
            return
        if len(picture) > LARGEST_PICTURE:
            print("[a figure is too large to be kept: draw less in it]", file=sys.stderr)
            return
        drawing = _svg(figure, border)
        self._send(picture, drawing if len(drawing) <= LARGEST_PICTURE else b"")


FIGURES = Figures()


def _taken() -> list[Any]:
    """The open figures, which are open no longer."""
    pyplot = sys.modules.get(PYPLOT)
    if pyplot is None:
        return []
    opened = [pyplot.figure(number) for number in pyplot.get_fignums()]
    pyplot.close("all")
    return opened


def cure_pyplot(pyplot: Any) -> None:
    """`show` has no window here: it sends the figures. pyplot wants to write on it: a function."""

    def show(*values: Any, **options: Any) -> None:
        """Show every open figure."""
        FIGURES.show_all()

    pyplot.show = show


def figure_behind(value: Any) -> Any:
    """The figure that a value is, or is part of; None where it is neither."""
    artist = sys.modules.get("matplotlib.artist")
    if artist is None:
        return None
    if type(value).__module__.startswith("seaborn."):
        value = getattr(value, "figure", None)
    elif isinstance(value, (list, tuple)) and value:
        value = value[0]
    elif type(value).__name__ == "ndarray" and value.dtype.kind == "O":
        value = value.flat[0] if value.size else None
    if not isinstance(value, artist.Artist):
        return None
    root = value.get_figure()
    while root is not None and not isinstance(root, sys.modules["matplotlib.figure"].Figure):
        root = root.get_figure(root=True)
    return root


def _png(figure: Any) -> tuple[bytes, str | None]:
    """With a narrow border, as notebooks draw it; without where something lies far outside."""
    try:
        picture = _saved(figure, "png", {"Software": None}, "tight")
    except Exception:
        # What is wrong with the figure itself is wrong without the border too.
        picture = b""
    if picture and max(_size(picture)) <= UNTIDY_SIDE:
        return picture, "tight"
    return _saved(figure, "png", {"Software": None}, None), None


def _svg(figure: Any, border: str | None) -> bytes:
    """Its names are made from a fixed salt, so that the same figure is the same text."""
    with sys.modules["matplotlib"].rc_context({"svg.hashsalt": "actum"}):
        return _saved(figure, "svg", {"Date": None}, border)


def _saved(figure: Any, kind: str, metadata: dict[str, None], border: str | None) -> bytes:
    written = io.BytesIO()
    dots = min(float(figure.dpi), LONGEST_SIDE / max(*figure.get_size_inches(), 0.01))
    figure.savefig(written, format=kind, dpi=dots, metadata=metadata, bbox_inches=border)
    return written.getvalue()


def _size(picture: bytes) -> tuple[int, int]:
    return int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")
