"""Random tools, rules and callers: the gate decides as thirty lines say that it should, once a call."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, cast

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actum.catalog.catalog import open_catalog
from actum.gate.approval import Approvals
from actum.gate.call_budget import CallBudget
from actum.gate.gate import Gate
from actum.gate.ledger import Ledger
from actum.gate.masking import Masking
from actum.gate.policy import Policy
from actum.gate.secrets import Secrets
from actum.journal.memory import MemoryStore
from actum.models.scripted import scripted
from actum.places.local.place import Local
from actum.records.call_events import PendingRow
from actum.records.calls import Caller, ToolCall
from actum.records.events import (
    ApprovalDecision,
    Event,
    ToolAttempted,
    ToolCalled,
    ToolErred,
    ToolRefused,
    ToolResult,
)
from actum.records.policies import Condition, PolicyRule, RuleSet
from actum.records.tools import CallableFrom, Effect
from actum.records.values import JSON
from actum.session.live_calls import Desk
from actum.session.recorded import RunView, call_id
from actum.settings.vault import Vault
from actum.tools.declaration import tool
from actum.tools.python_functions import PythonFunctions
from tests.flows.runs import Bench, bare_place
from tests.promises import promise

Decision = Literal["unknown", "arguments", "denied", "budget", "refused", "done"]
NAMES = ("crm.get", "crm.send", "mail.send", "wipe")
PATTERNS = (*NAMES, "*", "crm.*", "mail.*", None)
STRICT = {"allow": 0, "ask": 1, "deny": 2}
PRINCIPAL = "ada"


class Tool(NamedTuple):
    effect: Effect
    callable_from: CallableFrom


class Call(NamedTuple):
    tool: str
    arguments: dict[str, JSON]
    caller: Caller
    again: bool
    yes: bool
    """What a person says, where one is asked."""


# ---- the reference model -------------------------------------------------------------------------


def fits(rule: PolicyRule, name: str, tool: Tool, call: Call) -> bool:
    beginning = rule.tool[:-1] if rule.tool is not None and rule.tool.endswith("*") else None
    return (
        (rule.tool in {None, name} or (beginning is not None and name.startswith(beginning)))
        and rule.effect in {None, tool.effect}
        and rule.caller in {None, call.caller}
        and rule.principal in {None, PRINCIPAL}
        and all(cast("int", call.arguments["i"]) <= (c.max or 0) for c in rule.when.values())
    )


def expected(
    tools: Mapping[str, Tool], files: Sequence[RuleSet], call: Call, left: int
) -> Decision:
    known = tools.get(call.tool)
    side = "code" if call.caller == "code" else "direct"
    if known is None or known.callable_from not in {"both", side}:
        return "unknown"
    if not isinstance(call.arguments.get("i"), int) or set(call.arguments) != {"i"}:
        return "arguments"
    opinions = [
        next((r.decide for r in file.rules if fits(r, call.tool, known, call)), None)
        for file in files
    ]
    given = [opinion for opinion in opinions if opinion is not None]
    default = "allow" if known.effect == "read" else "ask"
    verdict = max(given, key=STRICT.__getitem__) if given else default
    if verdict == "deny":
        return "denied"
    if left == 0:
        return "budget"
    return "done" if verdict == "allow" or call.yes else "refused"


# ---- the real gate -------------------------------------------------------------------------------


def functions(tools: Mapping[str, Tool], did: list[str]) -> PythonFunctions:
    def make(name: str, made: Tool) -> object:
        @tool(made.effect, name=name, callable_from=made.callable_from)
        def act(i: int) -> int:
            did.append(f"{name} {i}")
            return i

        return act

    return PythonFunctions([cast("type", make(name, made)) for name, made in tools.items()])


async def through(
    tools: Mapping[str, Tool], files: Sequence[RuleSet], calls: Sequence[Call], most: int, cut: int
) -> tuple[list[Event], list[str]]:
    """Make the calls one by one. At `cut` another process goes on, from the record."""
    did: list[str] = []
    store = MemoryStore("R001")
    catalog = await open_catalog([functions(tools, did)])
    yes = {f"1.{number}": call.yes for number, call in enumerate(calls, 1)}

    async def person(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        return [
            ApprovalDecision(call=r.call, tool=r.tool, decision="allow" if yes[r.call] else "deny")
            for r in rows
        ]

    def desk() -> Desk:
        view = RunView(store.events())
        made = Desk(store, view, catalog.spec_of)
        gate = Gate(
            catalog,
            Policy(files, principal=PRINCIPAL),
            CallBudget(most, used=len(view.attempted)),
            Approvals(made, approver=person, recheck=lambda _, arguments: arguments),
            made,
            ledger=Ledger(store.events, catalog, made.settled),
            secrets=Secrets(Vault({}, {}), Masking({})),
        )
        made.open(gate)
        return made

    here = desk()
    for number, call in enumerate(calls, 1):
        if number == cut:
            here = desk()
        await _settled(here, _made(number, call))
    return [*store.events()], did


async def _settled(desk: Desk, call: ToolCall) -> None:
    before = len(desk.deliveries)
    desk.take(call)
    while len(desk.deliveries) == before or desk.unready:
        if desk.gate.approvals.waiting:
            await desk.gate.approvals.ask()
        await desk.change(None)


def _made(number: int, call: Call) -> ToolCall:
    return ToolCall(
        step=1,
        number=number,
        tool=call.tool,
        kwargs=call.arguments,
        caller=call.caller,
        again=call.again,
    )


def decided(events: Sequence[Event]) -> dict[str, list[Decision]]:
    """What came of each call."""
    found: dict[str, list[Decision]] = {}
    for event in events:
        body = event.body
        word: Decision | None = None
        if isinstance(body, ToolResult):
            word = "done"
        elif isinstance(body, ToolErred):
            word = cast("Decision", body.status)
        elif isinstance(body, ToolRefused):
            by_rule: Decision = "refused" if body.rule == "approval" else "denied"
            word = "budget" if body.ends_run else by_rule
        if word is not None and isinstance(body, ToolResult | ToolErred | ToolRefused):
            found.setdefault(call_id(event, body.number), []).append(word)
    return found


# ---- what is random ------------------------------------------------------------------------------

TOOL = st.builds(
    Tool,
    st.sampled_from(["write", "read", "destructive"]),
    st.sampled_from(["both", "both", "code", "direct"]),
)
TOOLS = st.fixed_dictionaries(dict.fromkeys(NAMES[:-1], TOOL))
RULES = st.builds(
    PolicyRule,
    decide=st.sampled_from(["allow", "ask", "deny"]),
    tool=st.sampled_from([None, None, *PATTERNS]),
    effect=st.sampled_from([None, None, None, "read", "write", "destructive"]),
    caller=st.sampled_from([None, None, None, "code", "direct", "sub-agent"]),
    principal=st.sampled_from([None, None, PRINCIPAL, "eve"]),
    when=st.sampled_from([{}, {}, {"i": Condition(max=3)}]),
)
SETS = st.builds(RuleSet, origin=st.just("f"), rules=st.lists(RULES, min_size=1).map(tuple))
FILES = st.one_of(st.just([]), st.lists(SETS, min_size=1, max_size=3))
GOOD = st.fixed_dictionaries({"i": st.integers(0, 6)})
CALLS = st.lists(
    st.builds(
        Call,
        st.sampled_from(["crm.send", "crm.get", "mail.send", *NAMES]),
        st.one_of(GOOD, GOOD, GOOD, st.sampled_from([{}, {"i": "x"}, {"i": 1, "more": 2}])),
        st.sampled_from(["code", "direct", "sub-agent"]),
        st.booleans(),
        st.booleans(),
    ),
    min_size=3,
    max_size=10,
)


@promise("gate:no-way-around")
@settings(max_examples=300, deadline=None)
@given(tools=TOOLS, files=FILES, calls=CALLS, most=st.integers(0, 6), cut=st.integers(1, 8))
def test_every_call_is_decided_as_the_rules_say_and_recorded_once(
    tools: dict[str, Tool], files: list[RuleSet], calls: list[Call], most: int, cut: int
) -> None:
    events, did = asyncio.run(through(tools, files, calls, most, cut))
    wanted: dict[str, list[Decision]] = {}
    happened: list[str] = []
    left = most
    for number, call in enumerate(calls, 1):
        decision = expected(tools, files, call, left)
        wanted[f"1.{number}"] = [decision]
        if decision == "done":
            left -= 1
            happened.append(f"{call.tool} {call.arguments['i']}")
    assert decided(events) == wanted
    assert did == happened
    bodies = [event.body for event in events]
    assert sum(isinstance(body, ToolCalled) for body in bodies) == len(calls)
    assert sum(isinstance(body, ToolAttempted) for body in bodies) == len(happened)


# ---- every way that a program has ----------------------------------------------------------------


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    shared = bare_place()
    yield shared
    asyncio.run(shared.close())


WAYS = {
    "plain": "r = [told(lambda: f(i=i)) for f, i in calls]",
    "again": "r = [told(lambda: f.again(i=i)) for f, i in calls]",
    "thread": (
        "with futures.ThreadPoolExecutor(4) as pool:\n"
        "    r = list(pool.map(lambda c: told(lambda: c[0](i=c[1])), calls))"
    ),
    "async": (
        "async def one(f, i):\n"
        "    try: await f(i=i); return 'done'\n"
        "    except tools.Denied: return 'denied'\n"
        "async def main(): return [await one(f, i) for f, i in calls]\n"
        "r = asyncio.run(main())"
    ),
    "parallel": "r = tools.parallel(lambda c: told(lambda: c[0](i=c[1])), calls)",
    "by name": (
        "import importlib\n"
        "find = lambda f: getattr(importlib.import_module('tools.crm'), f.__name__)\n"
        "r = [told(lambda: find(f)(i)) for f, i in calls]"
    ),
    "wrapped": (
        "import functools\nr = [told(functools.partial(f.__call__, i=i)) for f, i in calls]"
    ),
}
FRAME = """
import asyncio, tools
from concurrent import futures
from tools import crm
def told(call):
    try: call(); return "done"
    except tools.Denied: return "denied"
