"""What models cost, as their makers' pages said on DATE. USD for a million tokens."""

import re

import msgspec

from actum.models.providers import BY_NAME
from actum.records.messages import Usage

DATE = "2026-11-15"
MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """USD for a million tokens."""

    input: float
    cached: float
    """Read again from the provider's cache."""
    output: float
    cache_write: float
    """Put into the cache."""
    long_above: int | None = None
    """A request that reads more tokens than this costs a multiple, all of it."""
    long_input: float = 1.0
    long_output: float = 1.0


def _claude(
    read: float, cached: float, written: float, *, long_above: int | None = None, times: float = 1
) -> Price:
    return Price(
        input=read,
        cached=cached,
        output=written,
        cache_write=read * 1.25,
        long_above=long_above,
        long_input=times,
        long_output=times,
    )


def _gpt(read: float, cached: float, written: float) -> Price:
    """Up to GPT-5.3: what goes into the cache costs nothing extra."""
    return Price(input=read, cached=cached, output=written, cache_write=read)


def _long_gpt(read: float, cached: float, written: float) -> Price:
    return Price(
        input=read,
        cached=cached,
        output=written,
        cache_write=read * 1.25,
        long_above=272_000,
        long_input=2.0,
        long_output=1.5,
    )


def _gemini(read: float, cached: float, written: float, long_above: int | None = None) -> Price:
    return Price(
        input=read,
        cached=cached,
        output=written,
        cache_write=read,
        long_above=long_above,
        long_input=2.0,
        long_output=1.5,
    )


def _grok(read: float, cached: float, written: float) -> Price:
    return Price(
        input=read,
        cached=cached,
        output=written,
        cache_write=read,
        long_above=200_000,
        long_input=2.0,
        long_output=2.0,
    )


# Where a maker sells at a passing discount, the full price stands here: a budget must not run over.
PRICES: dict[str, Price] = {
    "claude-fable-5-1": _claude(10, 0.25, 50),
    "claude-fable-5": _claude(10, 1, 50),
    "claude-opus-5-5": _claude(4, 0.2, 20),
    "claude-opus-5": _claude(5, 0.5, 25),
    "claude-opus-4-8": _claude(5, 0.5, 25),
    "claude-opus-4-7": _claude(5, 0.5, 25),
    "claude-opus-4-6": _claude(5, 0.5, 25),
    "claude-opus-4-5": _claude(5, 0.5, 25),
    "claude-sonnet-5-5": _claude(2, 0.1, 10),
    "claude-sonnet-5": _claude(2, 0.2, 10),
    "claude-sonnet-4-6": _claude(3, 0.3, 15),
    "claude-sonnet-4-5": _claude(3, 0.3, 15),
    "claude-haiku-5-5": _claude(0.1, 0.01, 0.5, long_above=100_000, times=5),
    "claude-haiku-4-5": _claude(1, 0.1, 5),
    "gpt-6-astra": _long_gpt(10, 1, 50),
    "gpt-6.1-sol": _long_gpt(2, 0.1, 10),
    "gpt-6.1-terra": _long_gpt(1, 0.05, 5),
    "gpt-6-sol": _long_gpt(2, 0.2, 10),
    "gpt-6-luna": _long_gpt(0.1, 0.01, 0.5),
    "gpt-5.6-sol": _long_gpt(5, 0.5, 30),
    "gpt-5.6-terra": _long_gpt(2, 0.2, 12),
    "gpt-5.6-luna": _long_gpt(0.2, 0.02, 1.2),
    "gpt-5.5": _long_gpt(5, 0.5, 30),
    "gpt-5.4": _long_gpt(2.5, 0.25, 15),
    "gpt-5.4-mini": _gpt(0.75, 0.075, 4.5),
    "gpt-5.4-nano": _gpt(0.2, 0.02, 1.25),
    "gpt-5.2": _gpt(1.75, 0.175, 14),
    "gpt-5.1": _gpt(1.25, 0.125, 10),
    "gpt-5": _gpt(1.25, 0.125, 10),
    "gpt-5-mini": _gpt(0.25, 0.025, 2),
    "gpt-5-nano": _gpt(0.05, 0.005, 0.4),
    "gpt-4.1": _gpt(2, 0.5, 8),
    "gpt-4.1-mini": _gpt(0.4, 0.1, 1.6),
    "gpt-4.1-nano": _gpt(0.1, 0.025, 0.4),
    "gpt-4o": _gpt(2.5, 1.25, 10),
    "gpt-4o-mini": _gpt(0.15, 0.075, 0.6),
    "gemini-3.8-flash": _gemini(1.5, 0.15, 7.5),
    "gemini-3.7-flash": _gemini(1.5, 0.15, 7.5),
    "gemini-3.6-flash": _gemini(1.5, 0.15, 7.5),
    "gemini-3.5-flash": _gemini(1.5, 0.15, 9),
    "gemini-3.5-flash-lite": _gemini(0.3, 0.03, 2.5),
    "gemini-3.1-pro-preview": _gemini(2, 0.2, 12, 200_000),
    "gemini-2.5-pro": _gemini(1.25, 0.125, 10, 200_000),
    "gemini-2.5-flash": _gemini(0.3, 0.03, 2.5),
    "gemini-2.5-flash-lite": _gemini(0.1, 0.01, 0.4),
    "deepseek-v4-flash": _gpt(0.14, 0.028, 0.28),
    "deepseek-v4-pro": _gpt(1.74, 0.145, 3.48),
    "grok-4.5": _grok(2, 0.3, 6),
    "grok-4.3": _grok(1.25, 0.2, 2.5),
}

SOLD_BY_MAKER = ("anthropic", "openai", "openai-responses", "gemini", "deepseek", "xai")
"""Providers that sell at the prices above. Others resell at prices of their own."""

FREE = ("scripted", "recorded", "manual")
NOTHING = Price(input=0.0, cached=0.0, output=0.0, cache_write=0.0)
DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


def known_price(name: str) -> Price | None:
    """The price of `provider:model`; None where it is not known."""
    provider, _, model = name.partition(":")
    if provider in FREE or (provider in BY_NAME and BY_NAME[provider].local):
        return NOTHING
    if provider not in SOLD_BY_MAKER:
        return None
    return PRICES.get(model) or PRICES.get(DATED.sub("", model))


def price(name: str, usage: Usage, cache_write_tokens: int = 0) -> float | None:
    """What one request with this usage cost in USD; None where the price is not known."""
    known = known_price(name)
    if known is None:
        return None
    long = known.long_above is not None and usage.input_tokens > known.long_above
    plain = max(usage.input_tokens - usage.cached_tokens - cache_write_tokens, 0)
    read = (
        plain * known.input
        + usage.cached_tokens * known.cached
        + cache_write_tokens * known.cache_write
    )
    written = usage.output_tokens * known.output
    if long:
        read, written = read * known.long_input, written * known.long_output
    return (read + written) / MILLION
