"""`actum bench models`: what a long answer costs to read, beside the providers' own clients."""

import ast
import asyncio
import gc
import importlib
import importlib.util
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from actum.bench.around import around_us, load_now
from actum.bench.measuring import Measure, milliseconds_of, take_turns
from actum.bench.model_streams import answer_text, streaming
from actum.bench.report import Line, Report, result_of
from actum.loop.formats.code import Code
from actum.loop.formats.contract import Brief
from actum.models.anthropic_messages import AnthropicMessages
from actum.models.contract import ModelRequest
from actum.models.endpoints import ApiKey, Endpoint
from actum.models.openai_chat import OpenAIChat
from actum.models.openai_responses import OpenAIResponses
from actum.models.providers import BY_NAME, Protocol
from actum.records.actions import RunCode
from actum.records.messages import Reply, Text, Usage, said

REQUEST = ModelRequest(messages=(said("user", "Write a long program."),))
ASKED = [{"role": "user", "content": "Write a long program."}]
PROVIDER: dict[Protocol, str] = {
    "chat": "openai",
    "responses": "openai-responses",
    "messages": "anthropic",
}
CLIENT: dict[Protocol, str] = {
    "chat": "openai",
    "responses": "openai",
    "messages": "anthropic",
}
NAMED = ("httpx2", "msgspec", "openai", "anthropic")
CPU = "processor time of 100 KB"
FIRST = "first event"
ACTION, PARSED = "program found in 100 KB", "ast.parse of it"
BARE = "bare Python"
SLOW = 4
"""Interpreters are started in each fourth round."""
IMPORTS = {
    BARE: "pass",
    "actum": "import httpx2, actum.models.openai_chat, actum.models.anthropic_messages",
    "openai": "import openai; openai.AsyncOpenAI",
    "anthropic": "import anthropic; anthropic.AsyncAnthropic",
}

Events = Callable[[], AsyncIterator[object]]
"""Asks, and gives what streams back."""


async def bench_models(rounds: int, seed: int) -> Report:
    """Read an answer of 100 KB in pieces of 24 characters, by turns, and import what reads it."""
    before = load_now()
    async with AsyncExitStack() as stack:
        readers: dict[str, Events] = {}
        for protocol in PROVIDER:
            base = stack.enter_context(streaming(protocol))
            readers[f"{protocol}: actum"] = await _ours(stack, protocol, base)
            theirs = await _theirs(stack, protocol, base)
            if theirs is not None:
                readers[f"{protocol}: {CLIENT[protocol]}"] = theirs
        measures = [
            *(Measure(what=f"{CPU}, {name}", once=_cpu_of(read)) for name, read in readers.items()),
            *(
                Measure(what=f"{FIRST}, {name}", once=_first_of(read))
                for name, read in readers.items()
            ),
            Measure(what=ACTION, once=_program_found),
            Measure(what=PARSED, once=_parsed),
            *_imports(),
        ]
        # The collector would look through all that the clients have imported, in everybody's time.
        gc.freeze()
        stack.callback(gc.unfreeze)
        figures = await take_turns(measures, rounds, seed)
    return Report(
        bench="models",
        **around_us(NAMED),
        load={"before": before, "after": load_now()},
        rounds=rounds,
        seed=seed,
        figures=tuple(r for line in lines() if (r := result_of(line, figures)) is not None),
        opening={},
        notes=tuple(
            f"{client} is not installed: what is compared with it has no ratio"
            for client in dict.fromkeys(CLIENT.values())
            if importlib.util.find_spec(client) is None
        ),
    )


def lines() -> list[Line]:
    """What is told, in order, with its base."""
    found: list[Line] = []
    for what in (CPU, FIRST):
        for protocol, client in CLIENT.items():
            theirs = f"{what}, {protocol}: {client}"
            found += [Line(what=f"{what}, {protocol}: actum", base=theirs), Line(what=theirs)]
    found += [Line(what=ACTION, base=PARSED), Line(what=PARSED)]
    clients = tuple(dict.fromkeys(CLIENT.values()))
    found += [Line(what="import: actum", base=f"import: {base}") for base in (*clients, BARE)]
    found += [Line(what=f"import: {client}", base=f"import: {BARE}") for client in clients]
    return [*found, Line(what=f"import: {BARE}")]


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
    package = CLIENT[protocol]
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
        return (time.thread_time() - before) * 1000

    return once


def _first_of(read: Events) -> Callable[[], Awaitable[float]]:
    async def once() -> float:
        before = time.perf_counter()
        took: float | None = None
        async for _ in read():
            # Read to the end all the same, so that the connection is free for the next round.
            took = took if took is not None else time.perf_counter() - before
        return (took or 0.0) * 1000

    return once


def _program() -> str:
    """The answer without its last line, which is cut."""
    return answer_text().rpartition("\n")[0]


async def _program_found() -> float:
    """From a whole answer to a program that can run."""
    parts = (Text(f"First the total.\n```python\n{_program()}\n```"),)
    reply = Reply(parts=parts, usage=Usage(requests=1))
    before = time.thread_time()
    action = Code().read(reply, Brief(manifest=""))
    took = time.thread_time() - before
    if not isinstance(action, RunCode):
        raise TypeError(f"the answer was read as {action!r:.200}")
    return took * 1000


async def _parsed() -> float:
    """The least that must be done before a program can run."""
    text = _program()
    before = time.thread_time()
    ast.parse(text)
    return (time.thread_time() - before) * 1000


def _imports() -> list[Measure]:
    return [
        Measure(what=f"import: {name}", once=_start_of(source), every=SLOW)
        for name, source in IMPORTS.items()
        if name in {"actum", BARE} or importlib.util.find_spec(name) is not None
    ]


def _start_of(source: str) -> Callable[[], Awaitable[float]]:
    async def run() -> None:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", source)
        await process.wait()

    return lambda: milliseconds_of(run())
