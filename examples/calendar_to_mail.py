"""A meeting moved: one program tells all who are in it, and waits for a yes before it writes."""

from actum import Agent, scripted, tool

MEETINGS = [
    {"day": "11-19", "title": "Past", "was": "9:00", "now": "9:30", "people": ["ada"]},
    {"day": "11-20", "title": "Plan", "was": "10:00", "now": "11:30", "people": ["ada", "bob"]},
    {"day": "11-20", "title": "Lunch", "was": "12:00", "now": "12:00", "people": ["ada"]},
    {"day": "11-20", "title": "Review", "was": "15:00", "now": "14:00", "people": ["bob", "eve"]},
]
sent: list[str] = []


@tool(name="calendar.meetings", effect="read")
def meetings(day: str) -> list[dict[str, object]]:
    """The meetings of a day, with the time that each had before."""
    return [dict(meeting) for meeting in MEETINGS if meeting["day"] == day]


@tool(name="mail.send", effect="write")
def send(to: str, text: str) -> str:
    """Send a mail to a colleague."""
    sent.append(f"{to}: {text}")
    return "sent"


PROGRAM = """```python
moved = [m for m in calendar.meetings("11-20") if m.was != m.now]
mails = [(who, f"{m.title} is at {m.now}, not at {m.was}") for m in moved for who in m.people]
tools.parallel(lambda row: mail.send(to=row[0], text=row[1]), mails)
finish(f"{len(mails)} mails about {len(moved)} meetings")
```"""


def main() -> None:
    agent = Agent(tools=[meetings, send], model=scripted([PROGRAM]), format="code")
    run = agent.run_sync("The calendar of 11-20 has changed. Tell everybody whom it concerns.")
    print("The model is scripted.")
    print(f"{run.status}, nothing is sent yet: {len(sent)} mails. One decision for all of them:")
    for row in run.pending:
        print(f"  {row.tool}  {row.arguments['to']}: {row.arguments['text']}")
    run.approve(all=True)
    run = run.resume()
    print(f"answer: {run.output}   record: {run.id}")
    print(f"sent: {len(sent)}")


if __name__ == "__main__":
    main()
