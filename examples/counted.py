"""What a run has sent to its model, from its record: as `actum runs show RUN --context` counts it."""

import msgspec

from actum import Run
from actum.cli.context import context_document


class Piece(msgspec.Struct):
    """One piece of a request, with about how many tokens it is: characters by four."""

    name: str
    tokens: int


class Request(msgspec.Struct):
    """What the model was sent on one turn, all that was said before included."""

    pieces: list[Piece]


def request_tokens(run: Run) -> list[int]:
    """About how many tokens each request of a run held."""
    requests = msgspec.convert(context_document(run.events)["requests"], list[Request])
    return [sum(piece.tokens for piece in request.pieces) for request in requests]


def comparison(runs: dict[str, Run]) -> str:
    """A row for each run: turns, calls, and about how many tokens were sent in all its turns."""
    rows = [f"{'':<26}{'turns':>6}{'calls':>6}{'tokens sent, about':>20}"]
    for name, run in runs.items():
        sizes = request_tokens(run)
        rows.append(f"{name:<26}{len(sizes):>6}{run.usage.calls:>6}{sum(sizes):>20,}")
    return "\n".join(rows)
