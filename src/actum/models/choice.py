"""Which model, and why: named, configured, by key, or by a server on this machine."""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from actum.errors import NoModel, UserMistake
from actum.models.anthropic_messages import AnthropicMessages
from actum.models.contract import Model
from actum.models.endpoints import ApiKey, Endpoint, base_url
from actum.models.history import LoadBlob, no_blobs
from actum.models.local_servers import LocalServer, find_local_servers
from actum.models.manual import ByFiles, ByHand
from actum.models.openai_chat import OpenAIChat
from actum.models.openai_responses import OpenAIResponses
from actum.models.providers import ANY_URL, BY_NAME, PROVIDERS, Provider
from actum.models.pydantic_ai import PydanticAI
from actum.models.scripted import scripted_file
from actum.models.wire import Conditions

WITHOUT_PROVIDER = ("scripted", "manual", "pydantic-ai")
NO_MODEL_HINTS = (
    "export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY)",
    "or start a local one:   ollama run qwen3-coder",
    "or see it work without a model:   actum demo",
)


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A model as `--model` takes it, and why it is that one."""

    spec: str
    why: str


def choose_model(
    named: str | None,
    environ: Mapping[str, str],
    *,
    configured: str | None = None,
    configured_in: str = "actum.toml",
    servers: Sequence[LocalServer] | None = None,
) -> Choice:
    """Flag, settings, the first key in the environment, a local server; else `NoModel`.

    `servers` are those found on this machine; None looks for them.
    """
    if named:
        return Choice(spec=with_default_name(named), why="--model")
    if configured:
        return Choice(spec=with_default_name(configured), why=configured_in)
    for provider in PROVIDERS:
        variable = key_variable(provider, environ)
        if variable and provider.default_model and not provider.local:
            return Choice(spec=f"{provider.name}:{provider.default_model}", why=variable)
    found = find_local_servers(environ) if servers is None else servers
    for server in found:
        if server.models:
            return Choice(spec=f"{server.provider}:{server.best}", why=f"runs at {server.address}")
    raise NoModel("There is no model to ask.", why=_why_none(found), hints=_hints(found))


def open_model(
    spec: str,
    environ: Mapping[str, str],
    *,
    load_blob: LoadBlob = no_blobs,
    conditions: Conditions | None = None,
) -> Model:
    """The model that a text names: `provider:name`, a URL with `#name`, `scripted:FILE`, `manual`."""
    spec = with_default_name(spec)
    scheme, _, rest = spec.partition(":")
    if scheme == "scripted":
        return scripted_file(Path(rest))
    if scheme == "manual":
        return ByFiles(Path(rest)) if rest else ByHand()
    if scheme == "pydantic-ai":
        return PydanticAI(rest, load_blob=load_blob)
    endpoint = endpoint_of(spec, environ)
    kinds = {"chat": OpenAIChat, "responses": OpenAIResponses, "messages": AnthropicMessages}
    kind = kinds[endpoint.provider.protocol]
    return kind(endpoint, load_blob=load_blob, conditions=conditions)


def endpoint_of(spec: str, environ: Mapping[str, str]) -> Endpoint:
    """Address and key behind `provider:name` or a URL. Raises `NoModel` where the key is missing."""
    if spec.startswith(("http://", "https://")):
        return _url_endpoint(spec, environ)
    scheme, _, name = spec.partition(":")
    provider = BY_NAME[scheme]
    variable = key_variable(provider, environ)
    if not variable and not provider.local:
        raise NoModel(
            f"There is no key for {spec}.",
            why=f"{' and '.join(provider.key_variables)} not set",
            hints=(f"export {provider.key_variables[0]}=…", f"keys: {provider.key_page}"),
        )
    key = ApiKey(variable, environ[variable].strip()) if variable else None
    return Endpoint(provider, name, base_url=base_url(provider, environ), key=key)


def with_default_name(spec: str) -> str:
    """The text with the provider's default model where it names none; raises where it cannot be."""
    if spec.startswith(("http://", "https://")):
        return spec
    scheme, colon, name = spec.partition(":")
    if scheme in WITHOUT_PROVIDER:
        if scheme == "scripted" and not name:
            raise UserMistake("A scripted model needs its script.", hints=("scripted:FILE",))
        if scheme == "pydantic-ai" and not name:
            raise UserMistake("This needs a model's name.", hints=("pydantic-ai:bedrock:NAME",))
        return spec
    provider = BY_NAME.get(scheme)
    if provider is None:
        raise _unknown(spec, scheme, colon)
    if not name and not provider.default_model:
        raise UserMistake(f"{scheme} needs the name of a model.", hints=(f"{scheme}:NAME",))
    return f"{scheme}:{name or provider.default_model}"


def key_variable(provider: Provider, environ: Mapping[str, str]) -> str:
    """The first variable that holds a key; empty where none does."""
    for variable in provider.key_variables:
        if environ.get(variable, "").strip():
            return variable
    return ""


def _url_endpoint(spec: str, environ: Mapping[str, str]) -> Endpoint:
    address, _, name = spec.partition("#")
    parts = urlsplit(address)
    if not name or not parts.hostname:
        raise UserMistake(
            "A model by address needs a host and a name.", hints=("http://localhost:8000/v1#NAME",)
        )
    if parts.username or parts.password:
        raise UserMistake(
            "A password does not belong into a model's address: the address is recorded.",
            hints=("export ACTUM_MODEL_KEY=…",),
        )
    # A key goes only to the host it was made for, or was given for.
    owner = _owner(address, environ)
    provider = owner or ANY_URL
    variable = key_variable(provider, environ)
    key = ApiKey(variable, environ[variable].strip()) if variable else None
    return Endpoint(provider, name, base_url=address, key=key, name=spec)


def _owner(address: str, environ: Mapping[str, str]) -> Provider | None:
    for provider in PROVIDERS:
        if provider.protocol == "chat" and not provider.local:
            known = (provider.base_url, base_url(provider, environ))
            if address.rstrip("/") in (known[0].rstrip("/"), known[1].rstrip("/")):
                return provider
    return None


def _unknown(spec: str, scheme: str, colon: str) -> UserMistake:
    names = [*BY_NAME, *WITHOUT_PROVIDER]
    near = difflib.get_close_matches(scheme, names, n=1)
    hints: list[str] = []
    if near:
        hints.append(f"did you mean {near[0]}:{spec[len(scheme) + 1 :]}?")
    elif not colon:
        hints.append(f"say who has it:   --model PROVIDER:{spec}")
    hints.append(f"choose one of {', '.join(names)}, or a URL with #name")
    return UserMistake(f"There is no provider {scheme!r}.", hints=tuple(hints))


def _why_none(found: Sequence[LocalServer]) -> str:
    empty = ", ".join(server.provider for server in found)
    if empty:
        return f"no --model, no key in the environment, and {empty} has no model"
    return "no --model, no key in the environment, no local server"


def _hints(found: Sequence[LocalServer]) -> tuple[str, ...]:
    if any(server.provider == "ollama" for server in found):
        return (NO_MODEL_HINTS[0], "ollama pull qwen3-coder", NO_MODEL_HINTS[2])
    return NO_MODEL_HINTS
