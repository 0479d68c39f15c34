"""What an agent is made of, and the names for it that people bring from elsewhere."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypedDict

from actum.agent.elsewhere import FIELDS
from actum.errors import UserMistake
from actum.models.contract import Model
from actum.places.contract import Place
from actum.records.actions import FormatName
from actum.records.call_events import PendingRow
from actum.records.policies import PolicyRule
from actum.records.sessions import Limits, Mount
from actum.settings.tree import Budget
from actum.tools.contract import Source

Function = Callable[..., object]
Approve = Callable[[Sequence[PendingRow]], bool | Awaitable[bool]]


class Policy:
    """Rules in Python: the same as `[[policy]]` in a file. First match wins."""

    def __init__(self, *rules: PolicyRule) -> None:
        self.rules = rules


class Fields(TypedDict, total=False):
    """What an agent can be given by name."""

    format: FormatName | None
    place: Place | str | None
    policy: Policy | None
    budget: Budget | None
    output: object
    approve: Approve | None
    limits: Limits | None
    mounts: Sequence[Mount | str]
    network: Sequence[str]
    packages: Sequence[str]
    imports: Sequence[str] | None
    discovery: Literal["auto", "all"]
    tools_as: str
    name: str
    description: str


class AllFields(Fields, total=False):
    """The same, with what stands first."""

    model: Model | str | None
    tools: Sequence[Function | Source]
    instructions: str


def refuse_unknown(names: Sequence[str]) -> None:
    """A name that an agent does not have is a mistake, said with the name that was meant."""
    for name in names:
        ours = FIELDS.get(name)
        known = ", ".join(AllFields.__annotations__)
        hint = f"here it is: {ours}" if ours else f"an agent takes: {known}"
        raise UserMistake(f"an agent has no {name!r}", hints=(hint,))
