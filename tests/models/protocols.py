"""The three protocols, each with its model, its fake server and what is special about it."""

from collections.abc import Callable

import msgspec

from actum.models.anthropic_messages import AnthropicMessages
from actum.models.endpoints import ApiKey, Endpoint
from actum.models.http_client import TimeOuts
from actum.models.openai_chat import OpenAIChat
from actum.models.openai_responses import OpenAIResponses
from actum.models.providers import BY_NAME
from actum.models.retries import Retries
from actum.models.wire import Conditions
from actum.records.messages import NativeCall, Opaque, Reply, Text, Usage
from actum.records.values import JSON, BlobRef
from tests.models.servers import fake_chat, fake_messages, fake_responses
from tests.models.servers.fake_provider import Answer, FakeProvider

WireModel = OpenAIChat | OpenAIResponses | AnthropicMessages
KEY = "sk-test-0123456789abcdef"
USED = Usage(
    requests=1, input_tokens=1200, cached_tokens=1000, output_tokens=40, reasoning_tokens=7
)
CALLS = (
    NativeCall(id="call_a", name="shop_get", arguments='{"i": 1, "note": "größer 🦊"}'),
    NativeCall(id="call_b", name="shop_get", arguments='{"i": 2}'),
)


class Protocol(msgspec.Struct, frozen=True, kw_only=True):
    """One protocol as the tests speak it."""

    name: str
    provider: str
    path: str
    model: Callable[..., WireModel]
    answer: Callable[[Reply], Answer]
    documents: Callable[[Reply], list[dict[str, JSON]]]
    own_block: Opaque | None

    @property
    def reply_with_all(self) -> Reply:
        """Something of everything that this protocol can say."""
        before = (self.own_block,) if self.own_block else ()
        return Reply(
            parts=(*before, Text("Let me look at both of them."), *CALLS),
            stop="calls",
            usage=USED,
            model="fake-1",
        )


CHAT = Protocol(
    name="chat",
    provider="openai",
    path="/v1/chat/completions",
    model=OpenAIChat,
    answer=fake_chat.chat_answer,
    documents=fake_chat.documents,
    own_block=None,
)
RESPONSES = Protocol(
    name="responses",
    provider="openai-responses",
    path="/v1/responses",
    model=OpenAIResponses,
    answer=fake_responses.responses_answer,
    documents=fake_responses.documents,
    own_block=Opaque(
        provider="openai-responses",
        block={
            "id": "rs_0",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": "c2VhbGVk",
        },
    ),
)
MESSAGES = Protocol(
    name="messages",
    provider="anthropic",
    path="/v1/messages",
    model=AnthropicMessages,
    answer=fake_messages.messages_answer,
    documents=fake_messages.documents,
    own_block=Opaque(
        provider="anthropic",
        block={"type": "thinking", "thinking": "Both of them, then.", "signature": "c2VhbA=="},
    ),
)
PROTOCOLS = (CHAT, RESPONSES, MESSAGES)


def picture_bytes(blob: BlobRef) -> bytes:
    """What every picture of the tests holds."""
    assert blob.size == 3
    return b"PNG"


class Waits:
    """Stands in for sleep: remembers, and does not wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def open_wire_model(
    protocol: Protocol,
    server: FakeProvider,
    *,
    waits: Waits | None = None,
    time_outs: TimeOuts | None = None,
    retries: Retries | None = None,
    model: str = "fake-1",
) -> WireModel:
    """The model of this protocol, against the fake."""
    base = server.url if protocol is MESSAGES else f"{server.url}/v1"
    provider = BY_NAME[protocol.provider]
    endpoint = Endpoint(provider, model, base_url=base, key=ApiKey("TEST_KEY", KEY))
    conditions = Conditions(
        sleep=waits or Waits(),
        chance=lambda: 1.0,
        now=lambda: 1_790_000_000.0,
        time_outs=time_outs or TimeOuts(),
        retries=retries or Retries(),
    )
    return protocol.model(endpoint, conditions=conditions, load_blob=picture_bytes)
