"""What the rules of today would say of calls that were recorded: from the records alone."""

import ast
import functools
from collections.abc import Sequence

import msgspec

from actum.gate.contract import Ruling, Verdict
from actum.gate.policy import Policy
from actum.records.calls import ToolCall
from actum.records.events import (
    AnyBody,
    ApprovalDecision,
    ApprovalRequest,
    Event,
    ModuleLoad,
    RunStart,
    ToolAttempted,
    ToolCalled,
    ToolRefused,
)
from actum.records.policies import RuleSet
from actum.records.tools import Effect, ToolSpec, parameters_text
from actum.records.values import JSON, mark, unmark
from actum.session.recorded import call_id, call_of

_Stub = tuple[tuple[str, ...], dict[str, JSON]]
"""The positional parameters of a tool, and the defaults that are plain data."""


class PastCall(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded call: how it was decided, and how it would be now."""

    run: str
    step: int
    line: int | None
    tool: str
    arguments: dict[str, JSON]
    effect: Effect
    then: Verdict
    now: Verdict
    rule: str
    """What decides now."""

    @property
    def differs(self) -> bool:
        """Whether the rules of today decide it otherwise."""
        return self.then != self.now


def judge_past(run: str, events: Sequence[Event], rule_sets: Sequence[RuleSet]) -> list[PastCall]:
    """Each call of a run that its rules decided on. What never came so far is left out."""
    record = _Record(events)
    policy = Policy(rule_sets, principal=record.start.principal)
    judged: list[PastCall] = []
    for call, effect in record.calls:
        then = record.verdict(call)
        if then is None:
            continue
        arguments = record.arguments(call)
        plain = {name: unmark(value) for name, value in arguments.items()}
        now: Ruling = policy.rule_on(record.spec(call, effect), call, plain)
        judged.append(
            PastCall(
                run=run,
                step=call.step,
                line=call.line,
                tool=call.tool,
                arguments=arguments,
                effect=effect,
                then=then,
                now=now.decide,
                rule=now.rule,
            )
        )
    return judged


class _Record:
    """One run, sorted by what a rule asks about."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.start = RunStart()
        self.calls: list[tuple[ToolCall, Effect]] = []
        self._rows: dict[str, dict[str, JSON]] = {}
        self._attempted: set[str] = set()
        self._refused: dict[str, ToolRefused] = {}
        self._asked: set[str] = set()
        self._stubs: dict[str, _Stub] = {}
        for event in events:
            self._sort(event)
        self._direct = {spec.name: spec for spec in self.start.direct}

    def verdict(self, call: ToolCall) -> Verdict | None:
        """How the rules decided then; None where the call did not come so far."""
        refused = self._refused.get(call.id)
        if call.id in self._asked:
            return "ask"
        if refused is not None:
            return None if refused.ends_run else "deny"
        return "allow" if call.id in self._attempted else None

    def arguments(self, call: ToolCall) -> dict[str, JSON]:
        """By name: as they were asked about, else as they were written."""
        row = self._rows.get(call.id)
        if row is not None:
            return row
        names, defaults = self._stub(call)
        return defaults | dict(zip(names, call.args, strict=False)) | call.kwargs

    def spec(self, call: ToolCall, effect: Effect) -> ToolSpec:
        """As much of the tool as the record has."""
        shown = self._direct.get(call.tool)
        sources = self.start.sources
        source = shown.source if shown else sources[0].alias if len(sources) == 1 else ""
        return ToolSpec(name=call.tool, effect=effect, source=source)

    def _stub(self, call: ToolCall) -> _Stub:
        shown = self._direct.get(call.tool)
        if shown is None:
            return self._stubs.get(call.tool, ((), {}))
        return _stubs(f"def tool({parameters_text(shown.parameters)}): ...").get("tool", ((), {}))

    def _sort(self, event: Event) -> None:
        body = event.body
        if isinstance(body, RunStart):
            self.start = body
        elif isinstance(body, ModuleLoad):
            prefix = f"{body.name}." if body.name else ""
            for name, stub in _stubs(body.text).items():
                self._stubs[prefix + name] = stub
        elif isinstance(body, ToolCalled) and body.effect is not None:
            self.calls.append((call_of(event, body), body.effect))
        elif isinstance(body, ToolAttempted):
            self._attempted.add(call_id(event, body.number))
        elif isinstance(body, ToolRefused):
            self._refused[call_id(event, body.number)] = body
        else:
            self._sort_question(body)

    def _sort_question(self, body: AnyBody) -> None:
        if isinstance(body, ApprovalRequest):
            rows = [row for row in body.rows if row.kind == "approval"]
            self._rows.update({row.call: row.arguments for row in rows})
            self._asked.update(row.call for row in rows)
        elif isinstance(body, ApprovalDecision) and body.how == "rest":
            self._asked.add(body.call)


@functools.lru_cache(maxsize=256)
def _stubs(text: str) -> dict[str, _Stub]:
    """Every function in a module's text."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: _stub_of(node.args) for node in functions}


def _stub_of(arguments: ast.arguments) -> _Stub:
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    last = positional[len(positional) - len(arguments.defaults) :]
    given = [*zip(last, arguments.defaults, strict=True)]
    given += [
        (argument.arg, default)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    ]
    defaults = {name: node.value for name, node in given if isinstance(node, ast.Constant)}
    return tuple(positional), {name: mark(value) for name, value in defaults.items()}
