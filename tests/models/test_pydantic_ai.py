"""A model of pydantic-ai keeps our contract."""

import asyncio
import importlib.util
from collections.abc import AsyncIterator
from typing import Any

import pytest

from actum.errors import NotSetUp
from actum.models.contract import ModelRequest, NativeTool
from actum.models.pydantic_ai import PydanticAI
from actum.models.replies import whole_reply
from actum.records.messages import Message, NativeResult, said

TOOL = NativeTool(name="shop.get", description="One order.", schema={"type": "object"})


def test_without_the_package_the_extra_is_named() -> None:
    if importlib.util.find_spec("pydantic_ai") is not None:
        pytest.skip("pydantic-ai is installed")
    with pytest.raises(NotSetUp) as failure:
        PydanticAI("openai:gpt-5")
    assert "actum[pydantic-ai]" in failure.value.hints[0]


def test_words_and_calls_come_back_and_the_history_goes_there() -> None:
    function: Any = pytest.importorskip(
        "pydantic_ai.models.function", reason="the extra pydantic-ai is not installed"
    )
    seen: list[Any] = []

    async def play(messages: list[Any], info: Any) -> AsyncIterator[Any]:
        seen.append((messages, [tool.name for tool in info.function_tools]))
        yield "Let me "
        yield "look."
        yield {0: function.DeltaToolCall(name="shop_get", json_args='{"i": 1}', tool_call_id="a")}

    model = PydanticAI(function.FunctionModel(stream_function=play))
    first = ModelRequest(messages=(said("system", "Be brief."), said("user", "?")), tools=(TOOL,))
    reply = asyncio.run(whole_reply(model.stream(first)))
    assert reply.text == "Let me look."
    assert [(call.name, call.arguments) for call in reply.calls] == [("shop.get", '{"i": 1}')]
    assert reply.stop == "calls"
    answer = Message(role="assistant", parts=reply.parts)
    back = Message(role="user", parts=(NativeResult(id=reply.calls[0].id, text="10"),))
    second = ModelRequest(messages=(*first.messages, answer, back), tools=(TOOL,))
    asyncio.run(whole_reply(model.stream(second)))
    messages, tools = seen[-1]
    assert tools == ["shop_get"]
    kinds = [part.part_kind for message in messages for part in message.parts]
    assert kinds == ["system-prompt", "user-prompt", "text", "tool-call", "tool-return"]
