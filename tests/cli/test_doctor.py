"""`actum doctor`: what is here, what is missing, and never a secret."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from actum.cli.main import main
from tests.cli.machines import Machine


def report(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    code = main(["doctor", "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_it_says_what_is_here(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    _code, document = report(capsys)
    assert {"place", "level", "layers", "problems"} <= set(document)
    assert document["sqlite"] == sqlite3.sqlite_version
    assert document["home"] == str(machine.data)


def test_keys_are_named_and_never_shown(
    machine: Machine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-very-secret")
    _code, document = report(capsys)
    assert document["keys"] == ["ANTHROPIC_API_KEY"]
    assert "very-secret" not in json.dumps(document)


def test_a_home_that_cannot_be_is_a_problem_with_a_way_out(
    machine: Machine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ACTUM_HOME", str(tmp_path / "file" / "home"))
    code, document = report(capsys)
    assert code == 3
    assert any("ACTUM_HOME" in problem["fix"] for problem in document["problems"])


def test_a_home_that_others_can_read_is_said(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.data.mkdir(mode=0o755)
    machine.data.chmod(0o755)
    _code, document = report(capsys)
    assert f"chmod 700 {machine.data}" in [p["fix"] for p in document["problems"]]


def test_completion_is_a_script_for_the_shell(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", "fish"]) == 0
    assert "_ACTUM_COMPLETE" in capsys.readouterr().out
