"""Every way of keeping the contract of a model keeps the same promises."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import cast

import pytest

from actum.errors import ModelFailed
from actum.models.contract import (
    Model,
    ModelEvent,
    ModelRequest,
    NativeTool,
    ReplyEnd,
    TextDelta,
    UsageSeen,
)
from actum.models.manual import ByFiles, ByHand
from actum.models.recorded import Recorded
from actum.models.replies import whole_reply
from actum.models.scripted import Scripted
from actum.records.messages import Message, NativeResult, Reply, Text, said
from tests.models.protocols import CALLS, KEY, PROTOCOLS, USED, Protocol, open_wire_model
from tests.models.servers.fake_provider import serving

NAMES = (*(protocol.name for protocol in PROTOCOLS), "scripted", "recorded", "manual")
TALKATIVE = tuple(name for name in NAMES if name != "manual")
TOOL = NativeTool(name="shop_get", description="One order.", schema={"type": "object"})
ASK = ModelRequest(
    messages=(said("system", "Be brief."), said("user", "Which ones?")), tools=(TOOL,)
)
WORDS = Reply(parts=(Text("One line.\nAnother: é, 🦊, \\n.\n"),), usage=USED, model="fake-1")
BOTH = Reply(parts=(Text("Both."), *CALLS), stop="calls", usage=USED, model="fake-1")


class Makers:
    """Makes a model of any kind that will give these replies."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack = stack
        self._folder = folder

    def make(self, name: str, *replies: Reply) -> Model:
        for protocol in PROTOCOLS:
            if protocol.name == name:
                return self._wire(protocol, replies)
        if name == "scripted":
            return Scripted(replies)
        if name == "recorded":
            return Recorded(replies)
        lines = iter([*replies[0].text.splitlines(keepends=True), ".\n"])
        return ByHand(read=lambda: next(lines), write=lambda _: None)

    def _wire(self, protocol: Protocol, replies: tuple[Reply, ...]) -> Model:
        server = self._stack.enter_context(serving(*(protocol.answer(r) for r in replies)))
        return open_wire_model(protocol, server)


@pytest.fixture
def makers(tmp_path: Path) -> Iterator[Makers]:
    with ExitStack() as stack:
        yield Makers(stack, tmp_path)


def ask(model: Model, request: ModelRequest = ASK) -> list[ModelEvent]:
    """All events, and nothing left open."""

    async def listen() -> list[ModelEvent]:
        events = [event async for event in model.stream(request)]
        close = getattr(model, "aclose", None)
        if close is not None:
            await close()
        return events

    return asyncio.run(listen())


@pytest.mark.parametrize("name", NAMES)
def test_words_arrive_whole_and_in_order(makers: Makers, name: str) -> None:
    events = ask(makers.make(name, WORDS))
    words = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert words.removesuffix("\n") == WORDS.text.removesuffix("\n")


@pytest.mark.parametrize("name", NAMES)
def test_the_end_is_last_and_comes_once(makers: Makers, name: str) -> None:
    events = ask(makers.make(name, WORDS))
    assert [isinstance(event, ReplyEnd) for event in events].count(True) == 1
    assert isinstance(events[-1], ReplyEnd)
    assert events[-1].stop == "end"


@pytest.mark.parametrize("name", NAMES)
def test_usage_is_said_before_the_end_and_counts_one_request(makers: Makers, name: str) -> None:
    seen = [event for event in ask(makers.make(name, WORDS)) if isinstance(event, UsageSeen)]
    assert seen
    assert seen[-1].usage.requests == 1


@pytest.mark.parametrize("name", TALKATIVE)
def test_parallel_calls_arrive_whole_with_their_ids(makers: Makers, name: str) -> None:
    model = makers.make(name, BOTH)

    async def listen() -> Reply:
        reply = await whole_reply(model.stream(ASK))
        close = getattr(model, "aclose", None)
        if close is not None:
            await close()
        return reply

    reply = asyncio.run(listen())
    assert reply.calls == CALLS
    assert reply.stop == "calls"
    assert reply.text == "Both."


@pytest.mark.parametrize("name", TALKATIVE)
def test_the_second_turn_gets_the_second_answer(makers: Makers, name: str) -> None:
    model = makers.make(name, BOTH, WORDS)
    if name not in ("scripted", "recorded"):
        ask(model)
    results = Message(
        role="user",
        parts=tuple(NativeResult(id=call.id, text="42") for call in CALLS),
    )
    turns = (*ASK.messages, Message(role="assistant", parts=BOTH.parts), results)
    events = ask(model, ModelRequest(messages=turns, tools=(TOOL,)))
    words = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert words == WORDS.text


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_can_be_left_after_its_first_words(makers: Makers, name: str) -> None:
    model = makers.make(name, WORDS)

    async def leave() -> ModelEvent:
        async with aclosing(cast("AsyncGenerator[ModelEvent, None]", model.stream(ASK))) as events:
            event = await anext(events)
        close = getattr(model, "aclose", None)
        if close is not None:
            await close()
        return event

    assert isinstance(asyncio.run(leave()), TextDelta | UsageSeen)


@pytest.mark.parametrize("name", NAMES)
def test_no_text_about_the_model_holds_its_key(makers: Makers, name: str) -> None:
    model = makers.make(name, WORDS)
    assert KEY not in repr(model) + str(model) + model.name


@pytest.mark.parametrize("name", ["scripted", "recorded"])
def test_a_used_up_script_is_an_error_that_says_so(makers: Makers, name: str) -> None:
    after = ModelRequest(messages=(*ASK.messages, said("assistant", WORDS.text)))
    with pytest.raises(ModelFailed) as failure:
        ask(makers.make(name, WORDS), after)
    assert "number 2 was asked for" in failure.value.why


def test_a_program_answers_by_files(tmp_path: Path) -> None:
    (tmp_path / "0.reply.txt").write_text("By file.\n", encoding="utf-8")
    events = ask(ByFiles(tmp_path))
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["By file."]
    assert b"Which ones?" in (tmp_path / "0.request.json").read_bytes()
