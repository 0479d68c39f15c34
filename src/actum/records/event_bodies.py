"""What every body of an event is."""

from typing import ClassVar

import msgspec


class Body(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an event says beside its place."""

    kind: ClassVar[str] = ""
