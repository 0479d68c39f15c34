"""Native calls, put together from the pieces in which they stream, their ids made sound."""

from collections.abc import Mapping

import msgspec

from actum.models.json_fields import object_in, text_in
from actum.records.messages import NativeCall
from actum.records.values import JSON


class OpenCall:
    """A call that is still being written."""

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.arguments: list[str] = []
        self.extra: dict[str, JSON] = {}


class CallPieces:
    """All calls of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[OpenCall] = []
        self._by_index: dict[int, OpenCall] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def take(self, piece: Mapping[str, JSON]) -> None:
        """Add a piece to the call it belongs to."""
        function = object_in(piece, "function")
        name = text_in(function, "name")
        call = self._call(piece, name)
        call.id = call.id or text_in(piece, "id")
        call.name = call.name or name
        call.extra = object_in(piece, "extra_content") or call.extra
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call.arguments.append(arguments)
        elif isinstance(arguments, dict):
            # Some servers send the object itself in place of its text.
            call.arguments.append(msgspec.json.encode(arguments).decode())

    def whole(self, before: int) -> list[tuple[NativeCall, dict[str, JSON]]]:
        """The calls, each with what must go back beside it.

        A missing id, or one that was used twice, is replaced. `before` is the number of messages
        so far: it keeps the new ids apart from those of earlier turns.
        """
        used: set[str] = set()
        calls: list[tuple[NativeCall, dict[str, JSON]]] = []
        for number, call in enumerate(self._calls):
            if not call.id or call.id in used:
                call.id = f"c{before % 10_000:04d}{number % 10_000:04d}"
            used.add(call.id)
            whole = NativeCall(id=call.id, name=call.name, arguments="".join(call.arguments))
            calls.append((whole, call.extra))
        return calls

    def _call(self, piece: Mapping[str, JSON], name: str) -> OpenCall:
        index, call_id = piece.get("index"), text_in(piece, "id")
        if isinstance(index, int):
            known = self._by_index.get(index)
            # Some servers number every call 0: another id with a name is another call.
            if known is None or (name and call_id and call_id != known.id):
                known = self._by_index[index] = self._open()
            return known
        for call in self._calls:
            if call_id and call.id == call_id:
                return call
        if call_id or name or not self._calls:
            return self._open()
        return self._calls[-1]

    def _open(self) -> OpenCall:
        call = OpenCall()
        self._calls.append(call)
        return call
