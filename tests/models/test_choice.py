"""Which model is asked, with which key, and what is said where there is none."""

import asyncio
import json
from pathlib import Path

import pytest

from actum.errors import NoModel, NoSuchFile, UserMistake
from actum.models.choice import Choice, choose_model, endpoint_of, open_model
from actum.models.contract import ModelRequest
from actum.models.local_servers import LocalServer, find_local_servers
from actum.models.providers import PROVIDERS
from actum.models.replies import whole_reply
from actum.records.messages import said
from tests.models.servers.fake_provider import Answer, serving

OLLAMA = LocalServer(
    provider="ollama",
    address="http://127.0.0.1:11434/v1",
    models=("nomic-embed-text", "llama3.2:3b", "qwen2.5-coder:7b"),
)


def test_what_was_named_wins_over_everything() -> None:
    choice = choose_model(
        "openai:gpt-4.1", {"ANTHROPIC_API_KEY": "k"}, configured="gemini:x", servers=[OLLAMA]
    )
    assert choice == Choice(spec="openai:gpt-4.1", why="--model")


def test_settings_win_over_keys() -> None:
    choice = choose_model(None, {"ANTHROPIC_API_KEY": "k"}, configured="gemini:x", servers=[])
    assert choice == Choice(spec="gemini:x", why="actum.toml")


def test_the_first_key_in_the_environment_chooses() -> None:
    environ = {"OPENROUTER_API_KEY": "r", "OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": " "}
    choice = choose_model(None, environ, servers=[OLLAMA])
    assert choice.why == "OPENAI_API_KEY"
    assert choice.spec.startswith("openai:")


def test_a_local_server_is_better_than_nothing_and_coders_come_first() -> None:
    choice = choose_model(None, {}, servers=[OLLAMA])
    assert choice.spec == "ollama:qwen2.5-coder:7b"
    assert "127.0.0.1:11434" in choice.why


@pytest.mark.parametrize("servers", [[], [LocalServer(provider="ollama", address="a", models=())]])
def test_without_any_model_three_hints_say_what_to_do(servers: list[LocalServer]) -> None:
    with pytest.raises(NoModel) as failure:
        choose_model(None, {}, servers=servers)
    assert failure.value.exit_code == 3
    assert len(failure.value.hints) == 3
    assert "actum demo" in failure.value.hints[-1]


def test_local_servers_are_found_by_asking_them() -> None:
    with serving(Answer()) as there, serving(Answer()) as gone:
        gone_url = gone.url
        found = find_local_servers(
            {}, [("ollama", f"{there.url}/v1"), ("lmstudio", "http://127.0.0.1:9/v1")]
        )
    assert [server.models for server in found] == [("fake-1",)]
    assert find_local_servers({}, [("ollama", f"{gone_url}/v1")]) == []


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("anthropc:claude-x", "did you mean anthropic:claude-x?"),
        ("olama:qwen3", "did you mean ollama:qwen3?"),
        ("gpt-4.1", "--model PROVIDER:gpt-4.1"),
    ],
)
def test_an_unknown_provider_names_the_nearest(spec: str, hint: str) -> None:
    with pytest.raises(UserMistake) as failure:
        open_model(spec, {})
    assert hint in failure.value.hints[0]


def test_a_missing_key_names_the_variable_and_the_page() -> None:
    with pytest.raises(NoModel) as failure:
        open_model("gemini:gemini-3.8-flash", {})
    assert "GEMINI_API_KEY" in failure.value.why
    assert "https://aistudio.google.com/apikey" in failure.value.hints[1]


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_every_provider_opens(provider: object) -> None:
    assert isinstance(provider, type(PROVIDERS[0]))
    environ = dict.fromkeys(provider.key_variables, "k")
    model = open_model(f"{provider.name}:some-model", environ)
    assert model.name == f"{provider.name}:some-model"
    if not provider.local:
        assert provider.key_page.startswith("https://")
        assert provider.default_model


def test_a_key_is_not_sent_to_an_address_it_was_not_made_for() -> None:
    environ = {"OPENAI_API_KEY": "sk-mine"}
    assert endpoint_of("http://127.0.0.1:8000/v1#m", environ).key is None
    ours = endpoint_of("https://api.openai.com/v1#m", environ).key
    assert ours is not None
    assert ours.variable == "OPENAI_API_KEY"
    given = {**environ, "OPENAI_BASE_URL": "http://proxy.example/v1"}
    assert endpoint_of("http://proxy.example/v1#m", given).key is not None
    other = endpoint_of("http://127.0.0.1:8000/v1#m", {"ACTUM_MODEL_KEY": "k"}).key
    assert other is not None


def test_a_password_in_an_address_is_refused() -> None:
    with pytest.raises(UserMistake) as failure:
        open_model("https://me:secret@host/v1#m", {})
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize("spec", ["http://host/v1", "ollama:", "scripted:"])
def test_a_model_without_a_name_is_a_mistake(spec: str) -> None:
    with pytest.raises(UserMistake):
        open_model(spec, {})


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0:5000", "http://127.0.0.1:5000/v1"),
        (":5000", "http://127.0.0.1:5000/v1"),
        ("box.local", "http://box.local:11434/v1"),
        ("https://box.example", "https://box.example:443/v1"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(given: str, url: str) -> None:
    assert endpoint_of("ollama:m", {"OLLAMA_HOST": given}).base_url == url


def test_a_script_in_a_file_is_a_model(tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("```python\nprint(1)\n```\n---\nDone, é.\n", encoding="utf-8")
    model = open_model(f"scripted:{script}", {})
    one = ModelRequest(messages=(said("user", "?"),))
    two = ModelRequest(messages=(*one.messages, said("assistant", "a"), said("user", "b")))
    assert asyncio.run(whole_reply(model.stream(one))).text == "```python\nprint(1)\n```"
    assert asyncio.run(whole_reply(model.stream(two))).text == "Done, é."
    assert model.name == f"scripted:{script}"


def test_a_script_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(NoSuchFile):
        open_model(f"scripted:{tmp_path / 'none.txt'}", {})


def test_keys_are_in_no_text_about_a_model() -> None:
    endpoint = endpoint_of("anthropic:claude-x", {"ANTHROPIC_API_KEY": "sk-secret"})
    assert "sk-secret" not in repr(endpoint) + repr(endpoint.key) + json.dumps(endpoint.name)
