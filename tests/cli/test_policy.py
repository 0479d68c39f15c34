"""`actum policy`: the rules read, explained, and tried on past runs."""

from pathlib import Path

import pytest

from tests.flows.terminal import Terminal

RULES = """
[[policy]]
tool = "shop.send"
when = { to = { ends_with = "@example.com" } }
decide = "allow"
why = "our own people"

[[policy]]
tool = "shop.*"
effect = "write"
decide = "deny"
why = "mail only to our own people"

[[policy]]
tool = "shop.send"
effect = "write"
decide = "allow"
"""


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


def test_check_lists_every_rule_and_says_which_can_never_match(terminal: Terminal) -> None:
    terminal.write("actum.toml", RULES)
    before = terminal.actum("policy", "check")
    assert "not trusted, not used" in before.out
    assert terminal.actum("trust", "--yes").exit == 0
    (file,) = terminal.actum("policy", "check", "--tools", "shop.py", "--json").json["files"]
    assert file["used"] is True
    assert [rule["decide"] for rule in file["rules"]] == ["allow", "deny", "allow"]
    assert file["rules"][1]["where"].endswith("actum.toml, line 8")
    assert file["warnings"] == [
        {"rule": 3, "what": "it can never match: rule 2 matches everything that it would"}
    ]


@pytest.mark.parametrize(
    ("rule", "odd"),
    [
        ('tool = "shop.sent"', "no tool that is known here is called shop.sent"),
        ('tool = "shop.get"\neffect = "write"', "its effect is write, and what it names is: read"),
        ("when = { too = { max = 3 } }", "none of the tools that it names takes an argument too"),
        ("when = { to = {} }", "the condition on to is empty, and so always holds"),
        ("when = { i = { min = 3, max = 2 } }", "it can never match: i cannot be at least 3"),
        (
            'when = { to = { one_of = ["a"], glob = "b*" } }',
            "it can never match: to cannot have its",
        ),
    ],
)
def test_check_says_what_is_odd(terminal: Terminal, rule: str, odd: str) -> None:
    terminal.write("rules.toml", f'[[policy]]\n{rule}\ndecide = "ask"\n')
    told = terminal.actum("policy", "check", "--config", "rules.toml", "--tools", "shop.py")
    assert f"odd: {odd}" in told.out


def test_a_condition_that_is_none_is_a_mistake_with_the_nearest(terminal: Terminal) -> None:
    rule = '[[policy]]\ndecide = "ask"\nwhen = { to = { end_with = "x" } }\n'
    terminal.write("rules.toml", rule)
    told = terminal.actum("policy", "check", "--config", "rules.toml")
    assert told.exit == 2
    assert "ends_with" in told.err


def test_explain_names_the_rule_and_what_would_be_without_it(terminal: Terminal) -> None:
    terminal.write("rules.toml", RULES)
    base = ("policy", "explain", "--config", "rules.toml", "--tools", "shop.py", "--json")
    ours = terminal.actum(*base, "shop.send", "to=a@example.com").json
    assert (ours["decide"], ours["rule"], ours["why"], ours["default"]) == (
        "allow",
        "rule 1 of rules.toml",
        "our own people",
        "ask",
    )
    theirs = terminal.actum(*base, "shop.send to=a@elsewhere.org").json
    assert (theirs["decide"], theirs["rule"]) == ("deny", "rule 2 of rules.toml")
    read = terminal.actum(*base, "shop.get", "i=3").json
    assert (read["decide"], read["rule"]) == ("allow", "default: read")


def test_explain_of_a_name_alone_says_what_depends_on_its_arguments(terminal: Terminal) -> None:
    terminal.write("rules.toml", RULES)
    base = ("policy", "explain", "--config", "rules.toml", "--tools", "shop.py")
    told = terminal.actum(*base, "shop.send").out
    assert told.startswith("shop.send (write): deny, by rule 2 of rules.toml, if no rule below")
    assert "rule 1 of rules.toml: allow (our own people), where it fits: to" in told
    missing = terminal.actum(*base, "shop.sendd", "--json").json
    assert missing["known"] is False
    assert "there is no such tool here" in missing["remark"]
    assert "shop.send" in missing["remark"]


def test_past_runs_are_judged_by_the_rules_of_today(terminal: Terminal) -> None:
    loop = "from tools import shop\nshop.get(1)\nfor to in ('a@example.com', 'b'): shop.send(to)\n"
    assert terminal.exec(loop).exit == 8
    terminal.actum("approve", "--rest")
    assert terminal.actum("resume").exit == 0
    same = terminal.actum("policy", "test", "--json").json
    assert (same["runs"], same["calls"], same["differences"]) == (1, 3, [])
    assert same["then"] == {"allow": 1, "ask": 2, "deny": 0}
    terminal.write("rules.toml", RULES)
    told = terminal.actum("policy", "test", "--config", "rules.toml", "--runs", "last:5", "--json")
    assert told.json["now"] == {"allow": 2, "ask": 0, "deny": 1}
    first, second = told.json["differences"]
    assert first["arguments"] == {"to": "a@example.com", "body": ""}
    assert (first["then"], first["now"]) == ("ask", "allow")
    assert (second["now"], second["rule"]) == ("deny", "rule 2 of rules.toml")
    assert terminal.actum("policy", "test").out.startswith("1 runs, 3 calls: 0 would be decided")
