"""Settings: which word counts, what is refused, and what a message says."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actum.errors import BadSetting, NotSetUp
from actum.records.values import JSON
from actum.settings.editing import with_value
from actum.settings.environment import value_of, variable
from actum.settings.homes import actum_home, project_folder, project_key, runs_folder
from actum.settings.load import load_settings, setting_values
from actum.settings.tree import Settings, setting_keys

EVERYTHING = """
model  = "provider:name"
format = "auto"
tools  = ["tools.py", "github"]
mounts = ["../sales"]
packages = []
base_tools = false

[network]
allow = ["api.example.com"]

[budget]
usd = 0.50
calls = 60
day.usd = 5.00

[limits]
seconds = 60
memory_mb = 1024

[place]
name = "auto"
minimum_level = "landlock"

[mcp.github]
command = ["npx", "-y", "server-github"]
secrets = { GITHUB_TOKEN = "github" }

[openapi.stripe]
file = "stripe.json"
auth = { bearer = "stripe" }

[[policy]]
tool = "mail.send"
when = { to = { ends_with = "@example.com" }, body = { max_length = 2000 } }
decide = "allow"
why = "our own people"

[[policy]]
effect = "write"
decide = "ask"
"""


def load(
    folder: Path,
    text: str | None = None,
    *,
    own: str | None = None,
    flags: dict[str, JSON] | None = None,
    **variables: str,
) -> Settings:
    """Settings of a folder, with this text as `--config` and this as the user's own file."""
    config = None
    if text is not None:
        config = folder / "given.toml"
        config.write_text(text)
    if own is not None:
        file = folder / "config" / "actum" / "actum.toml"
        file.parent.mkdir(parents=True)
        file.write_text(own)
    environ = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"), **variables}
    return load_settings(folder, config=config, flags=flags, environ=environ)


def refusal(folder: Path, text: str) -> BadSetting:
    with pytest.raises(BadSetting) as caught:
        load(folder, text)
    return caught.value


def test_every_key_of_a_full_file_is_understood(tmp_path: Path) -> None:
    settings = load(tmp_path, EVERYTHING)
    assert settings.tools == (str(tmp_path / "tools.py"), "github")
    assert settings.openapi["stripe"].file == str(tmp_path / "stripe.json")
    assert settings.budget.day.usd == 5.0
    assert settings.limits.memory_mb == 1024
    assert settings.mcp["github"].secrets == {"GITHUB_TOKEN": "github"}
    first, second = settings.policies[0].rules
    assert first.when["to"].ends_with == "@example.com"
    assert (second.effect, second.decide) == ("write", "ask")


def test_the_defaults_limit_a_run(tmp_path: Path) -> None:
    budget = load(tmp_path).budget
    assert (budget.usd, budget.requests, budget.calls) == (0.50, 40, 2000)


def test_a_later_word_goes_over_an_earlier_one(tmp_path: Path) -> None:
    own = "[budget]\nusd = 1\ncalls = 1\nrequests = 1\ntokens = 1\n"
    settings = load(
        tmp_path,
        "[budget]\ncalls = 2\nrequests = 2\ntokens = 2\n",
        own=own,
        flags={"budget.tokens": 4, "budget.seconds": None},
        ACTUM_BUDGET_REQUESTS="3",
        ACTUM_BUDGET_TOKENS="3",
    )
    budget = settings.budget
    assert (budget.usd, budget.calls, budget.requests, budget.tokens) == (1, 2, 3, 4)
    origins = [settings.origins[f"budget.{n}"] for n in ("usd", "calls", "requests", "tokens")]
    assert origins == ["user", "project", "environment", "flag"]
    assert settings.origins["budget.seconds"] == "default"


