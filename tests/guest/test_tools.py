"""Tools as modules: imports, calls in each style, results, refusals."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.guest.harness import Failure, Guest, any_order, in_this_order

Open = Callable[..., Guest]
MODULES = {
    "": 'def price(i: int) -> float:\n    """What it costs."""\n# modules: crm, shop\n',
    "crm": 'def get(i: int, *, full: bool = False) -> dict:\n    """One customer."""\n',
    "shop": "# modules: orders\n",
    "shop.orders": "def open(day: 'Day' = None): ...\n",
}


def get(i: Any, **options: Any) -> dict[str, Any]:
    if i == 13:
        raise Failure(type="failure", message="no such customer", status="failed", retryable=True)
    if i == 66:
        raise Failure(type="refusal", message="not you", rule="deny crm.*", hint="ask Ann")
    return {"id": i, "name": f"n{i}", "lines": [{"sku": "a", **options}]}


def same(value: Any) -> Any:
    return value


def open_orders(day: Any = None) -> Any:
    return [{"day": day}]


TOOLS: dict[str, Callable[..., Any]] = {
    "price": same,
    "crm.get": get,
    "shop.orders.open": open_orders,
    "search": same,
    "describe": same,
}


@pytest.fixture
def guest(open_guest: Open) -> Guest:
    return open_guest(tools=TOOLS, modules=MODULES)


@pytest.mark.parametrize(
    "source",
    [
        "import tools\ntools.crm.get(1).name",
        "from tools import crm\ncrm.get(1).name",
        "import tools.crm\ntools.crm.get(1)['name']",
        "from tools.crm import get\nget(i=1).data['name']",
        "crm.get(1).name",
        "tools.crm.get(1).name",
        "def ask():\n    return crm.get(1)\nask().name",
    ],
)
def test_tools_are_there_with_and_without_an_import(guest: Guest, source: str) -> None:
    assert guest.run(source).outcome["value"] == "n1"


def test_modules_stand_in_modules(guest: Guest) -> None:
    run = guest.run("from tools.shop import orders\norders.open(day='mon')[0].day")
    assert run.outcome["value"] == "mon"
    assert guest.run("shop.orders.open('tue')[0].day").outcome["value"] == "tue"


def test_the_name_of_the_root_is_free_and_no_other_is_served(open_guest: Open) -> None:
    guest = open_guest(tools=TOOLS, modules=MODULES, root="my_sdk")
    run = guest.run(
        "from my_sdk import crm, Denied\n(crm.get(1).name, my_sdk.crm.__name__, str(Denied))"
    )
    assert run.outcome["value"] == ["n1", "my_sdk.crm", "<class 'my_sdk.Denied'>"]
    for other in ("tools", "my_sdk2"):
        error = guest.run(f"import {other}").outcome["error"]
        assert error["type"] == "ModuleNotFoundError"


def test_an_unknown_tool_is_an_error_that_names_the_known(guest: Guest) -> None:
    assert "crm" in guest.run("import tools\ntools.cmr").outcome["error"]["message"]
    error = guest.run("from tools import cmr").outcome["error"]
    assert (error["type"], error["line"]) == ("ModuleNotFoundError", 1)
    assert "cmr" in error["message"]


def test_the_programs_own_names_come_first(guest: Guest) -> None:
    assert guest.run("crm = 5\ncrm").outcome["value"] == 5
    assert guest.run("price = crm\nprice").outcome["value"] == 5
    assert guest.run("type(open)").outcome["shown"] == "<class 'builtin_function_or_method'>"


def test_no_text_is_fetched_for_a_program_without_tools(open_guest: Open) -> None:
    guest = open_guest(modules={"": "1 / 0"})
    source = "import math\ndef f(x, *a):\n    return [y for y in a if math.pi > x]\nf(1, 2)"
    assert guest.run(source).outcome["value"] == [2]


def test_a_tool_is_a_real_function(guest: Guest) -> None:
    source = (
        "import inspect\nfrom tools import crm\n"
        "(crm.get.__name__, crm.get.__doc__, crm.get.__module__, inspect.isfunction(crm.get),"
        " str(inspect.signature(crm.get)), list(inspect.signature(crm.get).parameters))"
    )
    name, doc, module, is_function, signature, parameters = guest.run(source).outcome["value"]
    assert (name, doc, module, is_function) == ("get", "One customer.", "tools.crm", True)
    assert "full" in signature
    assert parameters == ["i", "full"]


def test_a_call_carries_arguments_as_given_and_its_line(guest: Guest) -> None:
    run = guest.run("x = 1\n\ncrm.get(\n    7, full=True)\ntools.search('refund')")
    wanted = {"tool": "crm.get", "args": [7], "kwargs": {"full": True}, "line": 3, "number": 1}
    assert run.calls[0] == {"t": "call", **wanted}
    assert (run.calls[1]["tool"], run.calls[1]["number"]) == ("search", 2)


def test_calls_are_counted_within_a_step(guest: Guest) -> None:
    guest.run("crm.get(1)")
    assert guest.run("crm.get(1)").calls[0]["number"] == 1


def test_a_failure_can_be_caught_and_read(guest: Guest) -> None:
    source = (
        "from tools import ToolError\ntry:\n    crm.get(13)\nexcept ToolError as error:\n"
        "    seen = (error.tool, error.status, error.message, error.retryable)\nseen"
    )
    assert guest.run(source).outcome["value"] == ["crm.get", "failed", "no such customer", True]


def test_a_refusal_tells_rule_and_hint(guest: Guest) -> None:
    source = (
        "try:\n    crm.get(66)\nexcept tools.Denied as error:\n"
        "    seen = (error.rule, error.hint, isinstance(error, tools.ToolError))\nseen"
    )
    assert guest.run(source).outcome["value"] == ["deny crm.*", "ask Ann", True]
    error = guest.run("crm.get(66)").outcome["error"]
    assert (error["type"], error["rule"], error["line"]) == ("Denied", "deny crm.*", 1)


def test_an_uncaught_refusal_in_a_group_sets_the_rule(guest: Guest) -> None:
    source = (
        "import asyncio\nasync def main():\n    async with asyncio.TaskGroup() as group:\n"
        "        async def one(): await crm.get(66)\n        group.create_task(one())\n"
        "asyncio.run(main())"
    )
    error = guest.run(source).outcome["error"]
    assert error["rule"] == "deny crm.*"
    assert "not you" in error["message"]


def test_in_an_event_loop_a_call_is_awaited(guest: Guest) -> None:
    source = (
        "import asyncio\nasync def main():\n    one = await crm.get(1)\n"
        "    more = await asyncio.gather(crm.get(2), crm.get(3))\n"
        "    last = await asyncio.to_thread(crm.get, 4)\n"
        "    return [one.id, *[each.id for each in more], last.id]\nasyncio.run(main())"
    )
    run = guest.run(source, choose=any_order(2))
    assert run.outcome["value"] == [1, 2, 3, 4]
    assert run.most_open == 2


@pytest.mark.parametrize(
    "use",
    ["{}.name", "{}['name']", "len({})", "bool({})", "str({})", "f'{{{}}}'", "[x for x in {}]",
     "{} + 1", "print({})", "1 < {}",
     "{} == 1", "crm.get({})"],
)  # fmt: skip
def test_using_a_call_before_it_is_awaited_says_await(guest: Guest, use: str) -> None:
    source = (
        "import asyncio\nasync def main():\n    call = crm.get(1)\n    "
        + use.format("call")
        + "\nasyncio.run(main())"
    )
    error = guest.run(source).outcome["error"]
    assert error["line"] == 4
    assert "await" in error["message"]


def test_a_program_may_await_outside_of_functions(guest: Guest) -> None:
    source = (
        "import asyncio\none, two = await asyncio.gather(crm.get(1), crm.get(2))\none.id + two.id"
    )
    assert guest.run(source).outcome["value"] == 3
    assert guest.run("x = 5\n(await crm.get(4)).id").outcome["value"] == 4
    error = guest.run("y = x\nawait crm.get(66)\nx").outcome["error"]
    assert (error["type"], error["line"]) == ("Denied", 2)
    assert guest.run("y").outcome["value"] == 5


def test_an_answer_to_a_cancelled_await_is_dropped(guest: Guest) -> None:
    source = (
        "import asyncio, time\nasync def main():\n    try:\n"
        "        async with asyncio.timeout(0.01): await crm.get(1)\n"
        "    except TimeoutError: return 'late'\nx = asyncio.run(main())\ntime.sleep(1)\nx"
    )
    run = guest.run(source, choose=in_this_order("timer", "1.1", "timer"))
    assert run.outcome["value"] == "late"


def test_parallel_has_all_calls_under_way_and_keeps_the_order(guest: Guest) -> None:
    source = "[each.id for each in tools.parallel(crm.get, range(12))]"
    run = guest.run(source, choose=any_order(3))
    assert run.outcome["value"] == list(range(12))
    assert run.most_open == 12
    assert {call["line"] for call in run.calls} == {1}


def test_parallel_runs_the_programs_own_functions(guest: Guest) -> None:
    source = (
        "def name(i, j):\n    return crm.get(i).name + str(j)\n"
        "tools.parallel(name, [1, 2, 3], 'abc')"
    )
    run = guest.run(source, choose=any_order(3))
    assert run.outcome["value"] == ["n1a", "n2b", "n3c"]
    assert run.most_open == 3


def test_parallel_raises_the_first_error_after_all_are_back(guest: Guest) -> None:
    source = (
        "try:\n    tools.parallel(crm.get, [1, 13, 66, 2])\n"
        "except ToolError as error:\n    seen = error.message\nseen"
    )
    run = guest.run(source, choose=any_order(5))
    assert run.outcome["value"] == "no such customer"
    assert run.outcome["open_calls"] == 0


def test_parallel_is_awaited_in_an_event_loop(guest: Guest) -> None:
    source = (
        "import asyncio\nasync def main():\n    return await tools.parallel(crm.get, [1, 2])\n"
        "[each.id for each in asyncio.run(main())]"
    )
    assert guest.run(source).outcome["value"] == [1, 2]


def test_records_are_dictionaries_with_attributes(guest: Guest) -> None:
    source = (
        "import json, copy, pickle\nr = crm.get(1)\nr.note = 'x'\n"
        "(r.lines[0].sku, r['id'], r == {**r}, json.loads(json.dumps(r))['name'],"
        " type(r.data['lines'][0]) is dict, copy.deepcopy(r) == r, hasattr(r, 'nope'),"
        " pickle.loads(pickle.dumps(r)).note, repr(r) == repr(dict(r)))"
    )
    assert guest.run(source).outcome["value"] == [
        "a", 1, True, "n1", True, True, False, "x", True,
    ]  # fmt: skip
    assert "did you mean 'name'" in guest.run("r.nmae").outcome["error"]["message"]


def test_calls_still_open_at_the_end_are_told_and_their_answers_come_later(guest: Guest) -> None:
    source = (
        "import threading\nbox = []\n"
        "threading.Thread(target=lambda: box.append(crm.get(1).id)).start()"
    )
    assert guest.run(source).outcome["open_calls"] == 1
    run = guest.run("import time\ntime.sleep(1)\nbox", choose=any_order(1))
    run = guest.run("import time\ntime.sleep(1)\nbox")
    assert run.outcome["value"] == [1]
