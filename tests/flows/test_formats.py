"""One small task, two reads and a write, in each format and over each protocol: the same run."""

import asyncio
import json
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from actum import Agent, runs, tool
from actum.journal.recording import read_run
from actum.journal.verify import verify
from actum.places.local.place import Local
from actum.records.actions import FormatName
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision, ApprovalRequest, ModelResponse
from actum.records.messages import NativeCall, Reply, Text, Usage
from tests.flows.runs import bare_place
from tests.flows.terminal import Terminal
from tests.models.protocols import (
    CHAT,
    KEY,
    MESSAGES,
    PROTOCOLS,
    RESPONSES,
    Protocol,
    open_wire_model,
)
from tests.models.servers.fake_provider import Answer, FakeProvider, serving
from tests.promises import promise

ANSWER = "ada is told of 30."
TASK = "Tell ada the sum of orders 1 and 2."
USED = Usage(requests=1, input_tokens=900, output_tokens=40)
READS: tuple[tuple[str, object], ...] = (("shop_get", {"i": 1}), ("shop_get", {"i": 2}))
WRITE: tuple[str, object] = ("shop_send", {"to": "ada", "body": "30"})
READING = "orders = tools.parallel(shop.get, [1, 2])\ntotal = sum(o.amount for o in orders)\n"
SENDING = "print(shop.send(to='ada', body=str(total)))"


def python(code: str) -> tuple[str, object]:
    return ("python", {"code": code})


# What a model sends on each turn, before its words at the end.
TURNS: dict[FormatName, list[tuple[tuple[str, object], ...]]] = {
    "code": [(python(READING + SENDING),)],
    "json": [READS, (WRITE,)],
    "auto": [READS, (python(f"total = 30\n{SENDING}"),)],
}


def replies(protocol: Protocol, action_format: FormatName) -> list[Reply]:
    """The whole script, with the blocks that this protocol wants back."""
    own = (protocol.own_block,) if protocol.own_block else ()
    found: list[Reply] = []
    for turn, wanted in enumerate(TURNS[action_format]):
        calls = tuple(
            NativeCall(id=f"call_{turn}_{n}", name=name, arguments=json.dumps(arguments))
            for n, (name, arguments) in enumerate(wanted)
        )
        found.append(Reply(parts=(*own, Text("Let me see."), *calls), stop="calls", usage=USED))
    return [*found, Reply(parts=(Text(ANSWER),), usage=USED)]


