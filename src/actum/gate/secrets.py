"""Guard before the last: lends a call the secrets that its tool declares, and masks what comes back."""

import msgspec

from actum.errors import SecretMissing
from actum.gate.contract import Passage, Proceed
from actum.gate.masking import Masking
from actum.records.calls import CallResult, ToolAnswer, ToolFailure
from actum.settings.vault import Vault
from actum.tools.secrets import lent


class Secrets:
    """The values are read at the last moment, and nobody but the running tool sees them."""

    def __init__(self, vault: Vault, masking: Masking) -> None:
        self._vault = vault
        self._masking = masking

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Lend, call, take back. A tool that declares none is lent none, whoever called it."""
        tool = passage.tool
        try:
            values = {name: self._vault.value(name, source=tool.source) for name in tool.secrets}
        except SecretMissing as missing:
            hint = f"; {missing.hints[0]}" if missing.hints else ""
            return ToolFailure(message=f"{tool.name}: {missing.message}{hint}", status="secret")
        with lent(values):
            result = await proceed(passage)
        return self._masked(result)

    def _masked(self, result: CallResult) -> CallResult:
        if not self._masking:
            return result
        if isinstance(result, ToolAnswer):
            return msgspec.structs.replace(result, value=self._masking.value(result.value))
        return msgspec.structs.replace(result, message=self._masking.text(result.message))
