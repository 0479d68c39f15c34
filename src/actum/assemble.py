"""The only file that knows every room: from settings and names to working objects."""

import dataclasses
import getpass
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from actum.catalog.catalog import open_catalog
from actum.errors import NoSuchFile, UserMistake
from actum.gate.approval import Approver
from actum.gate.masking import Masking
from actum.journal.contract import Store
from actum.journal.day_spend import DaySpend
from actum.journal.index import new_run_id
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.live import LiveRun, run_start
from actum.lifecycle.mounts import checked_mounts
from actum.lifecycle.parts import Parts
from actum.lifecycle.resuming import (
    changed_files,
    check_environment,
    last_sources,
    record_resume,
)
from actum.loop.answers import Check
from actum.loop.loop import Steer
from actum.loop.spending import Day
from actum.loop.steps import Watcher
from actum.models.choice import choose_model, open_model
from actum.models.contract import Model
from actum.models.prices import FREE, known_price
from actum.models.providers import PROVIDERS
from actum.places.contract import Place
from actum.places.finding import open_place
from actum.places.packages.asked import Asked, read
from actum.places.packages.shelf import Shelf
from actum.places.packages.wishes import Asking, Recalling, recorded_in
from actum.records.events import RunStart
from actum.records.policies import RuleSet
from actum.records.sessions import Mount
from actum.records.values import BlobRef
from actum.session.conductor import Listener
from actum.settings.homes import environments_folder, runs_folder
from actum.settings.tree import PolicyFile, Settings
from actum.settings.vault import Vault, open_vault
from actum.tools.contract import Source
from actum.tools.http_request import HttpRequests
from actum.tools.python_functions import load_file

_SLOW_TO_IMPORT = ("numpy", "pandas")


