"""`search` and `describe`, as programs call them: tools of the catalog itself."""

from collections.abc import Awaitable, Callable, Sequence

from actum.catalog.entries import Entry
from actum.errors import BadArguments
from actum.records.calls import ToolAnswer, ToolFailure
from actum.records.run_events import SourceRecord
from actum.records.tools import ToolSpec
from actum.records.values import JSON, mark
from actum.tools.signature import Signature

Search = Callable[[str, int], Awaitable[list[dict[str, JSON]]]]
Describe = Callable[[str, bool], str | None]
Tell = Callable[[str], str]
SHOWN = 8
MOST_SHOWN = 50


def search(query: str, limit: int = SHOWN) -> list[dict[str, JSON]]:
    """Find tools by what they do. Use the verb and the object, in the words of the service."""
    raise LookupError(f"{query!r} and {limit} go to the catalog")


def describe(name: str, full: bool = False) -> str:  # noqa: FBT001, FBT002 -- as programs call it
    """Tell about one tool or module."""
    raise LookupError(f"{name!r} and {full} go to the catalog")


class OwnTools:
    """A source that answers from the catalog. It reaches nothing and changes nothing."""

    name = "actum"

    def __init__(self, search_words: Search, tell: Describe, missing: Tell, nothing: Tell) -> None:
        self._search = search_words
        self._tell = tell
        self._missing = missing
        self._nothing = nothing
        self._signatures = {f.__name__: Signature(f.__name__, f) for f in (search, describe)}

    def entries(self) -> dict[str, Entry]:
        """Both tools, by name."""
        return {spec.name: Entry(spec, self, own=True) for spec in self._specs()}

    def record(self) -> SourceRecord:
        """It is part of every process."""
        return SourceRecord(kind="process", alias=self.name)

    async def tools(self) -> Sequence[ToolSpec]:
        """Both tools."""
        return self._specs()

    def check(
        self, tool: str, args: Sequence[object], kwargs: dict[str, object]
    ) -> dict[str, object]:
        """The arguments by name, each of its type."""
        arguments = self._signatures[tool].check(args, kwargs)
        limit = arguments.get("limit", 1)
        if isinstance(limit, int) and not 1 <= limit <= MOST_SHOWN:
            raise BadArguments(f"{tool}: limit: it is from 1 to {MOST_SHOWN}")
        return arguments

    async def call(
        self, tool: str, arguments: dict[str, object], key: str
    ) -> ToolAnswer | ToolFailure:
        """Answer from the catalog."""
        if tool == "search":
            limit = arguments["limit"]
            rows = await self._search(
                str(arguments["query"]), limit if isinstance(limit, int) else SHOWN
            )
            if not rows:
                return ToolFailure(message=self._nothing(str(arguments["query"])), status="unknown")
            return ToolAnswer(value=mark(rows))
        name = str(arguments["name"])
        told = self._tell(name, bool(arguments["full"]))
        if told is None:
            return ToolFailure(message=self._missing(name), status="unknown")
        return ToolAnswer(value=told)

    async def close(self) -> None:
        """It holds nothing."""

    def _specs(self) -> list[ToolSpec]:
        return [
            ToolSpec(
                name=name,
                effect="read",
                source=self.name,
                description=(search if name == "search" else describe).__doc__ or "",
                parameters=signature.parameters,
                returns=signature.returns_text(),
                input_schema=signature.input_schema(),
            )
            for name, signature in self._signatures.items()
        ]
