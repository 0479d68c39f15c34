"""First guard: the tool exists, may be called this way, and the arguments fit."""

from actum.catalog.catalog import Catalog
from actum.errors import BadArguments
from actum.gate.contract import Passage, Proceed
from actum.records.calls import CallResult, ToolFailure
from actum.records.values import unmark


class Validate:
    """Nothing that the catalog does not know, and no argument that does not fit, gets further."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    async def __call__(self, passage: Passage, proceed: Proceed) -> CallResult:
        """Check the call, and hand it on with its arguments by name."""
        call = passage.call
        entry = self._catalog.find(call.tool)
        if entry is None:
            return ToolFailure(message=self._catalog.missing(call.tool), status="unknown")
        wanted = entry.spec.callable_from
        made_from = "code" if call.caller == "code" else "direct"
        if wanted not in {"both", made_from}:
            return ToolFailure(
                message=f"{call.tool} can only be called from {wanted}", status="unknown"
            )
        args = [unmark(value) for value in call.args]
        kwargs = {name: unmark(value) for name, value in call.kwargs.items()}
        try:
            arguments = entry.source.check(call.tool, args, kwargs)
        except BadArguments as mistake:
            return ToolFailure(message=mistake.message, status="arguments")
        if entry.own:
            # To look around reaches nothing and changes nothing: no rule, no budget, no attempt.
            return await entry.source.call(call.tool, arguments, passage.key)
        refused = entry.refusal(arguments)
        if refused is not None:
            return refused
        spec = entry.spec_for(arguments)
        return await proceed(Passage(call=call, key=passage.key, spec=spec, arguments=arguments))
