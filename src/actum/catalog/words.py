"""Text as the words that a search compares: split, in lower case, without endings and small words."""

import re
from functools import lru_cache

SYNONYM_WEIGHT = 0.4
_IN_NAMES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
_SHORTEST_STEM = 3

# Words that every question has and no tool is about.
_SMALL_WORDS = frozenset(
    """
    about above after again against all also am an and any are as at be because been before being
    below between both but by can cannot could did do does doing don done down during each few for
    from further had has have having he her here hers him his how however if in into is it its
    itself just kindly like ll me more most must my no nor not now of off on once only or other our
    ours out over own please re same shall she should so some such than that the their theirs them
    then there these they this those through thus to too under until up upon us ve very via was we
    were what when where which while who whom whose why will with within without would you your
    yours hi hello hey thanks thank want wants wanted wish need needs needed help let lets know tell
    give gives given using use used uses able may might one ones something anything
    """.split()
)

_SAME_VERBS = """
    get list find search fetch read show retrieve lookup query view
    create add new make insert register open
    delete remove drop erase clear destroy
    update edit modify change set patch rename
    send post mail notify message publish
    calculate compute count sum determine evaluate
    start run execute launch begin trigger
    stop cancel end close abort terminate
    convert transform translate format parse
    """


def words_of(text: str) -> list[str]:
    """The words of a text that mean something, in order."""
    split = _IN_NAMES.sub(" ", text).lower()
    return [stem(w) for w in _WORD.findall(split) if len(w) > 1 and w not in _SMALL_WORDS]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The word without its ending, about the same for `refund`, `refunds` and `refunded`."""
    for ending, instead in _ENDINGS:
        if not word.endswith(ending) or len(word) - len(ending) < _SHORTEST_STEM:
            continue
        if ending == "s" and word.endswith("ss"):
            continue
        word = word[: -len(ending)] + instead
        break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word


def _synonyms() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in _SAME_VERBS.split("\n"):
        group = [stem(word) for word in line.split()]
        for word in group:
            found[word] = tuple(other for other in group if other != word)
    return found


SYNONYMS = _synonyms()


def query_words(text: str) -> dict[str, float]:
    """What to look for and how much each word counts: once, however often it was said."""
    said = dict.fromkeys(words_of(text), 1.0)
    wanted = dict(said)
    for word in said:
        for other in SYNONYMS.get(word, ()):
            wanted.setdefault(other, SYNONYM_WEIGHT)
    return wanted
