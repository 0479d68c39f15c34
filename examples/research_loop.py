"""Follow a question through papers that name each other, with 300 other functions around."""

from collections.abc import Callable

from counted import request_tokens

from actum import Agent, scripted, tool

PAPERS: dict[str, dict[str, object]] = {
    "p1": {"title": "sleep of bees", "says": "Bees sleep.", "cites": ["p4", "p9"]},
    "p4": {"title": "bee rest, revisited", "says": "Night rest varies.", "cites": ["p7"]},
    "p7": {"title": "hours of rest in foragers", "says": "Foragers sleep 6 hours.", "cites": []},
    "p9": {"title": "honey prices", "says": "Honey costs more.", "cites": ["p1"]},
}


@tool(name="library.find", effect="read")
def find(words: str) -> list[str]:
    """Ids of papers whose title has one of the words."""
    return [i for i, p in PAPERS.items() if set(words.split()) & set(str(p["title"]).split())]


@tool(name="library.paper", effect="read")
def paper(number: str) -> dict[str, object]:
    """A paper: its title, what it says, and the ids of those that it cites."""
    return PAPERS[number]


def other(number: int) -> Callable[[str], str]:
    """One function of a large surface that this question does not need."""
    declare = tool(name=f"warehouse{number % 12}.table_{number}", effect="read")
    return declare(lambda day: f"table {number} on {day}")


LOOK = """```python
print(tools.search("papers by title", limit=2))
```"""
FOLLOW = """```python
queue, seen, found = library.find("bee bees"), {}, []
while queue and not found:
    fresh = [i for i in dict.fromkeys(queue) if i not in seen]
    seen.update(zip(fresh, tools.parallel(library.paper, fresh)))
    found = [(i, seen[i].says) for i in fresh if "hours" in seen[i].says]
    queue = [cited for i in fresh for cited in seen[i].cites]
finish(f"{found[0][1]} ({found[0][0]}, after {len(seen)} papers)")
```"""


def main() -> None:
    print("The model is scripted.")
    for more in (0, 300):
        tools = [find, paper, *(other(number) for number in range(more))]
        agent = Agent(scripted([LOOK, FOLLOW]), tools, format="code")
        run = agent.run_sync("How many hours do foraging bees sleep? Name the paper.")
        print(f"{len(tools)} tools: first request about {request_tokens(run)[0]} tokens")
        print(f"answer: {run.output}   record: {run.id}")


if __name__ == "__main__":
    main()
