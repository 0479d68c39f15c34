"""Proxies of the environment are used, and left aside where the environment says so."""

import asyncio

import pytest

from actum.models.choice import open_model
from actum.models.contract import ModelRequest
from actum.models.openai_chat import OpenAIChat
from actum.models.replies import whole_reply
from actum.records.messages import Reply, Text, Usage, said
from tests.models.servers.fake_chat import chat_answer
from tests.models.servers.fake_provider import FakeProvider, serving

ANSWER = chat_answer(Reply(parts=(Text("Here."),), usage=Usage(requests=1)))


def ask(url: str) -> str:
    model = open_model(f"{url}/v1#m", {})
    assert isinstance(model, OpenAIChat)

    async def listen() -> str:
        reply = await whole_reply(model.stream(ModelRequest(messages=(said("user", "?"),))))
        await model.aclose()
        return reply.text

    return asyncio.run(listen())


def use_proxy(monkeypatch: pytest.MonkeyPatch, proxy: FakeProvider, apart: str) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, apart)


def test_a_request_goes_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ANSWER) as proxy:
        use_proxy(monkeypatch, proxy, "")
        assert ask("http://model.example") == "Here."
    assert proxy.asked[0].path == "http://model.example/v1/chat/completions"


def test_a_host_that_is_named_apart_is_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ANSWER) as proxy, serving(ANSWER) as server:
        # Another way to write an address of this machine, which counts as any host.
        use_proxy(monkeypatch, proxy, "127.1")
        assert ask(server.url.replace("127.0.0.1", "127.1")) == "Here."
    assert proxy.asked == []


def test_a_server_on_this_machine_is_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ANSWER) as proxy, serving(ANSWER) as server:
        use_proxy(monkeypatch, proxy, "")
        assert ask(server.url) == "Here."
    assert proxy.asked == []
    assert server.asked[0].path == "/v1/chat/completions"
