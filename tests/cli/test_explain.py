"""`actum explain`: every code has a page."""

import json

import pytest

from actum.cli.explain import error_pages
from actum.cli.main import main
from actum.errors import ActumError
from tests.cli.machines import Machine

# Shown by a screen, not raised as an error of the tree.
SCREEN_ONLY = {"internal", "tools.denied"}


def tree(kind: type[ActumError]) -> set[str]:
    inner = [tree(k) for k in kind.__subclasses__() if k.__module__ == "actum.errors"]
    return {kind.code}.union(*inner)


def test_every_error_code_has_a_page_and_every_page_a_code() -> None:
    assert set(error_pages()) - SCREEN_ONLY == tree(ActumError) - SCREEN_ONLY


def test_every_page_says_its_exit_code() -> None:
    assert [code for code, page in error_pages().items() if "Exit code " not in page] == []


def test_a_page_is_found_by_what_stands_on_the_screen(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "error[settings.bad]:"]) == 0
    assert "settings file" in capsys.readouterr().out


def test_without_a_code_it_lists_them_all(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {row["code"] for row in listed} == set(error_pages())


def test_an_unknown_code_gets_the_nearest(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "setting.bad"]) == 2
    assert "did you mean settings.bad?" in capsys.readouterr().err
