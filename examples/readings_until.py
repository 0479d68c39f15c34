"""Readings come page by page. A program reads on until it is too hot, and stops there."""

from actum import Agent, Policy, scripted, tool
from actum.records.policies import Condition, PolicyRule

asked: list[int] = []
valve: list[str] = []


@tool(name="sensor.page", effect="read")
def page(after: int) -> list[dict[str, float]]:
    """The next 50 readings after a second: the second and the degrees."""
    asked.append(after)
    return [{"second": s, "degrees": 20 + s * s / 1000} for s in range(after + 1, after + 51)]


@tool(name="valve.set", effect="write", idempotent=True)
def set_valve(percent: int) -> str:
    """Open the valve so far."""
    valve.append(f"{percent} %")
    return "set"


PROGRAM = """```python
def readings():
    after = 0
    while True:
        rows = sensor.page(after)
        yield from rows
        after = rows[-1].second

recent = []
for reading in readings():
    recent = [*recent[-9:], reading.degrees]
    mean = sum(recent) / len(recent)
    if mean > 60:
        break
valve.set(40)
finish(f"mean of the last 10 is {mean:.1f} degrees at second {reading.second}: valve at 40 %")
```"""


def main() -> None:
    gently = PolicyRule(tool="valve.set", when={"percent": Condition(max=50)}, decide="allow")
    agent = Agent(
        tools=[page, set_valve],
        model=scripted([PROGRAM]),
        format="code",
        policy=Policy(gently),
    )
    run = agent.run_sync("Watch the sensor; when the mean of ten is over 60, open the valve a bit.")
    print("The model is scripted.")
    print(f"answer: {run.output}   record: {run.id}")
    print(f"pages: {len(asked)}, readings that the model was sent: 0, valve: {valve[0]}")


if __name__ == "__main__":
    main()
