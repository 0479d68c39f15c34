"""One ticket goes to one team: a single action, so a JSON call and no sandbox."""

import json
from typing import Literal

from actum import Agent, Policy, scripted, tool
from actum.records.policies import PolicyRule

Team = Literal["billing", "technical", "sales"]
TICKETS = {
    "T-17": "I was charged twice for October.",
    "T-18": "The export stops at 10,000 rows.",
}
assigned: dict[str, tuple[Team, str]] = {}


@tool(name="tickets.read", effect="read")
def read(ticket: str) -> str:
    """What the customer wrote."""
    return TICKETS[ticket]


@tool(name="tickets.assign", effect="write", idempotent=True)
def assign(ticket: str, team: Team, why: str) -> str:
    """Give a ticket to a team."""
    assigned[ticket] = (team, why)
    return f"{ticket} is with {team}"


def call(name: str, **arguments: str) -> str:
    """A call, as a model writes it."""
    return json.dumps({"name": name, "arguments": arguments})


# What a model would say. The second answer names a team that there is not, and is put right.
SCRIPT = [
    call("tickets.read", ticket="T-17"),
    call("tickets.assign", ticket="T-17", team="money", why="charged twice"),
    call("tickets.assign", ticket="T-17", team="billing", why="charged twice"),
    "T-17 is with billing.",
]


def main() -> None:
    router = Agent(
        tools=[read, assign],
        model=scripted(SCRIPT),
        format="json",
        policy=Policy(PolicyRule(tool="tickets.assign", decide="allow", why="can be undone")),
    )
    run = router.run_sync("Give ticket T-17 to the right team.")
    print("The model is scripted.")
    print(f"answer: {run.output}   record: {run.id}")
    print(f"turns: {run.steps}, calls that reached a tool: {run.usage.calls}")


if __name__ == "__main__":
    main()
