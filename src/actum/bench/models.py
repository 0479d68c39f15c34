"""What reading a long answer costs, and importing what reads it, beside the providers' own clients."""

import asyncio
import importlib
import importlib.util
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import msgspec

from actum.bench.measuring import Figure, Measure, seconds_of, take_turns
from actum.bench.model_streams import streaming
from actum.models.anthropic_messages import AnthropicMessages
from actum.models.contract import ModelRequest
from actum.models.endpoints import ApiKey, Endpoint
from actum.models.openai_chat import OpenAIChat
from actum.models.openai_responses import OpenAIResponses
from actum.models.providers import BY_NAME, Protocol
from actum.records.messages import said

REQUEST = ModelRequest(messages=(said("user", "Write a long program."),))
ASKED = [{"role": "user", "content": "Write a long program."}]
PROVIDER: dict[Protocol, str] = {
    "chat": "openai",
    "responses": "openai-responses",
    "messages": "anthropic",
}
IMPORTS = {
    "actum": "import httpx2, actum.models.openai_chat, actum.models.anthropic_messages",
    "openai": "import openai; openai.AsyncOpenAI",
    "anthropic": "import anthropic; anthropic.AsyncAnthropic",
}

Events = Callable[[], AsyncIterator[object]]
"""Asks, and gives what streams back."""


class ModelsReport(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds. `cpu` is of the thread that reads; `first` is until the first event is there."""

    cpu: dict[str, Figure]
    first: dict[str, Figure]
    imports: dict[str, Figure]


async def measure_models(rounds: int, seed: int) -> ModelsReport:
    """Read an answer of 100 KB in pieces of 24 characters, by turns. Clients not installed are left out."""
    async with AsyncExitStack() as stack:
        readers: dict[str, Events] = {}
        for protocol in PROVIDER:
            base = stack.enter_context(streaming(protocol))
            readers[f"{protocol}: actum"] = await _ours(stack, protocol, base)
            theirs = await _theirs(stack, protocol, base)
            if theirs is not None:
                readers[f"{protocol}: {'anthropic' if protocol == 'messages' else 'openai'}"] = (
                    theirs
                )
        cpu = [Measure(what=name, once=_cpu_of(read)) for name, read in readers.items()]
        first = [Measure(what=name, once=_first_of(read)) for name, read in readers.items()]
        return ModelsReport(
            cpu=await take_turns(cpu, rounds, seed),
            first=await take_turns(first, rounds, seed),
            imports=await take_turns(_imports(), rounds, seed),
        )


async def _ours(stack: AsyncExitStack, protocol: Protocol, base: str) -> Events:
    kinds = {"chat": OpenAIChat, "responses": OpenAIResponses, "messages": AnthropicMessages}
    address = base if protocol == "messages" else f"{base}/v1"
    endpoint = Endpoint(
        BY_NAME[PROVIDER[protocol]], "m", base_url=address, key=ApiKey("NONE", "none")
    )
    model = kinds[protocol](endpoint)
    stack.push_async_callback(model.aclose)
    return lambda: model.stream(REQUEST)


async def _theirs(stack: AsyncExitStack, protocol: Protocol, base: str) -> Events | None:
    package = "anthropic" if protocol == "messages" else "openai"
    if importlib.util.find_spec(package) is None:
        return None
    # Known only where it is installed, so it has no types here.
    sdk: Any = importlib.import_module(package)
    client: Any
    if protocol == "messages":
        client = await stack.enter_async_context(sdk.AsyncAnthropic(api_key="none", base_url=base))
        ask = client.messages.create
        words: dict[str, object] = {"max_tokens": 1000, "messages": ASKED}
    else:
        client = await stack.enter_async_context(
            sdk.AsyncOpenAI(api_key="none", base_url=f"{base}/v1")
        )
        ask = client.chat.completions.create if protocol == "chat" else client.responses.create
        words = {"messages": ASKED} if protocol == "chat" else {"input": "Write a long program."}

    async def events() -> AsyncIterator[object]:
        async for event in await ask(model="m", stream=True, **words):
            yield event

    return events


def _cpu_of(read: Events) -> Callable[[], Awaitable[float]]:
    async def once() -> float:
        before = time.thread_time()
        async for _ in read():
            continue
        return time.thread_time() - before

    return once


def _first_of(read: Events) -> Callable[[], Awaitable[float]]:
    async def once() -> float:
        before = time.perf_counter()
        took: float | None = None
        async for _ in read():
            # Read to the end all the same, so that the connection is free for the next round.
            took = took if took is not None else time.perf_counter() - before
        return took or 0.0

    return once


def _imports() -> list[Measure]:
    bare = "pass"
    sources = {"bare Python": bare} | {
        name: source
        for name, source in IMPORTS.items()
        if name == "actum" or importlib.util.find_spec(name) is not None
    }
    return [Measure(what=name, once=_start_of(source)) for name, source in sources.items()]


def _start_of(source: str) -> Callable[[], Awaitable[float]]:
    async def run() -> None:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", source)
        await process.wait()

    return lambda: seconds_of(run())
