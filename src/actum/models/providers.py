"""Who answers where, with which key, and what each is known to do differently. Data, as of DATE."""

from typing import Literal

import msgspec

DATE = "2026-11-15"

Protocol = Literal["chat", "responses", "messages"]


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """One provider, as `--model NAME:...` names it."""

    name: str
    protocol: Protocol = "chat"
    base_url: str
    key_variables: tuple[str, ...] = ()
    key_page: str = ""
    url_variable: str = ""
    """A variable that gives another base URL."""
    default_model: str = ""
    headers: dict[str, str] = {}
    local: bool = False
    """On this machine: no key, no price."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    default_max_tokens: int | None = None
    stream_usage: bool = True
    """It takes `stream_options` and then says what was used."""
    images: bool = True
    schema: Literal["json_schema", "json_object", "none"] = "json_schema"
    most_stops: int = 4
    thinking_back: tuple[str, ...] = ()
    """Fields of an answer that it wants back unchanged on the next turn."""


PROVIDERS: tuple[Provider, ...] = (
    Provider(
        name="anthropic",
        protocol="messages",
        base_url="https://api.anthropic.com",
        key_variables=("ANTHROPIC_API_KEY",),
        key_page="https://platform.claude.com/settings/keys",
        url_variable="ANTHROPIC_BASE_URL",
        default_model="claude-sonnet-5-5",
        headers={"anthropic-version": "2023-06-01"},
        default_max_tokens=16_000,
    ),
    Provider(
        name="openai",
        base_url="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        key_page="https://platform.openai.com/api-keys",
        url_variable="OPENAI_BASE_URL",
        default_model="gpt-6.1-sol",
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        name="openai-responses",
        protocol="responses",
        base_url="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        key_page="https://platform.openai.com/api-keys",
        url_variable="OPENAI_BASE_URL",
        default_model="gpt-6.1-sol",
    ),
    Provider(
        name="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        key_page="https://aistudio.google.com/apikey",
        default_model="gemini-3.8-flash",
        thinking_back=("extra_content",),
    ),
    Provider(
        name="openrouter",
        base_url="https://openrouter.ai/api/v1",
        key_variables=("OPENROUTER_API_KEY",),
        key_page="https://openrouter.ai/settings/keys",
        default_model="anthropic/claude-sonnet-5.5",
        thinking_back=("reasoning_details",),
    ),
    Provider(
        name="hf",
        base_url="https://router.huggingface.co/v1",
        key_variables=("HF_TOKEN", "HUGGINGFACEHUB_API_TOKEN"),
        key_page="https://huggingface.co/settings/tokens",
        default_model="openai/gpt-oss-120b",
    ),
    Provider(
        name="groq",
        base_url="https://api.groq.com/openai/v1",
        key_variables=("GROQ_API_KEY",),
        key_page="https://console.groq.com/keys",
        default_model="openai/gpt-oss-120b",
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        name="mistral",
        base_url="https://api.mistral.ai/v1",
        key_variables=("MISTRAL_API_KEY",),
        key_page="https://console.mistral.ai/api-keys",
        default_model="mistral-medium-latest",
        # It counts without being asked, and refuses the question.
        stream_usage=False,
    ),
    Provider(
        name="deepseek",
        base_url="https://api.deepseek.com",
        key_variables=("DEEPSEEK_API_KEY",),
        key_page="https://platform.deepseek.com/api_keys",
        default_model="deepseek-v4-flash",
        images=False,
        schema="json_object",
        most_stops=16,
        thinking_back=("reasoning_content",),
    ),
    Provider(
        name="xai",
        base_url="https://api.x.ai/v1",
        key_variables=("XAI_API_KEY",),
        key_page="https://console.x.ai",
        default_model="grok-4.5",
    ),
    Provider(
        name="together",
        base_url="https://api.together.xyz/v1",
        key_variables=("TOGETHER_API_KEY",),
        key_page="https://api.together.ai/settings/api-keys",
        default_model="openai/gpt-oss-120b",
    ),
    Provider(
        name="fireworks",
        base_url="https://api.fireworks.ai/inference/v1",
        key_variables=("FIREWORKS_API_KEY",),
        key_page="https://app.fireworks.ai/settings/users/api-keys",
        default_model="accounts/fireworks/models/gpt-oss-120b",
    ),
    Provider(
        name="cerebras",
        base_url="https://api.cerebras.ai/v1",
        key_variables=("CEREBRAS_API_KEY",),
        key_page="https://cloud.cerebras.ai",
        default_model="gpt-oss-120b",
        images=False,
        max_tokens_field="max_completion_tokens",
    ),
    Provider(
        name="moonshot",
        base_url="https://api.moonshot.ai/v1",
        key_variables=("MOONSHOT_API_KEY",),
        key_page="https://platform.moonshot.ai/console/api-keys",
        default_model="kimi-latest",
        thinking_back=("reasoning_content",),
    ),
    Provider(
        name="ollama",
        base_url="http://127.0.0.1:11434/v1",
        url_variable="OLLAMA_HOST",
        local=True,
    ),
    Provider(
        name="llama.cpp",
        base_url="http://127.0.0.1:8080/v1",
        local=True,
    ),
    Provider(
        name="lmstudio",
        base_url="http://127.0.0.1:1234/v1",
        local=True,
    ),
    Provider(
        name="vllm",
        base_url="http://127.0.0.1:8000/v1",
        key_variables=("VLLM_API_KEY",),
        url_variable="VLLM_BASE_URL",
        local=True,
    ),
)
BY_NAME = {provider.name: provider for provider in PROVIDERS}

ANY_URL = Provider(name="url", base_url="", key_variables=("ACTUM_MODEL_KEY",))
"""A server that is named by its address alone, and speaks chat completions."""

LOCAL_SERVERS = ("ollama", "llama.cpp", "lmstudio")
"""Looked for on this machine when nothing else names a model."""

BEST_LOCAL = (
    "qwen3-coder",
    "qwen2.5-coder",
    "devstral",
    "gpt-oss",
    "codestral",
    "qwen3",
    "mistral-small",
    "gemma3",
    "llama3",
)
"""Families of local models, the ones that write the best programs first."""
