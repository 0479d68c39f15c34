"""`actum config`: each value knows its origin; setting one leaves the rest alone."""

import json
import tomllib
from typing import Any

import pytest

from actum.cli.main import main
from tests.cli.machines import Machine


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["config", "show", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_each_value_says_who_set_it(
    machine: Machine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.user("[budget]\nusd = 2\ncalls = 5\n")
    machine.project("[budget]\ncalls = 6\nrequests = 3\n")
    monkeypatch.setenv("ACTUM_BUDGET_REQUESTS", "4")
    assert main(["trust", "--yes"]) == 0
    capsys.readouterr()
    values = shown(capsys)["values"]
    assert values["budget.usd"] == {"value": 2.0, "origin": "user"}
    assert values["budget.calls"] == {"value": 6, "origin": "project"}
    assert values["budget.requests"] == {"value": 4, "origin": "environment"}
    assert values["limits.seconds"] == {"value": 60.0, "origin": "default"}


def test_a_named_file_needs_no_trust(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.project("[budget]\ncalls = 6\n")
    (machine.folder / "mine.toml").write_text("[budget]\ncalls = 8\n")
    document = shown(capsys, "--config", "mine.toml")
    assert document["trusted"] is True
    assert document["file"] == str(machine.folder / "mine.toml")
    assert document["values"]["budget.calls"] == {"value": 8, "origin": "project"}


def test_a_named_file_that_is_missing_is_said(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "show", "--config", "no.toml"]) == 2
    assert "error[file.missing]" in capsys.readouterr().err


def test_setting_a_key_keeps_comments_and_everything_else(machine: Machine) -> None:
    file = machine.user('# mine\nmodel = "a:b"  # the good one\n\n[budget]\nusd = 1 # a day\n')
    assert main(["config", "set", "budget.usd", "2.5"]) == 0
    assert main(["config", "set", "model", "c:d"]) == 0
    assert main(["config", "set", "network.allow", "a.example,b.example"]) == 0
    assert main(["config", "set", "budget.day.usd", "9"]) == 0
    text = file.read_text()
    assert '# mine\nmodel = "c:d"  # the good one\n' in text
    assert "usd = 2.5  # a day" in text
    assert tomllib.loads(text) == {
        "model": "c:d",
        "budget": {"usd": 2.5, "day": {"usd": 9.0}},
        "network": {"allow": ["a.example", "b.example"]},
    }


def test_a_list_over_several_lines_is_replaced_whole(machine: Machine) -> None:
    file = machine.user('packages = [\n  "a",  # first\n  "b",\n]\nformat = "code"\n')
    assert main(["config", "set", "packages", "c"]) == 0
    assert tomllib.loads(file.read_text()) == {"packages": ["c"], "format": "code"}


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("budget.cals", "3", "did you mean budget.calls?"),
        ("budget.calls", "many", "whole number"),
        ("mcp.github", "x", "by hand"),
        ("format", "jsn", "choose one of auto, code, json"),
    ],
)
def test_what_cannot_be_is_not_written(
    machine: Machine, capsys: pytest.CaptureFixture[str], key: str, value: str, hint: str
) -> None:
    assert main(["config", "set", key, value]) == 2
    assert hint in capsys.readouterr().err
    assert not machine.settings.exists()


def test_a_path_set_for_the_user_is_meant_from_here(machine: Machine) -> None:
    assert main(["config", "set", "tools", "mine.py"]) == 0
    assert tomllib.loads(machine.settings.read_text()) == {
        "tools": [str(machine.folder / "mine.py")]
    }


def test_setting_a_trusted_projects_key_keeps_it_trusted(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project("[budget]\ncalls = 6\n")
    assert main(["trust", "--yes"]) == 0
    assert main(["config", "set", "--project", "budget.calls", "7"]) == 0
    capsys.readouterr()
    assert shown(capsys)["values"]["budget.calls"] == {"value": 7, "origin": "project"}


def test_setting_an_untrusted_projects_key_does_not_trust_it(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project('[[policy]]\ndecide = "allow"\n')
    assert main(["config", "set", "--project", "budget.calls", "7"]) == 0
    capsys.readouterr()
    assert shown(capsys)["trusted"] is False


def test_path_says_which_files_are_read(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "path", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["user"] == str(machine.settings)
    assert document["project"] is None
    assert document["home"] == str(machine.data)
