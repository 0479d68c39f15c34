"""What is wrong with a value, and where in it."""

import re

UNNAMED_KEY = "[...]"
_OPENINGS = ("Expected", "Invalid", "Object", "Array", "Input", "Value")
_PLACE = re.compile(r"^(?P<why>.*?) - at `(?P<place>.*)`$", re.DOTALL)


class DoesNotFit(ValueError):
    """Data that is no value of the wanted type. `path` is the place in it: `.lines[0].sku`."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(f"value{path}: {why}")
        self.why = why
        self.path = path

    def inside(self, place: object) -> "DoesNotFit":
        """The same mistake, seen from the value around it."""
        step = f".{place}" if isinstance(place, str) and place.isidentifier() else f"[{place!r}]"
        return DoesNotFit(self.why, step + self.path)


def from_msgspec(error: Exception) -> DoesNotFit:
    """What msgspec said, in our words."""
    found = _PLACE.match(str(error))
    why, place = (found["why"], found["place"]) if found else (str(error), "")
    inner = error.__cause__
    if place.startswith("key` in `"):
        why = f"one of its keys is wrong: {_lower_first(why)}"
        place = place.removeprefix("key` in `")
    path = place.removeprefix("$")
    if isinstance(inner, DoesNotFit):
        return DoesNotFit(inner.why, path + inner.path)
    return DoesNotFit(_lower_first(why), path)


def _lower_first(text: str) -> str:
    plain = text.replace("`", "")
    return plain[:1].lower() + plain[1:] if plain.startswith(_OPENINGS) else plain
