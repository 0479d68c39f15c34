"""Every setting, its type and its default. The keys are those of `actum.toml`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from actum.records.policies import Condition, PolicyRule
from actum.records.sessions import Level, Limits

Origin = Literal["default", "user", "project", "environment", "flag"]
Trust = Literal["none", "given", "trusted", "untrusted", "changed"]

Money = Annotated[float, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Network(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a program's HTTP libraries may reach, through the gate."""

    allow: tuple[str, ...] = ()


class DayBudget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all runs of a project may use in a day."""

    usd: Money | None = None


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one run may use. None: not limited."""

    usd: Money | None = 0.50
    requests: Count | None = 40
    calls: Count | None = 2000
    tokens: Count | None = None
    seconds: Seconds | None = None
    bytes_to_model: Count | None = None
    day: DayBudget = DayBudget()


class PlaceChoice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where programs run, and the weakest wall that will do."""

    name: str = "auto"
    minimum_level: Level | None = None


class McpServer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tools of an MCP server: a command to start, or an address."""

    command: tuple[str, ...] = ()
    url: str = ""
    trusted: bool = False
    secrets: dict[str, str] = {}


class OpenApiDescription(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tools of an API description: a file or an address."""

    file: str = ""
    url: str = ""
    base_url: str = ""
    trusted: bool = False
    auth: dict[str, str] = {}


class Tree(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of one `actum.toml` but its policy, or what several of them come to together."""

    model: str | None = None
    format: Literal["auto", "code", "json"] = "auto"
    instructions: str = ""
    tools: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    base_tools: bool = False
    network: Network = Network()
    budget: Budget = Budget()
    limits: Limits = Limits()
    place: PlaceChoice = PlaceChoice()
    mcp: dict[str, McpServer] = {}
    openapi: dict[str, OpenApiDescription] = {}


class FileTree(Tree, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of one `actum.toml`."""

    policy: tuple[PolicyRule, ...] = ()


class PolicyFile(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one file. Files are judged apart: the stricter opinion wins."""

    origin: Origin
    path: Path
    rules: tuple[PolicyRule, ...]


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """The folder that settings and runs belong to."""

    folder: Path
    file: Path | None = None
    """Its `actum.toml`, or the file that `--config` names."""
    trust: Trust = "none"
    changed: tuple[str, ...] = ()
    """What is no longer as it was trusted."""

    @property
    def trusted(self) -> bool:
        """Whether its file is used."""
        return self.trust in {"given", "trusted"}


class Settings(Tree, frozen=True, kw_only=True):
    """One frozen tree. `origins` says for each dotted key who set it."""

    project: Project
    origins: Mapping[str, Origin] = {}
    policies: tuple[PolicyFile, ...] = ()
    notices: tuple[str, ...] = ()


# Each table by its place in the file; `[]` stands for any name or number.
TABLES: Mapping[str, type[msgspec.Struct]] = {
    "": FileTree,
    "network": Network,
    "budget": Budget,
    "budget.day": DayBudget,
    "limits": Limits,
    "place": PlaceChoice,
    "mcp[]": McpServer,
    "openapi[]": OpenApiDescription,
    "policy[]": PolicyRule,
    "policy[].when[]": Condition,
}
# Tables whose names are the user's own; each name is one setting.
NAMED = ("mcp", "openapi")


def setting_keys() -> tuple[str, ...]:
    """Every key that has a value of its own: `model`, `budget.usd`, `budget.day.usd`."""
    keys: list[str] = []
    for table, kind in TABLES.items():
        if "[]" in table:
            continue
        names = [f"{table}.{field}" if table else field for field in kind.__struct_fields__]
        keys.extend(n for n in names if n not in TABLES and n not in (*NAMED, "policy"))
    return tuple(keys)
