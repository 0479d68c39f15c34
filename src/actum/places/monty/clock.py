"""The clock and the entropy of one session: what the record says, and nothing of this machine."""

import datetime
import random

SECOND = 1_000_000_000
TICK = 1000
"""What passes between two looks, in nanoseconds: no two are equal."""


class Clock:
    """Nanoseconds since 1970, moved by the host."""

    def __init__(self, started: int, seed: str) -> None:
        self.now = started
        self._bytes = random.Random(f"urandom {seed}")  # noqa: S311 -- repeatable on purpose

    def advance_to(self, moment: int) -> None:
        """Never backwards."""
        self.now = max(self.now, moment)

    def answer(self, name: str, arguments: tuple[object, ...]) -> object:
        """What a function of the system says."""
        self.now += TICK
        if name == "time.time":
            return self.now / SECOND
        if name == "os.urandom":
            count = arguments[0]
            return self._bytes.randbytes(count if isinstance(count, int) else 0)
        zone = arguments[0] if arguments else None
        moment = datetime.datetime.fromtimestamp(self.now / SECOND, datetime.UTC)
        if name == "date.today":
            return moment.date()
        if isinstance(zone, datetime.tzinfo):
            return moment.astimezone(zone)
        return moment.replace(tzinfo=None)


ANSWERED = frozenset({"date.today", "datetime.now", "os.urandom", "time.time"})
SLEEPS = frozenset({"time.sleep", "system.sleep"})
SLEEPS_AWAITED = frozenset({"asyncio.sleep", "system.async_sleep"})
