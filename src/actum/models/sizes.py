"""How large a model is, as far as its name says."""

import re

SMALL = 9.0
"""Thousand millions of parameters: up to here a short prompt with examples does better."""
_BILLIONS = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)
_MILLIONS = re.compile(r"(?<![\d.])(\d+)m(?![a-z])", re.IGNORECASE)


def is_small(name: str) -> bool:
    """Whether the name tells of a small model: `ollama:qwen2.5-coder:7b`, `smollm2-135m`."""
    billions = [float(number) for number in _BILLIONS.findall(name)]
    if billions:
        return max(billions) <= SMALL
    return bool(_MILLIONS.search(name))
