"""A request of a program passes the gate: closed by default, writes asked about, all on record."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from actum.journal.sqlite import SqliteStore
from actum.lifecycle.approving import Choice, decide, pending_rows
from actum.records.call_events import PendingRow
from actum.records.events import ApprovalDecision, ToolAttempted, ToolCalled, ToolResult
from actum.records.policies import Condition, PolicyRule
from tests.flows.runs import Bench, bare_place, rules
from tests.network.fake_site import FakeSite
from tests.promises import promise

T = TypeVar("T")
POST = "print(u.urlopen('{url}/form', data={data!r}).read())\n"
GET = "import urllib.request as u\nprint(u.urlopen('{url}/csv').read())\n"


def bench_of(folder: Path, *hosts: str) -> Bench:
    """Programs that may reach these hosts."""
    return Bench(folder, bare_place(), hosts=hosts)


def ended(bench: Bench, work: Coroutine[None, None, T]) -> T:
    """Wait for it, and close the place."""

    async def go() -> T:
        try:
            return await work
        finally:
            await bench.place.close()

    return asyncio.run(go())


def effects(bench: Bench) -> list[str | None]:
    """What each request of a run was taken for."""
    return [e.body.effect for e in bench.events() if isinstance(e.body, ToolCalled)]


def attempts(bench: Bench) -> int:
    """How many requests left."""
    return sum(isinstance(event.body, ToolAttempted) for event in bench.events())


async def approve(bench: Bench, choose: Callable[[Choice], list[ApprovalDecision]]) -> None:
    """Decide, as another process would."""
    store = SqliteStore.open(bench.file())
    try:
        await decide(store, choose(Choice(pending_rows(store.events()), by="somebody")))
    finally:
        await store.close()


@promise("network:named")
def test_without_a_named_host_a_request_is_one_refused_call_that_reaches_nobody(
    tmp_path: Path,
) -> None:
    bench = bench_of(tmp_path)
    with FakeSite() as site:
        ending = ended(bench, bench.exec(GET.format(url=site.url)))
    assert (ending.status, ending.exit) == ("denied", 4)
    assert not site.seen
    (refused,) = bench.refusals()
    assert refused.rule == "network"
    assert f"--net {site.host}" in refused.hint
    assert attempts(bench) == 0


@pytest.mark.parametrize(
    "ask",
    [
        "u.urlopen('{url}')",
        "u.urlopen('{url}', data=b'x')",
        "u.urlopen(u.Request('{url}', method='HEAD'))",
        "__import__('http.client').client.HTTPConnection('{host}').request('GET', '/')",
    ],
)
def test_a_refusal_goes_through_a_library_as_it_is_and_is_not_tried_again(
    ask: str, tmp_path: Path
) -> None:
    bench = bench_of(tmp_path, "api.example.com")
    with FakeSite() as site:
        program = (
            "import urllib.request as u, tools\n"
            f"try: {ask.format(url=site.url, host=site.host)}\n"
            "except tools.Denied as error: print(error.rule)\n"
        )
        ended(bench, bench.exec(program))
    assert bench.output() == "network\n"
    assert len(bench.refusals()) == 1
    assert not site.seen


def test_reading_is_allowed_and_writing_waits_for_a_person_and_then_happens_once(
    tmp_path: Path,
) -> None:
    bench = bench_of(tmp_path)

    async def go() -> None:
        with FakeSite() as site:
            bench.hosts = (site.host,)
            program = GET.format(url=site.url) + POST.format(url=site.url, data=b"x=1")
            parked = await bench.exec(program)
            assert parked.status == "paused"
            assert site.seen == ["GET /csv"]
            assert effects(bench) == ["read", "write"]
            await approve(bench, Choice.all)
            ending = await bench.resume()
            assert ending.status == "done"
            assert site.seen == ["GET /csv", "POST /form"]
        report = await bench.replay()
        assert report.identical, report.difference
        assert bench.output().endswith("b'x=1'\n")

    ended(bench, go())


def test_the_rest_of_a_program_is_allowed_by_host_and_method(tmp_path: Path) -> None:
    asked: list[str] = []

    async def rest(rows: Sequence[PendingRow]) -> list[ApprovalDecision]:
        asked.extend(str(row.arguments["url"]) for row in rows)
        return Choice(rows, by="somebody", how="callback").all(rest=True)

    with FakeSite() as site, FakeSite() as other:
        bench = bench_of(tmp_path, site.host, other.host)
        bench.approver = rest
        posts = [POST.format(url=url, data=b"x") for url in (site.url, site.url, other.url)]
        put = f"u.urlopen(u.Request('{site.url}/form', b'x', method='PUT'))\n"
        ended(bench, bench.exec("import urllib.request as u\n" + "".join(posts) + put))
        assert asked == [f"{site.url}/form", f"{other.url}/form", f"{site.url}/form"]
        assert site.seen == ["POST /form", "POST /form", "PUT /form"]


@promise("network:named")
def test_a_redirect_is_one_more_call_and_ends_at_a_host_that_was_not_named(tmp_path: Path) -> None:
    with FakeSite() as site, FakeSite() as other:
        bench = bench_of(tmp_path, site.host)
        program = (
            "import urllib.request as u\n"
            f"print(u.urlopen('{site.url}/redirect?to=/bytes/3').read())\n"
            f"u.urlopen('{site.url}/redirect?to={other.url}/bytes/3')\n"
        )
        ending = ended(bench, bench.exec(program))
    assert ending.status == "denied"
    assert bench.output() == "b'xxx'\n"
    assert len(site.seen) == 3
    assert not other.seen
    assert len(effects(bench)) == 4


@promise("network:named")
def test_a_named_address_is_no_door_to_another_host_behind_it(tmp_path: Path) -> None:
    with FakeSite() as site:
        bench = bench_of(tmp_path, site.host)
        program = (
            "import urllib.request as u\n"
            f"u.urlopen(u.Request('{site.url}/csv', headers={{'Host': 'inside.example'}}))\n"
        )
        ending = ended(bench, bench.exec(program))
    assert ending.status == "denied"
    assert "inside.example" in bench.refusals()[0].message
    assert not site.seen


def test_a_get_that_asks_to_be_taken_for_a_delete_is_a_write(tmp_path: Path) -> None:
    with FakeSite() as site:
        bench = bench_of(tmp_path, site.host)
        program = (
            "import urllib.request as u\n"
            "headers = {'X-HTTP-Method-Override': 'DELETE'}\n"
            f"u.urlopen(u.Request('{site.url}/csv', headers=headers))\n"
        )
        ending = ended(bench, bench.exec(program))
    assert ending.status == "paused"
    assert effects(bench) == ["write"]
    assert not site.seen


def test_a_rule_decides_on_method_and_address(tmp_path: Path) -> None:
    with FakeSite() as site:
        form = Condition(glob=f"{site.url}/form*")
        rule = PolicyRule(tool="http.request", when={"url": form}, decide="allow")
        deny = PolicyRule(tool="http.request", effect="read", decide="deny", why="no reading")
        bench = bench_of(tmp_path, site.host)
        program = "import urllib.request as u\n" + POST.format(url=site.url, data=b"x")
        ending = ended(
            bench, bench.exec(program + GET.format(url=site.url), policy=(rules(rule, deny),))
        )
        assert site.seen == ["POST /form"]
    assert ending.status == "denied"
    assert bench.refusals()[0].rule == "rule 2 of actum.toml"


def test_threads_and_tasks_ask_at_once(tmp_path: Path) -> None:
    program = (
        "import asyncio, urllib.request as u\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def size(n): return len(u.urlopen(f'{url}/bytes/{n}').read())\n"
        "with ThreadPoolExecutor(8) as pool: print(list(pool.map(size, range(8))))\n"
        "async def many(): return await asyncio.gather(*(asyncio.to_thread(size, n) for n in range(4)))\n"
        "print(asyncio.run(many()))\n"
    )

    bench = bench_of(tmp_path)

    async def go() -> None:
        with FakeSite() as site:
            bench.hosts = (site.host,)
            ending = await bench.exec(f"url = {site.url!r}\n{program}")
            assert ending.status == "done", ending.reason
        assert bench.output() == f"{list(range(8))}\n{list(range(4))}\n"
        report = await bench.replay()
        assert report.identical, report.difference

    ended(bench, go())


def test_events_are_read_while_the_site_still_sends_and_replay_without_it(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    program = (
        "import itertools, urllib.request as u\n"
        "with u.urlopen(url + '/ticks') as answer:\n"
        "    print([line for line in itertools.islice(answer, 5)])\n"
        "print(u.urlopen(url + '/bytes/3').read())\n"
    )

    async def go() -> None:
        with FakeSite() as site:
            bench.hosts = (site.host,)
            ending = await bench.exec(f"url = {site.url!r}\n{program}")
            assert ending.status == "done", ending.reason
        lines = [b"data: 1\n", b"\n", b"data: 2\n", b"\n", b"data: 3\n"]
        assert bench.output() == f"{lines}\nb'xxx'\n"
        report = await bench.replay()
        assert report.identical, report.difference

    ended(bench, go())
    called = [event.body.tool for event in bench.events() if isinstance(event.body, ToolCalled)]
    assert called.count("http.request") == 2
    assert called.count("http.read") == len(called) - 2


def test_the_rest_of_an_answer_is_gone_in_another_process(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)

    async def go() -> None:
        with FakeSite() as site:
            bench.hosts = (site.host,)
            program = (
                "import urllib.request as u\n"
                f"answer = u.urlopen('{site.url}/ticks')\n"
                "print(answer.readline())\n"
                f"u.urlopen('{site.url}/form', data=b'x')\n"
                "answer.read()\n"
            )
            assert (await bench.exec(program)).status == "paused"
            await approve(bench, Choice.all)
            ending = await bench.resume()
            assert ending.status == "failed"
            assert "IncompleteRead" in ending.reason
            assert site.seen == ["GET /ticks", "POST /form"]

    ended(bench, go())


def test_the_tool_is_in_no_list_and_can_be_called_by_whoever_knows_it(tmp_path: Path) -> None:
    with FakeSite() as site:
        bench = bench_of(tmp_path, site.host)
        program = (
            "import tools\n"
            "print('http' in dir(tools))\n"
            "from tools import http\n"
            f"answer = http.request('GET', '{site.url}/bytes/3')\n"
            "print(answer.status, answer.body)\n"
        )
        ending = ended(bench, bench.exec(program))
    assert ending.status == "done", ending.reason
    assert bench.output() == "False\n200 b'xxx'\n"


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import socket; socket.create_connection(('127.0.0.1', 80))", "no names are looked up"),
        ("import socket; socket.socket()", "no sockets in this program"),
        ("import ftplib; ftplib.FTP('127.0.0.1')", "no sockets in this program"),
        (
            (
                "import http.client as h; c = h.HTTPSConnection('127.0.0.1', 1); "
                "c.set_tunnel('api.example.com'); c.request('GET', '/')"
            ),
            "there is no proxy here",
        ),
        (
            (
                "import urllib.request as u; p = u.ProxyHandler({'http': 'http://127.0.0.1:1'}); "
                "u.build_opener(p).open('http://api.example.com')"
            ),
            "there is no proxy here",
        ),
        (
            (
                "import http.client as h; h.HTTPConnection('127.0.0.1', 1)"
                ".request('GET', '/', headers={'Upgrade': 'websocket'})"
            ),
            "no websocket here",
        ),
    ],
)
def test_what_needs_a_socket_fails_with_a_reason(program: str, told: str, tmp_path: Path) -> None:
    bench = bench_of(tmp_path, "127.0.0.1:1", "api.example.com")
    ending = ended(bench, bench.exec(program))
    assert ending.status == "failed"
    assert told in (ending.reason or "")


def test_an_answer_is_on_record_as_it_came(tmp_path: Path) -> None:
    bench = bench_of(tmp_path)
    with FakeSite() as site:
        bench.hosts = (site.host,)
        ended(bench, bench.exec(GET.format(url=site.url)))
    (result,) = [e.body for e in bench.events() if isinstance(e.body, ToolResult)]
    assert isinstance(result.value, dict)
    assert result.value["status"] == 200
    headers = result.value["headers"]
    assert isinstance(headers, list)
    assert ["Content-Type", "text/csv"] in headers
