"""What models cost, as their providers' pages said on DATE. USD for a million tokens."""

import re

import msgspec

from actum.models.providers import BY_NAME
from actum.records.messages import Usage

DATE = "2026-11-15"
MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True):
    """USD for a million tokens: read, read from the cache, written, put into the cache."""

    input: float
    cached: float
    output: float
    cache_write: float | None = None
    """None where putting something into the cache costs what reading it costs."""


def _anthropic(read: float, written: float, cached: float | None = None) -> Price:
    return Price(read, read / 10 if cached is None else cached, written, read * 1.25)


PRICES: dict[str, Price] = {
    "claude-haiku-4-5": _anthropic(1, 5),
}

FREE = ("scripted", "recorded", "manual")
DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


def known_price(name: str) -> Price | None:
    """The price of `provider:model`; None where it is not known."""
    provider, _, model = name.partition(":")
    if provider in FREE or (provider in BY_NAME and BY_NAME[provider].local):
        return Price(0.0, 0.0, 0.0)
    if provider not in SOLD_BY_MAKER:
        return None
    return PRICES.get(model) or PRICES.get(DATED.sub("", model))


def price(name: str, usage: Usage, cache_write_tokens: int = 0) -> float | None:
    """What this usage cost in USD; None where the price is not known."""
    known = known_price(name)
    if known is None:
        return None
    write = known.input if known.cache_write is None else known.cache_write
    plain = usage.input_tokens - usage.cached_tokens - cache_write_tokens
    spent = (
        max(plain, 0) * known.input
        + usage.cached_tokens * known.cached
        + cache_write_tokens * write
        + usage.output_tokens * known.output
    )
    return spent / MILLION


SOLD_BY_MAKER = ("anthropic", "openai", "openai-responses", "gemini", "mistral", "deepseek")
"""Providers that sell at the prices above. Others resell at prices of their own."""
