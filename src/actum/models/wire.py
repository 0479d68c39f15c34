"""The way to a provider and back: send, try again, read the stream, stop in time."""

import asyncio
import random
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import Protocol

import msgspec

from actum.errors import ModelFailed
from actum.models.contract import ModelEvent, ReplyEnd, UsageSeen
from actum.models.endpoints import Endpoint
from actum.models.failures import explained, failure_of, refusal_in, refusal_of
from actum.models.http_client import Deadline, HttpClient, Response, TimeOuts
from actum.models.json_fields import decoded, text_in
from actum.models.retries import Retries, TryAgain
from actum.models.server_sent_events import EventReader
from actum.records.values import JSON

DONE = b"[DONE]"
OPTIONAL = ("stop", "stop_sequences", "temperature", "stream_options", "response_format")
"""Parts of a request that a server may refuse, and that it can be asked without."""

OPTIONAL_IN_CHAT = (*OPTIONAL, "max_tokens", "max_completion_tokens")


class Decoder(Protocol):
    """Reads one answer in one protocol."""

    done: bool
    """Set when the end mark has been read and nothing else can follow."""

    def take(self, document: dict[str, JSON]) -> Iterable[ModelEvent]:
        """The next piece of the stream."""
        ...

    def finish(self) -> Iterable[ModelEvent]:
        """What is known at the end. Empty where the end mark did not come."""
        ...


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """How long and how often; and the clock and the dice, so that tests need not wait."""

    time_outs: TimeOuts = TimeOuts()
    retries: Retries = Retries()
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    now: Callable[[], float] = time.time


class Wire:
    """Requests to one endpoint."""

    def __init__(self, endpoint: Endpoint, conditions: Conditions) -> None:
        self.endpoint = endpoint
        self._conditions = conditions
        self._http = HttpClient(endpoint, conditions.time_outs)
        self._refused: set[str] = set()

    async def aclose(self) -> None:
        """Close the connections that are kept for the next request."""
        await self._http.aclose()

    async def converse(
        self, path: str, headers: dict[str, str], body: dict[str, JSON], new: Callable[[], Decoder]
    ) -> AsyncGenerator[ModelEvent, None]:
        """Ask until there is an answer. After its first words nothing is asked again."""
        conditions = self._conditions
        deadline = Deadline(conditions.time_outs)
        attempt = 1
        while True:
            spoken = False
            try:
                async with aclosing(self._attempt(path, headers, body, new(), deadline)) as events:
                    async for event in events:
                        spoken = spoken or not isinstance(event, UsageSeen)
                        yield event
                return
            except TryAgain as again:
                wait = conditions.retries.wait(attempt, again.wait, conditions.chance())
                if spoken or wait is None or wait >= deadline.left():
                    raise again.failure from None
            attempt += 1
            await conditions.sleep(wait)

    async def _attempt(
        self,
        path: str,
        headers: dict[str, str],
        body: dict[str, JSON],
        decoder: Decoder,
        deadline: Deadline,
    ) -> AsyncGenerator[ModelEvent, None]:
        content = msgspec.json.encode(self._without_refused(body))
        url = self.endpoint.base_url + path
        async with self._http.post(url, self._headers(headers), content, deadline) as response:
            if response.status >= 300:
                raise await self._refusal(response, body)
            ended = False
            async with aclosing(self._documents(response, deadline)) as documents:
                async for document in documents:
                    for event in decoder.take(document):
                        yield event
                    if decoder.done:
                        deadline.answer_is_whole()
            for event in decoder.finish():
                ended = ended or isinstance(event, ReplyEnd)
                yield event
            if not ended:
                raise TryAgain(self._cut())

    async def _documents(
        self, response: Response, deadline: Deadline
    ) -> AsyncGenerator[dict[str, JSON], None]:
        kind = response.content_type
        if kind == "application/json":
            # Some servers answer in one piece although they were asked for a stream.
            yield self._document(b"".join([chunk async for chunk in response.chunks()]))
            return
        if kind == "text/html":
            raise ModelFailed(
                f"{self.endpoint.name} answered with a web page.",
                where=self.endpoint.base_url,
                hints=("is this the address of an API? it often ends in /v1",),
            )
        async with aclosing(self._data(response)) as events:
            async for data in events:
                if data == DONE:
                    deadline.answer_is_whole()
                elif not deadline.answered:
                    yield self._document(data)

    async def _data(self, response: Response) -> AsyncGenerator[bytes, None]:
        reader = EventReader()
        async with aclosing(response.chunks()) as chunks:
            async for chunk in chunks:
                for data in reader.feed(chunk):
                    yield data
        for data in reader.close():
            yield data

    def _document(self, data: bytes) -> dict[str, JSON]:
        try:
            document = decoded(data)
        except ValueError as error:
            raise TryAgain(self._malformed(str(error), data)) from None
        if not isinstance(document, dict):
            raise TryAgain(self._malformed("not an object", data))
        if document.get("error") or text_in(document, "type") == "error":
            raise failure_of(self.endpoint, refusal_of(document), self._conditions.now())
        return document

    async def _refusal(self, response: Response, body: dict[str, JSON]) -> Exception:
        refusal = refusal_in(await response.start(), response.status, response.headers)
        if response.status in (400, 422):
            chat = self.endpoint.provider.protocol == "chat"
            for name in OPTIONAL_IN_CHAT if chat else OPTIONAL:
                named = re.search(rf"\b{name}\b", refusal.words) is not None
                if named and name in body and name not in self._refused:
                    # Asked again without it, now and from now on.
                    self._refused.add(name)
                    return TryAgain(explained(self.endpoint, refusal), 0.0)
        return failure_of(self.endpoint, refusal, self._conditions.now())

    def _without_refused(self, body: dict[str, JSON]) -> dict[str, JSON]:
        if not self._refused:
            return body
        return {name: value for name, value in body.items() if name not in self._refused}

    def _headers(self, headers: dict[str, str]) -> dict[str, str]:
        return {
            "content-type": "application/json",
            "accept": "text/event-stream",
            "accept-encoding": "identity",
            "user-agent": "actum",
            **self.endpoint.provider.headers,
            **headers,
        }

    def _cut(self) -> ModelFailed:
        return ModelFailed(
            f"The answer of {self.endpoint.name} stopped before its end.",
            where=self.endpoint.base_url,
            why="the stream ended without its end mark",
        )

    def _malformed(self, problem: str, data: bytes) -> ModelFailed:
        shown = self.endpoint.masked(data[:120].decode("utf-8", "replace"))
        return ModelFailed(
            f"{self.endpoint.name} sent something that is not JSON.",
            where=self.endpoint.base_url,
            why=f"{problem}: {shown}",
        )
