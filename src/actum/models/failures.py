"""What a provider's refusal means, and what to do about it."""

import re
from collections.abc import Mapping

import msgspec

from actum.errors import ModelFailed
from actum.models.endpoints import Endpoint
from actum.models.json_fields import decoded, object_in, text_in
from actum.models.retries import TryAgain, asked_wait, may_retry
from actum.records.values import JSON

MOST_WORDS = 400
CONTEXT_WORDS = re.compile(
    r"context_length_exceeded|exceed_context_size|model_context_window_exceeded"
    r"|maximum context length|context (size|window|length)|prompt is too long"
    r"|input is too long|too many (input )?tokens|input token count|reduce the length",
    re.IGNORECASE,
)
NO_MONEY = re.compile(
    r"insufficient_quota|insufficient balance|credit balance|billing", re.IGNORECASE
)
PASSING = re.compile(
    r"overloaded|rate_limit|server_error|api_error|timeout|unavailable|try again", re.IGNORECASE
)


class ContextFull(ModelFailed):
    """The request is longer than the model can read."""


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """What the provider said in place of an answer."""

    status: int = 0
    kind: str = ""
    words: str = ""
    headers: Mapping[str, str] = {}


def refusal_in(body: bytes, status: int, headers: Mapping[str, str]) -> Refusal:
    """Read the body of an answer that is an error, whatever shape it has."""
    try:
        document = decoded(body)
    except ValueError:
        words = "" if b"<html" in body[:500].lower() else body.decode("utf-8", "replace")
        return Refusal(status=status, words=_short(words), headers=headers)
    # Gemini wraps its error into a list of one.
    if isinstance(document, list):
        document = next(iter(document), None)
    return refusal_of(document if isinstance(document, dict) else {}, status, headers)


def refusal_of(
    document: Mapping[str, JSON], status: int = 0, headers: Mapping[str, str] | None = None
) -> Refusal:
    """Read an error that stands in a document or in the middle of a stream."""
    error = object_in(document, "error") or document
    code = error.get("code")
    if isinstance(code, int) and not status:
        status = code
    kinds = (text_in(error, "type"), text_in(error, "code"), text_in(error, "status"))
    words = text_in(error, "message") or text_in(document, "error") or text_in(document, "detail")
    return Refusal(
        status=status,
        kind=" ".join(kind for kind in kinds if kind),
        words=_short(words or msgspec.json.encode(error).decode()),
        headers=headers or {},
    )


def failure_of(endpoint: Endpoint, refusal: Refusal, now: float) -> Exception:
    """The error for it: `TryAgain` around it where another attempt may succeed."""
    failure = explained(endpoint, refusal)
    if isinstance(failure, ContextFull) or NO_MONEY.search(f"{refusal.kind} {refusal.words}"):
        return failure
    if refusal.status:
        again = may_retry(refusal.status, refusal.headers)
    else:
        again = PASSING.search(f"{refusal.kind} {refusal.words}") is not None
    return TryAgain(failure, asked_wait(refusal.headers, now)) if again else failure


def explained(endpoint: Endpoint, refusal: Refusal) -> ModelFailed:
    """The one clear error."""
    why = endpoint.masked(refusal.words)
    request = refusal.headers.get("request-id") or refusal.headers.get("x-request-id") or ""
    if request:
        why = f"{why} (request {request})"
    kind = ContextFull if _is_full(refusal) else ModelFailed
    message, hints = _message(endpoint, refusal, full=kind is ContextFull)
    return kind(message, where=endpoint.base_url, why=why, hints=hints)


def _message(endpoint: Endpoint, refusal: Refusal, *, full: bool) -> tuple[str, tuple[str, ...]]:
    name, status = endpoint.name, refusal.status
    if full:
        return f"The conversation is too long for {name}.", (
            "print less, or choose a model with a larger window",
        )
    if status in (401, 403):
        return f"{name} refused the key ({status}).", key_hints(endpoint)
    if NO_MONEY.search(f"{refusal.kind} {refusal.words}") or status == 402:
        page = endpoint.provider.key_page
        return f"The account behind {name} has no credit left.", (f"see {page}",) if page else ()
    if status == 404:
        return f"{name} is not known at {endpoint.base_url}.", (
            "see the names of models:   actum models",
            *_pull_hint(endpoint),
        )
    if status == 429:
        return f"{name} says that there are too many requests (429).", key_hints(endpoint)[1:]
    if status in (500, 502, 503, 504, 529):
        return f"{name} is not well at the moment ({status}).", ("try again later",)
    if 300 <= status < 400:
        place = refusal.headers.get("location", "another address")
        return f"{name} has moved to {place}.", ("name that address",)
    said = f" ({status})" if status else ""
    return f"{name} gave an error in place of an answer{said}.", ()


def key_hints(endpoint: Endpoint) -> tuple[str, ...]:
    """Which variable holds the key, and where the provider hands keys out."""
    provider = endpoint.provider
    variables = provider.key_variables
    if endpoint.key is not None:
        first = f"the key came from {endpoint.key.variable}"
    elif variables:
        first = f"no key was sent:   export {variables[0]}=…"
    else:
        first = "no key was sent"
    return (first, f"keys and limits: {provider.key_page}") if provider.key_page else (first,)


def _pull_hint(endpoint: Endpoint) -> tuple[str, ...]:
    return (f"ollama pull {endpoint.model}",) if endpoint.provider.name == "ollama" else ()


def _is_full(refusal: Refusal) -> bool:
    if refusal.status not in (0, 400, 413, 422, 500):
        return False
    return CONTEXT_WORDS.search(f"{refusal.kind} {refusal.words}") is not None


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= MOST_WORDS else f"{words[:MOST_WORDS]}…"
