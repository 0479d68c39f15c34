"""Names like one that is not there."""

import difflib
from collections.abc import Collection, Iterable

NAMES = 3
_MOST_CANDIDATES = 2000


def near_names(name: str, names: Collection[str]) -> list[str]:
    """The nearest, best first. In a large catalog only those that begin alike are compared."""
    candidates: Iterable[str] = names
    if len(names) > _MOST_CANDIDATES:
        candidates = _alike(name, names)
    last = name.rpartition(".")[2].lower()
    longer = sorted(n for n in candidates if len(name) > 2 and n.startswith(name))
    alike = difflib.get_close_matches(name, candidates, n=NAMES, cutoff=0.6)
    same_last = sorted(n for n in candidates if n.rpartition(".")[2].lower() == last)
    return list(dict.fromkeys([*longer[:1], *alike, *same_last, *longer]))[:NAMES]


def _alike(name: str, names: Collection[str]) -> list[str]:
    module, _, last = name.rpartition(".")
    inside, outside = f"{module}.", f".{last}"
    in_module = [n for n in names if module and n.startswith(inside)]
    same_last = [n for n in names if n == last or n.endswith(outside)]
    start = last[:3]
    begin_alike = [n for n in names if n.rpartition(".")[2].startswith(start)]
    found = dict.fromkeys([*same_last, *in_module, *begin_alike])
    return list(found)[:_MOST_CANDIDATES]
