"""What a run needs beside its record: the live things."""

from dataclasses import dataclass, field

from actum.catalog.catalog import Catalog
from actum.gate.approval import Approver
from actum.gate.masking import Masking
from actum.lifecycle.rebuilt_folder import Load
from actum.loop.answers import Check
from actum.loop.formats.contract import Brief
from actum.loop.loop import Steer
from actum.loop.spending import Day
from actum.loop.steps import Watcher
from actum.models.contract import Model
from actum.models.sizes import is_small
from actum.places.contract import Place
from actum.records.events import RunStart
from actum.records.policies import RuleSet
from actum.records.sessions import Given, SessionSpec
from actum.session.conductor import Listener
from actum.settings.vault import Vault
from actum.tools.contract import Source


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The working objects of one run, put together by `assemble`."""

    place: Place
    catalog: Catalog
    sources: tuple[Source, ...] = ()
    own_sources: tuple[Source, ...] = ()
    """Those that every run has; the record does not name them."""
    model: Model | None = None
    approver: Approver | None = None
    listener: Listener | None = None
    watcher: Watcher | None = None
    steer: Steer | None = None
    vault: Vault = field(default_factory=lambda: Vault({}, {}))
    """The secrets that tools may be lent."""
    masking: Masking = field(default_factory=lambda: Masking({}))
    """What takes secrets out of everything that comes back or is kept."""
    day: Day | None = None
    """What all runs of the project may cost today, where that is limited."""
    check: Check | None = None
    """Whether a value is the answer that was asked for, where the type itself is at hand."""
    policy: tuple[RuleSet, ...] | None = None
    """The rules as of today, where a recorded run goes on."""


def session_spec(start: RunStart, started: int, load: Load | None = None) -> SessionSpec:
    """How the sessions of a run begin: the same each time, from its record alone."""
    return SessionSpec(
        seed=start.seed,
        started=started,
        tools_root=start.tools_root,
        limits=start.limits,
        minimum_level=start.minimum_level,
        imports=start.imports,
        given=()
        if load is None
        else tuple(
            Given(name=one.name, kind=one.kind, content=load(one.blob)) for one in start.given
        ),
    )


def brief_of(start: RunStart) -> Brief:
    """What the model was told at the start, from the record alone."""
    details = start.environment.details if start.environment else {}
    packages = details.get("packages", details.get("preload", []))
    names = tuple(str(name) for name in packages) if isinstance(packages, list) else ()
    if start.imports is not None:
        names = start.imports
    return Brief(
        manifest=start.manifest,
        tools_root=start.tools_root,
        folders=(
            *(f"{mount.name}/ (read-only)" for mount in start.mounts),
            *(f"{one.name} ({one.summary})" for one in start.given if one.kind == "file"),
        ),
        variables=tuple(f"{one.name} ({one.summary})" for one in start.given if one.kind != "file"),
        instructions=start.instructions,
        output_schema=start.output_schema,
        packages=names,
        place_note=str(details.get("lacks", "")),
        network=start.network,
        direct=start.direct,
        small_model=is_small(start.model or ""),
    )
