"""`actum trust`: a cloned folder does not configure its own guard."""

import json

import pytest

from actum.cli.main import main
from tests.cli.machines import Machine
from tests.promises import promise

PERMISSIVE = """
tools = ["tools.py"]
mounts = ["~"]
[network]
allow = ["anywhere.example"]
[[policy]]
effect = "write"
decide = "allow"
"""


def in_force(capsys: pytest.CaptureFixture[str]) -> tuple[bool, list[str], int, list[str]]:
    capsys.readouterr()
    assert main(["config", "show", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    values = {key: value["value"] for key, value in document["values"].items()}
    opened = [*values["tools"], *values["mounts"], *values["network.allow"]]
    notices = document.get("notices", [])
    return document["trusted"], opened, len(document["policies"]), notices


@promise("trust:closed")
def test_nothing_of_a_folder_is_used_before_trust_and_one_line_says_so(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project(PERMISSIVE)
    (machine.folder / "tools.py").write_text("")
    trusted, opened, policies, notices = in_force(capsys)
    assert (trusted, opened, policies) == (False, [], 0)
    assert notices == ["actum.toml here is not trusted and not used: actum trust"]
    assert not machine.data.exists()


def test_all_of_it_is_used_after_trust(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project(PERMISSIVE)
    (machine.folder / "tools.py").write_text("")
    assert main(["trust", "--yes"]) == 0
    trusted, opened, policies, notices = in_force(capsys)
    assert (trusted, policies, notices) == (True, 1, [])
    assert opened == [
        str(machine.folder / "tools.py"),
        str(machine.folder.parent),
        "anywhere.example",
    ]


@promise("trust:closed")
@pytest.mark.parametrize(
    "changed", ["actum.toml", "tools.py", "helper.py", "package/inner.py", "json.py"]
)
def test_a_change_of_what_it_names_or_imports_takes_trust_away(
    machine: Machine, capsys: pytest.CaptureFixture[str], changed: str
) -> None:
    machine.project(PERMISSIVE)
    (machine.folder / "tools.py").write_text("import json, helper\nfrom package import inner\n")
    (machine.folder / "helper.py").write_text("")
    (machine.folder / "package").mkdir()
    (machine.folder / "package" / "inner.py").write_text("")
    assert main(["trust", "--yes"]) == 0
    with (machine.folder / changed).open("a") as file:
        file.write("# changed\n")
    trusted, opened, policies, notices = in_force(capsys)
    assert (trusted, opened, policies) == (False, [], 0)
    assert notices == [
        f"{changed} changed since actum.toml here was trusted; not used: actum trust"
    ]


def test_other_files_of_the_folder_may_change(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project(PERMISSIVE)
    (machine.folder / "tools.py").write_text("")
    assert main(["trust", "--yes"]) == 0
    (machine.folder / "notes.py").write_text("")
    assert in_force(capsys)[0] is True


def test_a_named_file_that_is_made_later_takes_trust_away(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project('[mcp.own]\ncommand = ["python", "server.py"]\n')
    assert main(["trust", "--yes"]) == 0
    (machine.folder / "server.py").write_text("")
    assert in_force(capsys)[0] is False


def test_trust_belongs_to_one_folder(
    machine: Machine, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.project("[budget]\ncalls = 1\n")
    assert main(["trust", "--yes"]) == 0
    other = machine.folder.parent / "other"
    other.mkdir()
    (other / "actum.toml").write_text("[budget]\ncalls = 1\n")
    monkeypatch.chdir(other)
    assert in_force(capsys)[0] is False


def test_nobody_there_and_no_yes_is_a_usage_error(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project(PERMISSIVE)
    assert main(["trust"]) == 2
    answer = capsys.readouterr()
    assert "actum trust --yes" in answer.err
    assert in_force(capsys)[0] is False


def test_show_says_what_would_take_effect_and_trusts_nothing(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project(PERMISSIVE)
    assert main(["trust", "--show"]) == 0
    text = capsys.readouterr().out
    for part in ("effect write: allow", "~", "tools.py", "anywhere.example"):
        assert part in text
    assert in_force(capsys)[0] is False


def test_a_broken_file_is_an_error_only_once_it_counts(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.project("= = =")
    assert in_force(capsys)[0] is False
    assert main(["trust", "--yes"]) == 2
    assert "this is not TOML" in capsys.readouterr().err


def test_the_list_of_trusted_folders_is_the_users_alone(machine: Machine) -> None:
    machine.project("")
    assert main(["trust", "--yes"]) == 0
    assert machine.data.stat().st_mode & 0o777 == 0o700
    assert (machine.data / "trust.json").stat().st_mode & 0o777 == 0o600
