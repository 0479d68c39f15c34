"""`actum policy`: which rules there are, how a call would be decided, and what past runs would have met."""

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from actum.assemble import Workshop
from actum.catalog.catalog import Catalog, open_catalog
from actum.cli.finding import recorded_events, run_file
from actum.cli.frame import Frame
from actum.cli.policy_texts import explanation_lines, past_lines, rule_text
from actum.errors import BadArguments, UserMistake
from actum.gate.doubts import Doubt, rule_doubts
from actum.gate.explaining import explain
from actum.journal.index import list_runs
from actum.lifecycle.past_calls import PastCall, judge_past
from actum.records.calls import Caller, ToolCall
from actum.records.events import ToolCalled
from actum.records.policies import PolicyRule, RuleSet
from actum.records.tools import ToolSpec
from actum.records.values import JSON
from actum.settings.checking import check as check_document
from actum.settings.homes import runs_folder
from actum.settings.load import find_project
from actum.settings.toml_files import parse, place_of, read_text

_LAST = re.compile(r"last:(\d+)")
_tools_option = click.option(
    "--tools", multiple=True, type=click.Path(path_type=Path), metavar="FILE"
)


@click.group("policy")
def command() -> None:
    """See the rules, how a call would be decided, and what past runs would have met."""


@command.command("check")
@_tools_option
@click.pass_obj
def check(frame: Frame, *, tools: tuple[Path, ...]) -> None:
    """Read every rule of every file, and say what is odd about them."""
    workshop = Workshop(frame.settings(), frame.environ)
    catalog = asyncio.run(open_catalog(workshop.sources(tools)))
    files = [(file.path, file.rules, True) for file in workshop.settings.policies]
    files += _unused(frame)
    sets = [RuleSet(origin=path.name, rules=rules) for path, rules, _ in files]
    doubts = [rule_doubts([rule_set], catalog.specs) for rule_set in sets]
    if frame.screen.as_json:
        documents = [
            _file(path, rules, found, used=used)
            for (path, rules, used), found in zip(files, doubts, strict=True)
        ]
        frame.screen.document({"files": list(documents)})
        return
    for (path, rules, used), found in zip(files, doubts, strict=True):
        frame.screen.data(f"{path}{'' if used else '  (not trusted, not used)'}")
        for number, rule in enumerate(rules, 1):
            frame.screen.data(f"  rule {number}: {rule_text(rule)}")
            odd = [doubt.what for doubt in found if doubt.rule == number]
            for what in odd:
                frame.screen.data(f"    odd: {what}")
    if not files:
        frame.screen.data("no rule is written: reads are allowed, everything else is asked about")


@command.command("explain")
@click.argument("call", nargs=-1, required=True, metavar="TOOL [KEY=VALUE]...")
@click.option("--caller", type=click.Choice(["code", "direct", "sub-agent"]), default="code")
@_tools_option
@click.pass_obj
def explain_call(
    frame: Frame, *, call: tuple[str, ...], caller: Caller, tools: tuple[Path, ...]
) -> None:
    """Say which rule decides about a call, and why: crm.refund amount=30."""
    words = [word for text in call for word in text.split()] if len(call) == 1 else list(call)
    workshop = Workshop(frame.settings(), frame.environ)
    catalog = asyncio.run(open_catalog(workshop.sources(tools)))
    name = words[0]
    spec, remark = _spec(frame, catalog, name)
    given = _given(spec, words[1:])
    arguments, whole = _checked(catalog, name, given)
    made = ToolCall(step=1, number=1, tool=name, kwargs=given, caller=caller)
    told = explain(
        workshop.rules(), spec, made, arguments, principal=workshop.start("").principal, whole=whole
    )
    if not frame.screen.as_json:
        frame.screen.data("\n".join(explanation_lines(spec, told, remark)))
        return
    document: dict[str, JSON] = {
        "tool": name,
        "known": not remark,
        "remark": remark,
        "effect": spec.effect,
        "source": spec.source,
        "arguments": given,
        "decide": told.ruling.decide,
        "rule": told.ruling.rule,
        "why": told.ruling.why,
        "default": told.default.decide,
        "files": msgspec.to_builtins(told.opinions),
    }
    frame.screen.document(document)


