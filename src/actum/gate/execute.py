"""Last guard: write down that the call leaves, then let it leave."""

import msgspec

from actum.catalog.catalog import Catalog
from actum.gate.contract import AttemptLog, Passage, Proceed
from actum.records.calls import CallResult, ToolFailure


class Execute:
    """The one place from which a tool is called."""

    def __init__(self, catalog: Catalog, log: AttemptLog) -> None:
        self._catalog = catalog
        self._log = log

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Record the attempt, call the tool, answer with what it answers."""
        del proceed  # Nothing comes after this guard.
        entry = self._catalog.find(passage.call.tool)
        if entry is None:
            return ToolFailure(message=f"the tool {passage.call.tool} is gone", status="unknown")
        # A person may have edited the call into one that changes more.
        spec = entry.spec_for(passage.arguments)
        await self._log.attempted(msgspec.structs.replace(passage, spec=spec))
        return await entry.source.call(passage.call.tool, passage.arguments, passage.key)
