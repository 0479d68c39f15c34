"""A small real model behind a real llama.cpp server. Says nothing of how good an answer is.

Left out unless asked for by `-m real_model`; docs/models.md says how.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from actum.models.choice import endpoint_of
from actum.models.contract import ModelEvent, ModelRequest, TextDelta
from actum.models.failures import ContextFull
from actum.models.openai_chat import OpenAIChat
from actum.models.replies import whole_reply
from actum.records.messages import Reply, said
from tests.flows.terminal import Terminal
from tests.models.servers.llama_server import WINDOW, LlamaServer, llama_server, missing

pytestmark = [
    pytest.mark.real_model,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(missing()), reason=f"not installed: {', '.join(missing())}"),
]

LONG_ANSWER = 4000
TOO_LONG = "word " * (WINDOW + 1000)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    with llama_server(tmp_path_factory.mktemp("llama") / "server.log") as running:
        yield running


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


def model_at(server: LlamaServer, *, endless: bool = False) -> OpenAIChat:
    return OpenAIChat(endpoint_of(server.model, {}), parameters={"ignore_eos": endless})


def question(words: str, max_tokens: int) -> ModelRequest:
    return ModelRequest(messages=(said("user", words),), max_tokens=max_tokens)


async def short_answer(model: OpenAIChat) -> Reply:
    return await whole_reply(model.stream(question("What is the capital of France?", 16)))


def test_an_answer_streams_with_its_usage_and_the_reason_why_it_stopped(
    server: LlamaServer,
) -> None:
    pieces: list[str] = []

    async def listen() -> Reply:
        model = model_at(server, endless=True)

        async def counted() -> AsyncIterator[ModelEvent]:
            async for event in model.stream(question("Tell me of a fox.", 16)):
                if isinstance(event, TextDelta):
                    pieces.append(event.text)
                yield event

        reply = await whole_reply(counted())
        await model.aclose()
        return reply

    reply = asyncio.run(listen())
    assert len(pieces) > 4
    assert reply.text == "".join(pieces)
    assert reply.stop == "length"
    assert reply.usage.output_tokens == 16
    assert reply.usage.input_tokens > 0


@pytest.mark.parametrize("words", [("Say hello.",), ("How much is 2 + 3?", "--output", "int")])
def test_a_task_ends_legally_and_its_record_verifies_and_replays(
    server: LlamaServer, terminal: Terminal, words: tuple[str, ...]
) -> None:
    assert terminal.actum("config", "set", "budget.requests", "3").exit == 0
    done = terminal.actum("run", *words, "--model", server.model)
    (row,) = terminal.actum("runs", "list", "--json").json
    # It may talk, do as it was told, or run nonsense until its requests are used up.
    assert (done.exit, row["status"]) in {(0, "done"), (1, "failed"), (5, "limit")}, done.err
    assert "[internal]" not in done.err
    assert terminal.actum("verify").exit == 0
    replayed = terminal.actum("replay")
    assert (replayed.exit, "identical" in replayed.err) == (0, True)


def test_whoever_stops_listening_frees_the_server_for_the_next_question(
    server: LlamaServer,
) -> None:
    async def leave_and_ask_again() -> tuple[int, Reply]:
        model = model_at(server, endless=True)
        heard = asyncio.Event()

        async def listen() -> None:
            async with aclosing(model.stream(question("Count.", LONG_ANSWER))) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        heard.set()

        listening = asyncio.create_task(listen())
        await heard.wait()
        assert server.slot()["is_processing"]
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        # The server looks for us between two tokens; asking it takes as long as one.
        while (slot := server.slot())["is_processing"]:
            continue
        written = slot["n_prompt_tokens"]
        reply = await short_answer(model)
        await model.aclose()
        return written, reply

    written, reply = asyncio.run(leave_and_ask_again())
    assert written < LONG_ANSWER
    assert reply.text


def test_a_conversation_that_is_too_long_is_one_error_that_says_so(server: LlamaServer) -> None:
    async def overflow_and_ask_again() -> Reply:
        model = model_at(server)
        with pytest.raises(ContextFull, match="too long") as caught:
            await whole_reply(model.stream(question(TOO_LONG, 16)))
        assert str(WINDOW) in caught.value.why
        reply = await short_answer(model)
        await model.aclose()
        return reply

    assert asyncio.run(overflow_and_ask_again()).text


def test_the_command_line_says_once_that_a_task_is_too_long(
    server: LlamaServer, terminal: Terminal
) -> None:
    done = terminal.actum("run", TOO_LONG, "--model", server.model)
    assert (done.exit, done.out) == (1, "")
    assert done.err.count("error[") == 1
    assert "too long" in done.err
    assert str(WINDOW) in done.err
    assert "Traceback" not in done.err
