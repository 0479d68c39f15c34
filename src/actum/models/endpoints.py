"""One model at one address, and the key that opens it. The key is never shown."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from actum.models.providers import Provider


class ApiKey:
    """A key that does not appear in any text."""

    def __init__(self, variable: str, value: str) -> None:
        self.variable = variable
        self._value = value

    def __repr__(self) -> str:
        return f"ApiKey({self.variable})"

    def reveal(self) -> str:
        """The key itself, for a header and nothing else."""
        return self._value

    def masked(self, text: str) -> str:
        """The text with the key taken out."""
        return text.replace(self._value, f"[{self.variable}]") if self._value else text


class Endpoint:
    """Where one model is asked."""

    def __init__(
        self,
        provider: Provider,
        model: str,
        *,
        base_url: str = "",
        key: ApiKey | None = None,
        name: str = "",
    ) -> None:
        self.provider = provider
        self.model = model
        self.base_url = (base_url or provider.base_url).rstrip("/")
        self.key = key
        self.name = name or f"{provider.name}:{model}"

    def __repr__(self) -> str:
        return f"Endpoint({self.name})"

    def masked(self, text: str) -> str:
        """The text with the key taken out."""
        return self.key.masked(text) if self.key else text


def base_url(provider: Provider, environ: Mapping[str, str]) -> str:
    """The provider's address, or the one that its variable gives."""
    given = environ.get(provider.url_variable, "").strip().rstrip("/")
    if not given:
        return provider.base_url
    if provider.name == "ollama":
        return ollama_url(given)
    return given


def is_here(url: str) -> bool:
    """Whether an address is of this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def ollama_url(given: str) -> str:
    """`OLLAMA_HOST` holds a host, a port or an address; what is missing is as usual."""
    address = given if "://" in given else f"http://{given.removeprefix(':')}"
    if given.lstrip(":").isdigit():
        address = f"http://127.0.0.1:{given.lstrip(':')}"
    parts = urlsplit(address)
    # A server that listens everywhere is asked here.
    host = parts.hostname if (parts.hostname or "").strip("0.") else "127.0.0.1"
    port = parts.port or (11434 if "://" not in given else {"https": 443}.get(parts.scheme, 80))
    return f"{parts.scheme}://{host}:{port}/v1"
