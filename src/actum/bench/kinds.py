"""The kinds of session that this machine can have: each level of wall, with and without libraries."""

import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import get_args

import msgspec

from actum.errors import NoWall
from actum.places.local.interpreter import USUAL_PRELOAD, this_interpreter
from actum.places.local.place import Local, WallLevel


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """One kind, with a place that makes it."""

    level: WallLevel
    libraries: tuple[str, ...]
    place: Local

    @property
    def loaded(self) -> str:
        """As the figures name it."""
        return "with data" if self.libraries else "bare"

    @property
    def name(self) -> str:
        """As the figures name it."""
        return f"{self.level}, {self.loaded}"


def libraries_here() -> tuple[tuple[str, ...], ...]:
    """Nothing, and what is usually preloaded where all of it is installed."""
    interpreter = this_interpreter()
    whole = all(interpreter.has(module) for module in USUAL_PRELOAD)
    return ((), USUAL_PRELOAD) if whole else ((),)


async def find_kinds() -> tuple[list[Kind], list[str]]:
    """Every kind that can be had, and why others cannot."""
    kinds: list[Kind] = []
    notes: list[str] = []
    for level in get_args(WallLevel):
        for libraries in libraries_here():
            place = Local(level=level, preload=libraries)
            try:
                await place.environment()
            except NoWall as missing:
                notes.append(f"level {level} is not here: {missing.why}")
                await place.close()
                break
            kinds.append(Kind(level=level, libraries=libraries, place=place))
    if not kinds:
        raise NoWall(
            "There is nothing to measure: no wall can be raised here.", hints=("actum doctor",)
        )
    return kinds, notes


@asynccontextmanager
async def kinds_here() -> AsyncGenerator[tuple[list[Kind], list[str], Path]]:
    """The kinds, and a folder for their records; all of it gone at the end."""
    with tempfile.TemporaryDirectory(prefix="actum-bench-") as folder:
        kinds, notes = await find_kinds()
        try:
            yield kinds, notes, Path(folder)
        finally:
            for kind in kinds:
                await kind.place.close()
