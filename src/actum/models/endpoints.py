"""One model at one address, and the key that opens it. The key is never shown."""

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
