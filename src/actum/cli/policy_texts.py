"""Rules and what they decide, as people read it."""

from collections.abc import Iterator, Sequence

import msgspec

from actum.gate.explaining import Explanation, Opinion, RuleAt
from actum.lifecycle.past_calls import PastCall
from actum.records.policies import PolicyRule
from actum.records.tools import ToolSpec
from actum.records.values import JSON

SHOWN = 20


def rule_text(rule: PolicyRule) -> str:
    """`tool crm.*, when amount {'max': 50}: allow (our own people)`."""
    plain: dict[str, JSON] = msgspec.to_builtins(rule)
    when = plain.pop("when", {})
    decide, why = plain.pop("decide"), plain.pop("why", "")
    parts = [f"{key} {value}" for key, value in plain.items()]
    for name, condition in when.items() if isinstance(when, dict) else ():
        tests = condition.items() if isinstance(condition, dict) else ()
        parts.append(f"{name} " + " and ".join(f"{test} {value!r}" for test, value in tests))
    return f"{', '.join(parts) or 'everything'}: {decide}{f' ({why})' if why else ''}"


def explanation_lines(spec: ToolSpec, told: Explanation, remark: str) -> Iterator[str]:
    """The decision first, then what each file says."""
    if remark:
        yield f"{spec.name}: {remark}"
    ruling = told.ruling
    may = any(opinion.possible for opinion in told.opinions)
    tail = ", if no rule below fits its other arguments" if may else ""
    yield f"{spec.name} ({spec.effect}): {ruling.decide}, by {ruling.rule}{tail}"
    if ruling.why:
        yield f"  why: {ruling.why}"
    for opinion in told.opinions:
        yield from _opinion(opinion)
    if not ruling.rule.startswith("default"):
        yield f"  with no rule: {told.default.decide}, as its effect is {spec.effect}"


def past_lines(
    runs: int, calls: Sequence[PastCall], differences: Sequence[PastCall]
) -> Iterator[str]:
    """Counts, and the calls that would be decided otherwise."""
    yield f"{runs} runs, {len(calls)} calls: {len(differences)} would be decided otherwise"
    for verdict in ("allow", "ask", "deny"):
        then = sum(past.then == verdict for past in calls)
        now = sum(past.now == verdict for past in calls)
        yield f"  {verdict:<6} then {then:>5}   now {now:>5}"
    for past in differences[:SHOWN]:
        where = f"step {past.step}" + (f", line {past.line}" if past.line is not None else "")
        given = " ".join(f"{name}={_short(value)}" for name, value in past.arguments.items())
        yield (
            f"  {past.run}  {where}  {past.tool} {given}: "
            f"{past.then}, now {past.now} by {past.rule}"
        )
    if len(differences) > SHOWN:
        yield f"  and {len(differences) - SHOWN} more: actum policy test --json"


def _opinion(opinion: Opinion) -> Iterator[str]:
    for rule in opinion.possible:
        yield f"  {_rule(rule)}, where it fits: {', '.join(rule.when)}"
    if opinion.rule is None:
        yield f"  {opinion.origin} has no rule that matches"
    else:
        yield f"  {_rule(opinion.rule)}"


def _rule(rule: RuleAt) -> str:
    why = f" ({rule.why})" if rule.why else ""
    return f"rule {rule.number} of {rule.origin}: {rule.decide}{why}"


def _short(value: JSON) -> str:
    text = value if isinstance(value, str) and " " not in value else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