def test_the_rules_of_each_file_stay_apart(tmp_path: Path) -> None:
    rule = '[[policy]]\ndecide = "{}"\n'
    settings = load(tmp_path, rule.format("allow"), own=rule.format("deny"))
    found = [(p.origin, p.rules[0].decide) for p in settings.policies]
    assert found == [("user", "deny"), ("project", "allow")]


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ('plce = "local"', 1, "did you mean place?"),
        ("[budget]\n\ncals = 1", 3, "did you mean budget.calls?"),
        ("usd = 1", 1, "did you mean budget.usd?"),
        ("[limits]\nsecnds = 1", 2, "did you mean limits.seconds?"),
        ('[mcp.git]\ncomand = ["x"]', 2, "did you mean mcp.git.command?"),
        ('[[policy]]\ndecide = "ask"\n[[policy]]\ndecied = "ask"', 4, "decide?"),
        ('[place]\nminimum_level = "ful"', 2, "choose one of full, landlock"),
    ],
)
def test_a_slip_is_refused_with_its_line_and_the_nearest_name(
    tmp_path: Path, text: str, line: int, hint: str
) -> None:
    error = refusal(tmp_path, text)
    assert error.where.endswith(f"given.toml, line {line}")
    assert hint in error.hints[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[budget]\ncalls = "x"', "whole number"),
        ("[budget]\nusd = -1", ">= 0"),
        ("[budget]\nusd = nan", ">= 0"),
        ("[limits]\nseconds = nan", "more than 0"),
        ("budget = 3", "a table"),
        ("model = 1979-01-01", "text"),
        ('[[policy]]\neffect = "write"', "decide"),
        ("x = ", ""),
    ],
)
def test_a_value_that_cannot_be_is_refused(tmp_path: Path, text: str, why: str) -> None:
    assert why in refusal(tmp_path, text).why


def test_a_slip_in_a_variable_is_refused_and_other_programs_variables_are_not(
    tmp_path: Path,
) -> None:
    load(tmp_path, ACTUM_VENV="/somewhere", ACTUM_MODEL="")
    with pytest.raises(BadSetting) as caught:
        load(tmp_path, ACTUM_BUDGET_CALS="3")
    assert "ACTUM_BUDGET_CALLS" in caught.value.hints[0]
    with pytest.raises(BadSetting) as caught:
        load(tmp_path, ACTUM_BUDGET_CALLS="many")
    assert caught.value.where == "the environment: ACTUM_BUDGET_CALLS"


def test_every_setting_has_its_row_in_the_docs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [key for key in setting_keys() if f"| `{key}` |" not in page] == []


def test_every_setting_has_a_value_and_a_variable_of_its_own(tmp_path: Path) -> None:
    settings = load(tmp_path)
    assert set(setting_values(settings)) == set(setting_keys()) == set(settings.origins)
    assert len({variable(key) for key in setting_keys()}) == len(setting_keys())


@given(calls=st.integers(0, 10**9), names=st.lists(st.text("abc-./:", min_size=1), max_size=3))
def test_what_is_set_is_what_is_read(calls: int, names: list[str]) -> None:
    path = Path("actum.toml")
    text = '# first\nformat = "code"  # "#" 1\n\n[limits]\nseconds = 5\n'
    text = with_value(text, "budget.calls", calls, path)
    text = with_value(text, "network.allow", [*names], path)
    text = with_value(text, "limits.seconds", 7.5, path)
    assert tomllib.loads(text) == {
        "format": "code",
        "limits": {"seconds": 7.5},
        "budget": {"calls": calls},
        "network": {"allow": names},
    }
    assert text.startswith('# first\nformat = "code"  # "#" 1\n')


def test_an_edit_that_would_touch_more_is_refused() -> None:
    with pytest.raises(BadSetting, match="without touching"):
        with_value("budget = { usd = 1 }\n", "budget.calls", 3, Path("actum.toml"))


def test_a_list_may_be_typed_as_toml_or_with_commas() -> None:
    assert value_of("tools", '["a, b"]', where="") == ["a, b"]
    assert value_of("tools", "a, b", where="") == ["a", "b"]


def test_the_project_is_the_nearest_folder_that_says_so(tmp_path: Path) -> None:
    inner = tmp_path / "one" / "two"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert project_folder(inner) == tmp_path
    (tmp_path / "one" / "actum.toml").write_text("")
    assert project_folder(inner) == tmp_path / "one"


def test_projects_of_one_name_have_keys_of_their_own(tmp_path: Path) -> None:
    for side in ("a", "b"):
        (tmp_path / side / "shop").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "shop")
    first, second = (project_key(tmp_path / side / "shop") for side in ("a", "b"))
    assert first != second
    assert first.startswith("shop-")
    assert project_key(tmp_path / "link") == first


def test_folders_of_actum_are_the_users_alone(tmp_path: Path) -> None:
    environ = {"ACTUM_HOME": str(tmp_path / "home")}
    runs = runs_folder(environ, tmp_path)
    for folder in (actum_home(environ), runs.parent, runs):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_home_that_cannot_be_is_said_once_and_clearly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotSetUp) as caught:
        actum_home({"ACTUM_HOME": str(tmp_path / "file" / "home")})
    assert "ACTUM_HOME" in caught.value.hints[0]