calls = [(getattr(crm, name.partition(".")[2]), i) for name, i in {calls!r}]
{way}
print(r)
"""


@promise("gate:no-way-around")
@pytest.mark.parametrize("way", sorted(WAYS))
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    files=FILES,
    effects=st.tuples(*[st.sampled_from(["read", "write", "destructive"])] * 2),
    chosen=st.lists(
        st.tuples(st.sampled_from(["crm.get", "crm.send"]), st.integers(0, 6)), max_size=5
    ),
    yes=st.booleans(),
)
def test_no_way_of_a_program_gets_around_the_rules(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    place: Local,
    way: str,
    files: list[RuleSet],
    effects: tuple[Effect, Effect],
    chosen: list[tuple[str, int]],
    yes: bool,
) -> None:
    tools = {
        "crm.get": Tool(effects[0], "both"),
        "crm.send": Tool(effects[1], "both"),
    }
    did: list[str] = []

    async def person(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        word: Literal["allow", "deny"] = "allow" if yes else "deny"
        return [ApprovalDecision(call=r.call, tool=r.tool, decision=word) for r in rows]

    bench = Bench(
        tmp_path_factory.mktemp("runs"), place, sources=[functions(tools, did)], approver=person
    )
    source = FRAME.replace("{calls!r}", repr(chosen)).replace("{way}", WAYS[way])
    ending = asyncio.run(bench.exec(source, policy=tuple(files), principal=PRINCIPAL))
    assert ending.status == "done", ending.reason
    made = [Call(name, {"i": i}, "code", way == "again", yes) for name, i in chosen]
    wanted = [expected(tools, files, call, 99) for call in made]
    words = ["done" if word == "done" else "denied" for word in wanted]
    assert bench.output() == f"{words}\n"
    happened = [
        f"{name} {i}" for (name, i), word in zip(chosen, wanted, strict=True) if word == "done"
    ]
    assert sorted(did) == sorted(happened)
    assert [words for words in decided(bench.events()).values() if len(words) != 1] == []
    assert asyncio.run(bench.replay()).identical
    assert sorted(did) == sorted(happened)


@promise("gate:no-way-around")
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=FILES, effect=st.sampled_from(["read", "write", "destructive"]), yes=st.booleans())
def test_json_calls_are_decided_by_the_same_rules(
    tmp_path_factory: pytest.TempPathFactory,
    place: Local,
    files: list[RuleSet],
    effect: Effect,
    yes: bool,
) -> None:
    tools = {"crm.get": Tool(effect, "both")}
    did: list[str] = []

    async def person(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        word: Literal["allow", "deny"] = "allow" if yes else "deny"
        return [ApprovalDecision(call=r.call, tool=r.tool, decision=word) for r in rows]

    arguments = [{"i": 1}, {"i": 5}]
    replies = [msgspec.json.encode({"tool": "crm.get", "arguments": a}).decode() for a in arguments]
    bench = Bench(
        tmp_path_factory.mktemp("runs"), place, sources=[functions(tools, did)], approver=person
    )
    bench.model = scripted([*replies, "All done."])
    asyncio.run(bench.task("x", policy=tuple(files), principal=PRINCIPAL, action_format="json"))
    calls = [Call("crm.get", cast("dict[str, JSON]", a), "direct", False, yes) for a in arguments]
    wanted = [expected(tools, files, call, 99) for call in calls]
    assert list(decided(bench.events()).values()) == [[word] for word in wanted]
    assert len(did) == wanted.count("done")


@promise("gate:no-way-around")
def test_a_budget_holds_exactly_under_64_calls_at_once(tmp_path: Path, place: Local) -> None:
    did: list[str] = []
    source = [functions({"crm.get": Tool("read", "both")}, did)]
    bench = Bench(tmp_path, place, sources=source)
    text = (
        "import asyncio\nfrom tools import crm\n"
        "async def main(): await asyncio.gather(*(crm.get(i) for i in range(64)))\n"
        "asyncio.run(main())\n"
    )
    ending = asyncio.run(bench.exec(text, budget={"calls": 40}))
    assert (ending.status, ending.exit) == ("limit", 5)
    assert len(did) == 40
    assert sum(isinstance(event.body, ToolAttempted) for event in bench.events()) == 40
