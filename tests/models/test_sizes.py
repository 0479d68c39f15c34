"""Small models are told apart by their names."""

import pytest

from actum.models.sizes import is_small


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("ollama:qwen2.5-coder:7b", True),
        ("http://127.0.0.1:8080/v1#smollm2-135m", True),
        ("ollama:llama3.1:70b", False),
        ("groq:mixtral-8x22b", False),
        ("anthropic:claude-opus-4-5", False),
        ("openai:gpt-5", False),
        ("scripted", False),
    ],
)
def test_a_small_model_is_known_by_the_size_in_its_name(name: str, *, small: bool) -> None:
    assert is_small(name) is small
