"""Names of tools as providers allow them, and the way back."""

import hashlib
import re
from collections.abc import Sequence

from actum.models.contract import NativeTool

NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")
LONGEST = 64


class ToolNames:
    """`crm.get` is `crm_get` on the wire. No two tools share a name there."""

    def __init__(self, tools: Sequence[NativeTool]) -> None:
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}
        # Names that need no change keep theirs, whatever the order.
        for tool in sorted(tools, key=lambda tool: allowed_name(tool.name) != tool.name):
            self._add(tool.name)

    def there(self, name: str) -> str:
        """The name to send."""
        return self._there.get(name) or allowed_name(name)

    def back(self, name: str) -> str:
        """The name that was meant; a name that nobody gave stays as it came."""
        return self._back.get(name, name)

    def _add(self, name: str) -> None:
        wanted = allowed_name(name)
        if wanted in self._back:
            wanted = f"{wanted[: LONGEST - 9]}_{_digest(name)}"
        self._there[name] = wanted
        self._back[wanted] = name


def allowed_name(name: str) -> str:
    """The name with what providers refuse replaced."""
    allowed = NOT_ALLOWED.sub("_", name) or "_"
    if len(allowed) <= LONGEST:
        return allowed
    return f"{allowed[: LONGEST - 9]}_{_digest(name)}"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]
