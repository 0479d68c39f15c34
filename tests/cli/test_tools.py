"""`actum tools`: everything works without a model, and a call passes the same gate as any other."""

import json
from pathlib import Path
from typing import Any

import pytest

from actum.cli.main import main
from tests.cli.machines import Machine

TOOLS = """
from actum import tool

@tool(name="shop.get", effect="read")
def get(i: int, note: str | None = None) -> dict:
    "One order by its number."
    return {"id": i, "note": note}

@tool(name="shop.send-mail", effect="write")
def send(to: str, body: str) -> str:
    "Send a mail."
    open("world.txt", "a").write("W")
    return "sent"
"""


@pytest.fixture
def tools(machine: Machine) -> list[str]:
    (machine.folder / "shop.py").write_text(TOOLS)
    return ["--tools", "shop.py"]


def document(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_list_and_search_give_the_rows_that_programs_see(
    tools: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "list", *tools]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "shop.get(i: int, note: str | None = None) -> dict  # One order by its number.",
        "shop.send_mail(to: str, body: str) -> str  # Send a mail. (write)",
    ]
    assert main(["tools", "search", "send", "a", "mail", "--json", *tools]) == 0
    (hit, *_) = document(capsys)
    assert list(hit) == ["name", "signature", "summary", "effect", "source", "score"]
    assert (hit["name"], hit["effect"], hit["source"]) == ("shop.send_mail", "write", "shop.py")


def test_show_tells_all_and_an_unknown_name_gets_the_nearest(
    tools: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "show", "shop.send-mail", *tools]) == 0
    assert "Effect: write." in capsys.readouterr().out
    assert main(["tools", "show", "shop.get", "--json", *tools]) == 0
    assert document(capsys)["input_schema"]["required"] == ["i"]
    assert main(["tools", "show", "shop.gte", *tools]) == 2
    assert "did you mean shop.get?" in capsys.readouterr().err


def test_stubs_are_written_for_the_editor(
    machine: Machine, tools: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "stub", "--tools-as", "my_sdk", "--json", *tools]) == 0
    files = document(capsys)
    assert files == ["typings/my_sdk/__init__.pyi", "typings/my_sdk/shop.pyi"]
    assert "def get(i: int, note: str | None = None)" in (machine.folder / files[1]).read_text()


def test_a_tool_is_tried_with_words_of_its_types(
    tools: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "try", "shop.get", "i=3", "note=5", *tools]) == 0
    assert document(capsys) == {"id": 3, "note": "5"}


def test_a_mistake_at_the_keyboard_is_no_run(
    tools: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "try", "shop.get", "i=three", "j=1", *tools]) == 2
    told = capsys.readouterr().err
    assert "i: expected int, got str" in told
    assert "j is unknown" in told
    assert main(["tools", "try", "shop.get", "three", *tools]) == 2
    assert main(["runs", "list", "--json"]) == 0
    assert document(capsys) == []


def test_a_write_that_is_tried_is_asked_about(
    machine: Machine, tools: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "try", "shop.send_mail", "to=5", "body=x", *tools]) == 8
    assert not (machine.folder / "world.txt").exists()
    assert "shop.send_mail" in capsys.readouterr().err


def test_a_folder_without_tools_says_how_to_name_some(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tools", "list"]) == 0
    assert "--tools" in capsys.readouterr().err


PROGRAM = """
import tools
hits = tools.search("send a mail", limit=1)
print(hits[0].name, len(tools.describe("shop")) > 50)
for call in (lambda: tools.search("qqqq"), lambda: tools.describe("shop.gett"), lambda: tools.search(5)):
    try:
        call()
    except tools.ToolError as error:
        print(error.status, str(error).splitlines()[-1])
"""


def test_programs_look_around_whatever_the_rules_and_the_budget(
    machine: Machine, tools: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    rules = '[budget]\ncalls = 0\n[[policy]]\ntool = "*"\ndecide = "deny"\n'
    machine.user(rules)
    Path("p.py").write_text(PROGRAM)
    assert main(["exec", "p.py", *tools]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "shop.send_mail True"
    assert lines[1].startswith("unknown no tool matches 'qqqq'")
    assert lines[2].startswith("unknown shop.")
    assert lines[3].startswith("arguments search: query: expected str, got int")
