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


def _groups() -> dict[str, str]:
    lines = [line.split() for line in _SAME_VERBS.split("\n") if line.strip()]
    # No word begins with this sign, so a group is never taken for one.
    return {stem(word): f"~{number}" for number, line in enumerate(lines) for word in line}


VERB_GROUPS = _groups()


def query_words(text: str) -> dict[str, float]:
    """What to look for and how much each word counts: once, however often it was said."""
    wanted = dict.fromkeys(words_of(text), 1.0)
    for word in list(wanted):
        if word in VERB_GROUPS:
            wanted[VERB_GROUPS[word]] = SYNONYM_WEIGHT
    return wanted


def add_verb_groups(document: dict[str, float]) -> None:
    """A verb counts for all of its meaning too: one list to look through in place of ten."""
    for word in list(document):
        group = VERB_GROUPS.get(word)
        if group is not None:
            document[group] = max(document.get(group, 0.0), document[word])
