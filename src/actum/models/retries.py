"""How often a provider is asked again, and after how long."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import msgspec

from actum.errors import ModelFailed

RETRY_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 524, 529})


class TryAgain(Exception):
    """This attempt brought no answer, another one may. Never leaves this room."""

    def __init__(self, failure: ModelFailed, wait: float | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.wait = wait


class Retries(msgspec.Struct, frozen=True, kw_only=True):
    """Attempts, and the waits between them in seconds."""

    attempts: int = 4
    first: float = 0.5
    most: float = 20.0
    patience: float = 60.0
    """A provider that asks for a longer wait than this is not waited for."""

    def wait(self, attempt: int, asked: float | None, chance: float) -> float | None:
        """Seconds until the next attempt; None where there is none. `chance` is in 0 to 1."""
        if attempt >= self.attempts:
            return None
        if asked is not None:
            return asked if asked <= self.patience else None
        # Half of it is left to chance, so that many clients do not come back together.
        return min(self.first * 2 ** (attempt - 1), self.most) * (0.5 + 0.5 * chance)


def may_retry(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the same request may succeed later."""
    said = headers.get("x-should-retry", "")
    if said in ("true", "false"):
        return said == "true"
    return status in RETRY_STATUSES


def asked_wait(headers: Mapping[str, str], now: float) -> float | None:
    """What the provider asks for: milliseconds, seconds or a date. None where it says nothing."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "")
    seconds = _number(text)
    if seconds is not None or not text:
        return seconds
    try:
        return max(parsedate_to_datetime(text).timestamp() - now, 0.0)
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