def environ_of(protocol: Protocol, server: FakeProvider) -> dict[str, str]:
    """What makes this server the provider."""
    if protocol is MESSAGES:
        return {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{server.url}/v1"}


@pytest.fixture(scope="module")
def place() -> Iterator[Local]:
    """One place for all these runs: each begins a session of its own."""
    shared = bare_place()
    yield shared
    asyncio.run(shared.close())


@pytest.mark.parametrize("action_format", list(TURNS))
@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_each_format_over_each_protocol_is_one_answer_one_approval_one_record(
    protocol: Protocol,
    action_format: FormatName,
    place: Local,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done: list[str] = []
    asked: list[Sequence[PendingRow]] = []

    @tool(name="shop.get", effect="read")
    def get(i: int) -> dict[str, int]:
        done.append(f"get {i}")
        return {"id": i, "amount": 10 * i}

    @tool(name="shop.send", effect="write")
    def send(to: str, body: str) -> str:
        done.append(f"send {to} {body}")
        return "sent"

    def approve(rows: Sequence[PendingRow]) -> bool:
        asked.append(rows)
        return True

    script = replies(protocol, action_format)
    with serving(*(protocol.answer(reply) for reply in script)) as server:
        for name, value in environ_of(protocol, server).items():
            monkeypatch.setenv(name, value)
        agent = Agent(
            f"{protocol.provider}:fake-1",
            [get, send],
            format=action_format,
            place=place,
            approve=approve,
        )
        run = agent.run_sync(TASK)
        assert [request.path for request in server.asked] == [protocol.path] * len(script)
    assert (run.status, run.output) == ("done", ANSWER), run.error
    assert sorted(done) == ["get 1", "get 2", "send ada 30"]
    assert [[row.tool for row in rows] for rows in asked] == [["shop.send"]]
    bodies = [event.body for event in run.events]
    assert sum(isinstance(body, ApprovalRequest) for body in bodies) == 1
    assert sum(isinstance(body, ApprovalDecision) for body in bodies) == 1
    assert run.usage.tokens == len(script) * USED.tokens
    # The server is gone, and so are the tools.
    verdict = verify(runs.find(run.id))
    assert (verdict.intact, verdict.complete) == (True, True)
    report = runs.replay(run.id)
    assert (report.identical, report.remarks) == (True, ()), report
    assert len(done) == 3


class Cutting(FakeProvider):
    """Says half of one answer and then nothing, until whoever asked is gone; then goes on."""

    def __init__(self, answers: Sequence[Answer], cut: int) -> None:
        super().__init__(*answers)
        self._cut = cut
        self.silent = threading.Event()

    def next_answer(self) -> Answer:
        whole = self.answers[0]
        if len(self.asked) == self._cut:
            self.silent.set()
            return Answer(pieces=whole.pieces[: len(whole.pieces) // 2], stall=True)
        return super().next_answer()

    def one_goes_silent(self) -> bool:
        """Whether half an answer has been said, within half a minute."""
        return self.silent.wait(30)


@contextmanager
def cutting(answers: Sequence[Answer], cut: int) -> Generator[Cutting, None, None]:
    server = Cutting(answers, cut)
    try:
        yield server
    finally:
        server.close()


ALLOWED = """
[[policy]]
tool = "shop.send"
decide = "allow"
"""
ONE_EACH: list[tuple[Protocol, FormatName]] = [
    (CHAT, "json"),
    (RESPONSES, "auto"),
    (MESSAGES, "code"),
]


@promise("record:write-once")
@pytest.mark.parametrize("cut", [1, 2])
@pytest.mark.parametrize(
    ("protocol", "action_format"), ONE_EACH, ids=[action_format for _, action_format in ONE_EACH]
)
def test_an_answer_cut_by_kill_is_asked_for_again_and_no_other(
    protocol: Protocol,
    action_format: FormatName,
    cut: int,
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = ("--config", terminal.write("allowed.toml", ALLOWED))
    named = ("--model", f"{protocol.provider}:fake-1", "--format", action_format)
    script = replies(protocol, action_format)
    with cutting([protocol.answer(reply) for reply in script], cut) as server:
        for name, value in environ_of(protocol, server).items():
            monkeypatch.setenv(name, value)
        child = terminal.start(TASK, "--tools", "shop.py", *named, *config)
        assert server.one_goes_silent(), child.communicate()
        child.kill()
        child.communicate()
        done = terminal.actum("resume", "last", *config)
        assert (done.exit, done.out.strip()) == (0, ANSWER), done.err
        # What was answered to the end is paid for once; the same question is asked again.
        assert len(server.asked) == len(script) + 1
        assert server.asked[cut - 1].body == server.asked[cut].body
    # A read whose result was not on disk yet may be read again; the write is not made again.
    assert set(terminal.world) == {"get 1", "get 2", "send ada"}
    assert terminal.world.count("send ada") == 1
    events = read_run(terminal.file()).events
    answers = [event.body for event in events if isinstance(event.body, ModelResponse)]
    assert [answer.reply.text for answer in answers] == [reply.text for reply in script]
    assert terminal.actum("verify", "last").exit == 0
    again = terminal.actum("replay", "last")
    assert again.exit == 0, again.err


class Halves(Cutting):
    """Says half of its first answer, and the rest when it is told to."""

    def __init__(self, answer: Answer) -> None:
        super().__init__([answer], cut=0)
        self.go_on = threading.Event()

    def pieces(self, whole: tuple[bytes, ...]) -> Iterator[bytes]:
        yield from whole[: len(whole) // 2]
        self.silent.set()
        self.go_on.wait(30)
        yield from whole[len(whole) // 2 :]

    def next_answer(self) -> Answer:
        whole = self.answers[0]
        if len(self.asked) > 1:
            return whole
        return msgspec.structs.replace(whole, pieces=self.pieces(whole.pieces))


def test_two_runs_at_once_may_share_a_model_and_one_may_end_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = CHAT.answer(Reply(parts=(Text(ANSWER),), usage=USED))

    async def both(server: Halves) -> list[str]:
        model = open_wire_model(CHAT, server)
        agent = Agent(model, format="json")
        slow = asyncio.create_task(agent.run("slow"))
        await asyncio.to_thread(server.one_goes_silent)
        quick = await agent.run("quick")
        server.go_on.set()
        return [str(quick), str(await slow)]

    server = Halves(words)
    try:
        assert asyncio.run(both(server)) == [ANSWER, ANSWER]
        assert len(server.asked) == 2
    finally:
        server.close()