@command.command("test")
@click.option("--runs", default="last:20", show_default=True, metavar="last:N|RUN[,RUN]...")
@click.pass_obj
def test(frame: Frame, *, runs: str) -> None:
    """Say what the rules of today would have decided about the calls of past runs."""
    rules = Workshop(frame.settings(), frame.environ).rules()
    paths = _runs(frame, runs)
    calls = [past for path in paths for past in judge_past(path.stem, recorded_events(path), rules)]
    differences = [past for past in calls if past.differs]
    if not frame.screen.as_json:
        frame.screen.data("\n".join(past_lines(len(paths), calls, differences)))
        return
    document: dict[str, JSON] = {
        "runs": len(paths),
        "calls": len(calls),
        "then": _counts(calls, "then"),
        "now": _counts(calls, "now"),
        "differences": msgspec.to_builtins(differences),
    }
    frame.screen.document(document)


def _counts(calls: Sequence[PastCall], when: str) -> dict[str, JSON]:
    verdicts = [getattr(past, when) for past in calls]
    return {verdict: verdicts.count(verdict) for verdict in ("allow", "ask", "deny")}


def _unused(frame: Frame) -> list[tuple[Path, tuple[PolicyRule, ...], bool]]:
    """The rules of a project file that is not trusted: shown, and not used."""
    project, text = find_project(frame.folder, config=frame.config, environ=frame.environ)
    path = project.file
    if path is None or project.trusted:
        return []
    rules = check_document(parse(text, path), lambda key: place_of(text, path, key)).policy
    return [(path, rules, False)] if rules else []


def _file(
    path: Path, rules: Sequence[PolicyRule], doubts: Sequence[Doubt], *, used: bool
) -> dict[str, JSON]:
    text = read_text(path)
    plain: list[dict[str, JSON]] = [msgspec.to_builtins(rule) for rule in rules]
    shown: list[JSON] = [
        {"number": number, "where": place_of(text, path, f"policy[{number - 1}]"), **rule}
        for number, rule in enumerate(plain, 1)
    ]
    odd: list[JSON] = [{"rule": doubt.rule, "what": doubt.what} for doubt in doubts]
    return {"file": str(path), "used": used, "rules": shown, "warnings": odd}


def _spec(frame: Frame, catalog: Catalog, name: str) -> tuple[ToolSpec, str]:
    """The tool; where it is not known here, what its calls in past runs say of it."""
    entry = catalog.find(name)
    if entry is not None:
        return entry.spec, ""
    for summary in list_runs(runs_folder(frame.environ, frame.folder))[:20]:
        for event in () if summary.problem else recorded_events(Path(summary.path)):
            body = event.body
            if isinstance(body, ToolCalled) and body.tool == name and body.effect is not None:
                remark = f"it is not among the tools here; in run {summary.id} it was {body.effect}"
                return ToolSpec(name=name, effect=body.effect), remark
    near = catalog.near(name)
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    remark = f"there is no such tool here, so a call of it is refused{meant} As a write:"
    return ToolSpec(name=name, effect="write", declared=False), remark


def _given(spec: ToolSpec, words: Sequence[str]) -> dict[str, JSON]:
    given: dict[str, JSON] = {}
    properties = spec.input_schema.get("properties")
    schemas = properties if isinstance(properties, dict) else {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key.isidentifier():
            raise UserMistake(
                f"{word!r} is no argument",
                hints=("write key=value:   actum policy explain crm.refund amount=30",),
            )
        schema = schemas.get(key)
        is_text = isinstance(schema, dict) and schema.get("type") == "string"
        given[key] = value if is_text else _parsed(value)
    return given


def _parsed(value: str) -> JSON:
    try:
        return json.loads(value)
    except ValueError:
        return value


def _checked(catalog: Catalog, name: str, given: dict[str, JSON]) -> tuple[dict[str, object], bool]:
    """The arguments as the gate would see them, and whether they are all of the call."""
    entry = catalog.find(name)
    if entry is None:
        return {**given}, False
    try:
        return entry.source.check(name, (), {**given}), True
    except BadArguments:
        return {**given}, False


def _runs(frame: Frame, wanted: str) -> list[Path]:
    last = _LAST.fullmatch(wanted)
    if last is None:
        return [run_file(frame, reference) for reference in wanted.split(",")]
    found = list_runs(runs_folder(frame.environ, frame.folder))
    return [Path(run.path) for run in found if not run.problem][: int(last[1])]
