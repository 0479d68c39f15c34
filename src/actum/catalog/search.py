"""Search over tools: BM25 with fields, in plain Python. One changed tool is indexed alone."""

import difflib
import hashlib
import heapq
import math
import threading
from collections.abc import Callable, Iterable, Sequence

from actum.catalog.index_file import Documents, load_documents, save_documents
from actum.catalog.words import add_verb_groups, query_words, words_of
from actum.records.tools import ToolSpec

Rank = Callable[[str, Sequence[ToolSpec]], Sequence[str]]
"""The user's own ranking: names of tools, best first. It is joined with ours."""

NAMESPACE_WEIGHT = 1.0
NAME_WEIGHT = 3.0
DESCRIPTION_WEIGHT = 1.0
PARAMETER_WEIGHT = 0.5
_K1 = 1.5
_B = 0.75
_LONGEST_TEXT = 2000
_NEAR_WORDS = 3


class SearchIndex:
    """The words of many tools. Safe to be used from several threads."""

    def __init__(self, cache: str | None = None) -> None:
        self._cache = cache
        self._lock = threading.RLock()
        self._documents: Documents = {}
        self._keys: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._lengths: list[float] = []
        self._postings: dict[str, dict[int, float]] = {}
        self._impacts: dict[str, dict[int, float]] = {}
        self._average = 1.0

    def update(self, specs: Iterable[ToolSpec]) -> int:
        """Make the index one of these tools. How many had to be read anew."""
        with self._lock:
            wanted = {spec.name: (content_key(spec), spec) for spec in specs}
            known = self._documents or load_documents(self._cache)
            documents: Documents = {}
            fresh = 0
            for key, spec in wanted.values():
                document = known.get(key)
                if document is None:
                    document = _document(spec)
                    fresh += 1
                documents[key] = document
            self._forget(name for name in self._keys if name not in wanted)
            changed = {n: key for n, (key, _) in wanted.items() if self._keys.get(n) != key}
            self._forget(name for name in changed if name in self._keys)
            self._documents = documents
            for name, key in changed.items():
                self._add(name, key)
            self._settle()
        if fresh:
            save_documents(self._cache, documents)
        return fresh

    def search(self, text: str, limit: int) -> list[tuple[str, float]]:
        """Names and scores, best first. A word that no tool has is taken for one that is near it."""
        with self._lock:
            wanted = self._known_words(query_words(text))
            weighed = [(self._impact(word), weight) for word, weight in wanted.items()]
            weighed.sort(key=lambda part: (part[1] == 1.0, len(part[0])), reverse=True)
            scores: dict[int, float] = {}
            for impacts, weight in weighed:
                _add_up(scores, impacts, weight)
            best = heapq.nlargest(limit, scores.values())
            cut = best[-1] if best else 0.0
            named = [(self._names[n], score) for n, score in scores.items() if score >= cut]
        named.sort(key=lambda hit: (-hit[1], hit[0]))
        return named[:limit]

    def _known_words(self, wanted: dict[str, float]) -> dict[str, float]:
        known = {word: weight for word, weight in wanted.items() if word in self._postings}
        if any(weight == 1.0 for weight in known.values()):
            return known
        for word, weight in wanted.items():
            if weight != 1.0:
                continue
            near = difflib.get_close_matches(word, self._postings, n=_NEAR_WORDS, cutoff=0.75)
            known.update(dict.fromkeys(near, 1.0))
        return known

    def _impact(self, word: str) -> dict[int, float]:
        """What the word adds to the score of each tool that has it."""
        found = self._impacts.get(word)
        if found is None:
            postings = self._postings[word]
            count = len(self._keys)
            rarity = math.log((count - len(postings) + 0.5) / (len(postings) + 0.5) + 1) * (_K1 + 1)
            base, slope = _K1 * (1 - _B), _K1 * _B / self._average
            lengths = self._lengths
            # A dict of numbers alone costs the garbage collector nothing; a list of pairs does.
            found = {
                n: rarity * times / (times + base + slope * lengths[n])
                for n, times in postings.items()
            }
            self._impacts[word] = found
        return found

    def _add(self, name: str, key: str) -> None:
        number = len(self._names)
        self._names.append(name)
        self._numbers[name] = number
        self._keys[name] = key
        document = self._documents[key]
        postings = self._postings
        for word, times in document.items():
            if word in postings:
                postings[word][number] = times
            else:
                postings[word] = {number: times}
        self._lengths.append(sum(document.values()))

    def _forget(self, names: Iterable[str]) -> None:
        for name in list(names):
            number = self._numbers.pop(name)
            for word in self._documents[self._keys.pop(name)]:
                postings = self._postings[word]
                del postings[number]
                if not postings:
                    del self._postings[word]
            self._lengths[number] = 0.0

    def _settle(self) -> None:
        self._impacts = {}
        self._average = (sum(self._lengths) / len(self._keys) if self._keys else 0.0) or 1.0


def _add_up(scores: dict[int, float], impacts: dict[int, float], weight: float) -> None:
    if not scores and weight == 1.0:
        scores.update(impacts)
        return
    get = scores.get
    if weight == 1.0:
        for number, impact in impacts.items():
            scores[number] = get(number, 0.0) + impact
    else:
        for number, impact in impacts.items():
            scores[number] = get(number, 0.0) + impact * weight


def content_key(spec: ToolSpec) -> str:
    """A hash of all that a search sees of a tool."""
    parts = [spec.name, spec.original, spec.description[:_LONGEST_TEXT]]
    for parameter in spec.parameters:
        parts.append(parameter.name)
        parts.append(parameter.description)
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _document(spec: ToolSpec) -> dict[str, float]:
    """Each word of a tool, and how much it counts."""
    namespace, _, name = spec.name.rpartition(".")
    if spec.original:
        name = f"{name} {spec.original.rpartition('.')[2]}"
    said = " ".join(f"{p.name} {p.description[:300]}" for p in spec.parameters)
    fields = (
        (NAMESPACE_WEIGHT, namespace),
        (NAME_WEIGHT, name),
        (DESCRIPTION_WEIGHT, spec.description[:_LONGEST_TEXT]),
        (PARAMETER_WEIGHT, said),
    )
    document: dict[str, float] = {}
    for weight, text in fields:
        for word in words_of(text) if text else ():
            document[word] = document.get(word, 0.0) + weight
    add_verb_groups(document)
    return document


def joined(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, float]]:
    """Two rankings as one: reciprocal ranks, summed."""
    scores: dict[str, float] = {}
    for ranking in (first, second):
        for place, name in enumerate(ranking):
            scores[name] = scores.get(name, 0.0) + 1 / (60 + place + 1)
    return sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))
