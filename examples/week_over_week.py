"""Two weeks of three APIs, compared: by programs, by one JSON call a turn, by parallel calls."""

import json
from collections.abc import Callable

from counted import comparison

from actum import Agent, scripted, tool
from actum.records.actions import FormatName

Rows = list[dict[str, str | int]]


def api(name: str, scale: int) -> Callable[[int], Rows]:
    """One made-up API: 28 rows for a week."""

    @tool(name=name, effect="read")
    def rows(week: int) -> Rows:
        """The amounts of a week by day and region."""
        days = [(day, region) for day in range(7) for region in ("north", "south", "east", "west")]
        return [{"day": d, "region": r, "amount": scale * (week + d * len(r))} for d, r in days]

    return rows


NAMES = ("shop.revenue", "ads.spend", "support.tickets")
TOOLS = [api(name, scale) for name, scale in zip(NAMES, (10, 3, 1), strict=True)]
HELP = "```python\nhelp(shop); help(ads); help(support)\n```"
LOOK = "```python\nprint(shop.revenue(44)[0], ads.spend(44)[0], support.tickets(44)[0])\n```"
PROGRAM = """```python
def total(api, week):
    return sum(row.amount for row in api(week))

apis = {"revenue": shop.revenue, "spend": ads.spend, "tickets": support.tickets}
changes = {name: total(api, 45) - total(api, 44) for name, api in apis.items()}
finish(", ".join(f"{name} {change:+}" for name, change in changes.items()))
```"""
CALLS = [{"name": name, "arguments": {"week": week}} for name in NAMES for week in (44, 45)]
# The JSON models add up 168 amounts in their heads, without a mistake: so it is written down here.
ANSWER = "revenue +280, spend +84, tickets +28"
WAYS: list[tuple[str, FormatName, list[str]]] = [
    ("programs, two to look", "code", [HELP, LOOK, PROGRAM]),
    ("one program, APIs known", "code", [PROGRAM]),
    ("JSON, one call a turn", "json", [*(json.dumps(call) for call in CALLS), ANSWER]),
    ("JSON, parallel calls", "json", [json.dumps(CALLS), ANSWER]),
]


def main() -> None:
    task = "By how much did revenue, ad spend and tickets change from week 44 to 45?"
    agents = {n: Agent(scripted(said), TOOLS, format=way) for n, way, said in WAYS}
    runs = {name: agent.run_sync(task) for name, agent in agents.items()}
    print("The models are scripted and make no mistakes; turns and tokens are counted in this run.")
    print(comparison(runs))
    for run in runs.values():
        print(f"answer: {run.output}   record: {run.id}")


if __name__ == "__main__":
    main()