class Workshop:
    """Puts the working objects of runs together, for one folder and its settings."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str] = os.environ,
        *,
        network: Sequence[str] | None = None,
    ) -> None:
        """`network` names hosts beside those of the settings; None: whatever a record says."""
        self.settings = settings
        self._environ = environ
        self._network = network
        self.folder = settings.project.folder
        self._store: Store | None = None

    def place(self, preload: tuple[str, ...] | None = None, *, name: str | None = None) -> Place:
        """The place that the settings name, or the best of this machine.

        `preload` names the libraries that sessions find loaded; None is what programs usually want.
        """
        asked = self.packages()
        wish = Asking(self.shelf, asked) if asked.requirements else None
        return open_place(name or self.settings.place.name, preload=preload, packages=wish)

    def place_of(self, start: RunStart, *, rebuild: bool = False) -> Place:
        """A place like the one that a run began in: what is loaded decides where things lie.

        `rebuild` allows to install its packages again, where they are gone.
        """
        details = start.environment.details if start.environment is not None else {}
        names = details.get("preload")
        recorded = recorded_in(details)
        return open_place(
            start.environment.place if start.environment is not None else "auto",
            preload=tuple(map(str, names)) if isinstance(names, list) else None,
            packages=Recalling(self.shelf, recorded, rebuild=rebuild) if recorded else None,
        )

    @property
    def shelf(self) -> Shelf:
        """Where package sets are kept."""
        return Shelf(environments_folder(self._environ))

    def packages(self) -> Asked:
        """What programs may import beside the default environment."""
        return read(self.settings.packages, Path.cwd())

    def packages_notice(self) -> str | None:
        """What is to be said before packages are built, which may take a while."""
        asked = self.packages()
        if not asked.requirements or self.shelf.known(asked) is not None:
            return None
        return f"packages {', '.join(self.settings.packages)} are installed first, once"

    def sources(self, named: Sequence[Path] = ()) -> tuple[Source, ...]:
        """The tools of the settings, and the files that were named beside them."""
        paths = [Path(path) for path in self.settings.tools] + [p.absolute() for p in named]
        return tuple(load_file(path) for path in dict.fromkeys(paths))

    def model(self, named: str | None = None) -> tuple[Model, str]:
        """The model to ask, and why it is that one."""
        choice = choose_model(named, self._environ, configured=self.settings.model)
        return open_model(choice.spec, self._environ, load_blob=self._load_blob), choice.why

    def _load_blob(self, blob: BlobRef) -> bytes:
        """Bytes of the run that this workshop works on: the pictures that a model sees."""
        if self._store is None:
            raise LookupError("no run has begun")
        return self._store.get(blob)

    def price_notice(self, model: Model) -> str | None:
        """What is to be said of a model without a known price; a limit that cannot be kept raises."""
        provider = model.name.partition(":")[0]
        if provider in FREE or known_price(model.name) is not None:
            return None
        origins = [self.settings.origins.get(key) for key in ("budget.usd", "budget.day.usd")]
        if any(origin not in {None, "default"} for origin in origins):
            raise UserMistake(
                f"the price of {model.name} is not known, so a budget in USD cannot be kept",
                hints=("limit it another way: [budget] requests = 20, or tokens = 200000",),
            )
        return f"the price of {model.name} is not known: USD are not counted, other budgets hold"

    def rules(self) -> tuple[RuleSet, ...]:
        """The policy of each file."""
        return tuple(
            RuleSet(origin=_rule_file(file), rules=file.rules) for file in self.settings.policies
        )

    def network(self, by_hand: Sequence[str] = ()) -> tuple[str, ...]:
        """The hosts that programs may reach: of the settings, and named beside them."""
        named = by_hand if self._network is None else self._network
        return tuple(dict.fromkeys((*self.settings.network.allow, *named)))

    def store(self) -> SqliteStore:
        """A new, empty record in this project."""
        folder = runs_folder(self._environ, self.folder)
        store = SqliteStore.create(folder, new_run_id(folder))
        self._store = store
        return store

    def record(self, run: str) -> Path:
        """The file of a run of this project."""
        return runs_folder(self._environ, self.folder) / f"{run}.actum"

    def start(self, task: str, **fields: object) -> RunStart:
        """What a run is to be, as far as the settings say it."""
        budget = msgspec.to_builtins(self.settings.budget)
        start = RunStart(
            task=task,
            principal=_account(),
            action_format=self.settings.format,
            instructions=self.settings.instructions,
            budget={name: value for name, value in budget.items() if value is not None},
            limits=self.settings.limits,
            minimum_level=self.settings.place.minimum_level,
            packages=self.settings.packages,
            policy=self.rules(),
            network=self.network(),
            network_by_hand=tuple(self._network or ()),
            folder=str(Path.cwd()),
            mounts=checked_mounts([Mount(path) for path in self.settings.mounts], Path.cwd()),
        )
        return msgspec.structs.replace(start, **fields)

    async def parts(
        self,
        *,
        sources: Sequence[Source],
        model: Model | None = None,
        place: Place | None = None,
        approver: Approver | None = None,
        listener: Listener | None = None,
        watcher: Watcher | None = None,
        check: Check | None = None,
        steer: Steer | None = None,
        network: Sequence[str] | None = None,
    ) -> Parts:
        """The live things of a run. `network`: the hosts of one that was recorded."""
        http = HttpRequests(self.network() if network is None else network, self._environ)
        vault = open_vault(self._environ)
        return Parts(
            place=place or self.place(),
            catalog=await open_catalog(sources, hidden=(http,)),
            sources=tuple(sources),
            own_sources=(http,),
            model=model,
            approver=approver,
            listener=listener,
            watcher=watcher,
            check=check,
            steer=steer,
            vault=vault,
            masking=self._masking(vault),
            day=self._day(),
        )

    def masking(self) -> Masking:
        """Takes out the secrets of this user, and the keys of model providers."""
        return self._masking(open_vault(self._environ))

    def _masking(self, vault: Vault) -> Masking:
        names = {name for provider in PROVIDERS for name in provider.key_variables}
        keys = {name: self._environ.get(name, "").strip() for name in names}
        return Masking({**keys, **vault.values()})

    def _day(self) -> Day | None:
        """What all runs of the project may cost in a day: as the settings of today have it."""
        most = self.settings.budget.day.usd
        if most is None:
            return None
        return Day(most, DaySpend(runs_folder(self._environ, self.folder)).usd)

    async def resume(
        self,
        store: Store,
        *,
        sources: Sequence[Source] | None = None,
        model: Model | None = None,
        approver: Approver | None = None,
        listener: Listener | None = None,
        watcher: Watcher | None = None,
        check: Check | None = None,
        place: Place | None = None,
    ) -> tuple[LiveRun, list[str]]:
        """Open again what a recorded run needs. Also: what is no longer as it was."""
        self._store = store
        _, start = run_start(store.events())
        notes: list[str] = []
        changed: list[str] = []
        if sources is None:
            recorded = last_sources(store.events())
            changed = changed_files(recorded)
            notes.extend(f"{path} has changed since: approvals are asked anew" for path in changed)
            sources = tuple(load_file(Path(source.path)) for source in recorded)
        place = place or self.place_of(start)
        if start.environment is not None:
            notes.extend(check_environment(start.environment, await place.environment()))
        if start.entry == "task" and model is None and start.model is not None:
            model = open_model(start.model, self._environ, load_blob=self._load_blob)
        today = self.network(start.network_by_hand)
        parts = await self.parts(
            network=[host for host in start.network if host in today],
            sources=sources,
            model=model,
            place=place,
            approver=approver,
            listener=listener,
            watcher=watcher,
            check=check,
        )
        now = tuple(source.record() for source in sources) if changed else ()
        await record_resume(store, notes, now)
        return LiveRun(store, dataclasses.replace(parts, policy=self.rules())), notes


def _rule_file(file: PolicyFile) -> str:
    """How messages name a file of rules: two files may have one name."""
    return f"your own {file.path.name}" if file.origin == "user" else file.path.name


def libraries_of(program: str) -> tuple[str, ...]:
    """What a session should have loaded for this program: starting is slow with, and without, it."""
    return tuple(name for name in _SLOW_TO_IMPORT if name in program)


def read_program(path: Path) -> str:
    """The text of a program that the user named."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NoSuchFile(
            f"the program {path} cannot be read",
            why=getattr(error, "strerror", None) or str(error),
            hints=("give a Python file, or - for standard input",),
        ) from error


def _account() -> str | None:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return None
