"""More tools than fit a prompt: two calls stand for all of them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from actum import Agent, scripted, tool
from actum.models.contract import ModelRequest
from actum.records.messages import NativeCall, Reply

COUNT = 200


def many() -> list[Callable[..., object]]:
    """Two hundred tools with long descriptions; one of them refunds a payment."""

    def one(number: int) -> Callable[..., object]:
        def operation(customer: str) -> str:
            return f"{number} for {customer}"

        operation.__name__ = f"operation_{number}"
        operation.__doc__ = f"Do thing number {number} for a customer, with all that belongs to it."
        return tool(name=f"service.operation_{number}", effect="read")(operation)

    @tool(name="billing.refund", effect="read")
    def refund(payment: str) -> str:
        """Refund a payment to the customer."""
        return f"refunded {payment}"

    return [*(one(number) for number in range(COUNT)), refund]


def called(wanted: str, arguments: dict[str, object]) -> Reply:
    """One native call."""
    return Reply(
        parts=(NativeCall(id="one", name=wanted, arguments=json.dumps(arguments)),),
        stop="calls",
    )


@pytest.mark.usefixtures("home")
def test_search_and_call_stand_for_all_tools_and_reach_the_right_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    sent: list[ModelRequest] = []

    def first(request: ModelRequest) -> Reply:
        sent.append(request)
        return called("search_tools", {"query": "refund a payment"})

    def second(request: ModelRequest) -> Reply:
        sent.append(request)
        return called("call_tool", {"name": "billing.refund", "arguments": {"payment": "p1"}})

    model = scripted([first, second, "done"])
    run = Agent(model=model, tools=many(), format="json").run_sync("refund p1")
    assert str(run) == "done"
    assert [native.name for native in sent[0].tools] == ["search_tools", "call_tool"]
    assert "billing.refund" in str(sent[1].messages[-1])
    assert [call.tool for call in run.calls] == ["search", "billing.refund"]


@pytest.mark.usefixtures("home")
def test_who_wants_every_schema_gets_every_schema(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    sent: list[ModelRequest] = []

    def first(request: ModelRequest) -> str:
        sent.append(request)
        return "done"

    agent = Agent(model=scripted([first]), tools=many(), format="json", discovery="all")
    assert str(agent.run_sync("hello")) == "done"
    assert len(sent[0].tools) == COUNT + 1
