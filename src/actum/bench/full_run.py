"""A run with everything in it that a user's run has: session, scheduler, gate, journal."""

import itertools
from pathlib import Path

from actum.bench.hosts import checked
from actum.catalog.catalog import Catalog, open_catalog
from actum.gate.approval import Approvals
from actum.gate.call_budget import CallBudget
from actum.gate.gate import Gate
from actum.gate.ledger import Ledger
from actum.gate.masking import Masking
from actum.gate.policy import Policy
from actum.gate.secrets import Secrets
from actum.journal.contract import Store
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.parts import session_spec
from actum.places.contract import Place
from actum.records.actions import RunCode
from actum.records.events import ActionEnd, ActionStart, Draft, RunStart
from actum.records.outcomes import Outcome
from actum.records.policies import PolicyRule, RuleSet
from actum.session.live_calls import Desk
from actum.session.programs import Programs
from actum.session.recorded import RunView
from actum.settings.vault import Vault
from actum.tools.declaration import tool
from actum.tools.python_functions import PythonFunctions

ALLOW_ALL = (RuleSet(origin="bench", rules=(PolicyRule(decide="allow"),)),)
_numbers = itertools.count(1)


@tool(effect="read")
async def look(number: int) -> int:
    """Give a number back."""
    return number


@tool(effect="write")
async def put(number: int) -> int:
    """Stand for a write: what costs is the record of it."""
    return number


async def tools() -> Catalog:
    """The two tools of every measured run."""
    return await open_catalog([PythonFunctions([look, put])])


def new_store(folder: Path) -> SqliteStore:
    """A fresh record on the disk."""
    return SqliteStore.create(folder, f"B{next(_numbers):05d}")


class FullRun:
    """One run; its session opens with its first program."""

    def __init__(self, place: Place, catalog: Catalog, store: Store) -> None:
        self.store = store
        start = RunStart(
            task="bench", run=store.run, entry="program", seed="0" * 32, policy=ALLOW_ALL
        )
        first = store.append(Draft(body=start))
        view = RunView(store.events())
        self._desk = Desk(store, view, catalog.spec_of)
        self._desk.open(open_gate(catalog, self._desk))
        self._programs = Programs(
            place, session_spec(start, first.time), view, desk=self._desk, modules=catalog.module
        )
        self._step = 0

    async def run(self, source: str) -> Outcome:
        """One action, from its first event to its last."""
        self._step += 1
        action = ActionStart(action=RunCode(program=source))
        begun = self.store.append(Draft(body=action, step=self._step))
        self._desk.begin(begun)
        outcome = checked(await self._programs.run(begun, source))
        self.store.append(Draft(body=ActionEnd(outcome=outcome), step=self._step))
        return outcome

    async def close(self) -> None:
        """End the session and the record."""
        await self._programs.close()
        await self._desk.close()
        await self.store.close()


def open_gate(catalog: Catalog, desk: Desk) -> Gate:
    """The gate, with a rule that lets everything pass."""
    approvals = Approvals(desk, recheck=lambda _, arguments: arguments)
    secrets = Secrets(Vault({}, {}), Masking({}))
    ledger = Ledger(desk.store.events, catalog, desk.settled)
    return Gate(
        catalog,
        Policy(ALLOW_ALL),
        CallBudget(None),
        approvals,
        desk,
        ledger=ledger,
        secrets=secrets,
    )
