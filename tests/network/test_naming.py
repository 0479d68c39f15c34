"""Who names the hosts: a flag, a settings file, an agent; and what of it holds in a resumed run."""

import asyncio
from pathlib import Path

import pytest

from actum import Agent, scripted
from actum.agent.run import Run
from actum.errors import UserMistake
from actum.journal.recording import read_run
from actum.models.contract import ModelRequest
from actum.places.local.place import Local
from actum.records.events import RunStart
from tests.flows.terminal import Terminal
from tests.network.fake_site import FakeSite

READ = "import urllib.request as u\nprint(u.urlopen('{url}/csv').status)\n"
WRITE = "print(u.urlopen('{url}/form', data=b'x').read())\n"


def settings(*hosts: str) -> str:
    """A settings file that names these hosts."""
    return f"[network]\nallow = {list(hosts)!r}\n"


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """An empty folder with a home of its own."""
    folder = tmp_path / "work"
    folder.mkdir()
    return Terminal(folder)


def recorded(terminal: Terminal) -> RunStart:
    """How the only run here began."""
    start = read_run(terminal.file()).events[0].body
    assert isinstance(start, RunStart)
    return start


def test_hosts_of_the_settings_and_of_the_flag_add_up(terminal: Terminal) -> None:
    with FakeSite() as site, FakeSite() as other:
        terminal.write("own.toml", settings(other.host))
        program = READ.format(url=site.url) + READ.format(url=other.url)
        done = terminal.exec(program, "--config", "own.toml", "--net", site.host)
    assert done.out == "200\n200\n", done.err
    assert recorded(terminal).network == (other.host, site.host)


def test_a_resumed_run_keeps_the_hosts_that_were_named_for_it(terminal: Terminal) -> None:
    with FakeSite() as site:
        program = READ.format(url=site.url) + WRITE.format(url=site.url)
        assert terminal.exec(program, "--net", site.host).exit == 8
        assert terminal.actum("approve", "--all").exit == 0
        done = terminal.actum("resume", "last")
        assert done.exit == 0, done.err
        assert site.seen == ["GET /csv", "POST /form"]


def test_a_resumed_run_does_not_reach_a_host_that_the_settings_name_no_more(
    terminal: Terminal,
) -> None:
    with FakeSite() as site:
        terminal.write("own.toml", settings(site.host))
        program = READ.format(url=site.url) + WRITE.format(url=site.url)
        assert terminal.exec(program, "--config", "own.toml").exit == 8
        assert terminal.actum("approve", "--all").exit == 0
        done = terminal.actum("resume", "last")
        assert done.exit == 4, done.err
        assert site.seen == ["GET /csv"]


@pytest.mark.parametrize("host", ["https://api.example.com/v1", "two words", "host:port"])
def test_what_is_no_host_is_said_before_anything_runs(host: str, terminal: Terminal) -> None:
    done = terminal.exec("print(1)", "--net", host)
    assert done.exit == 2
    assert "names no host" in done.err
    assert not done.out


def test_an_agent_reaches_the_hosts_that_it_was_given_and_its_model_knows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    told: list[str] = []

    def reply(request: ModelRequest) -> str:
        told.append(str(request.messages))
        return (
            f"```python\n{READ.format(url=site.url)}finish(u.urlopen('{site.url}/csv').status)\n```"
        )

    with FakeSite() as site:
        place = Local(preload=())
        agent = Agent(scripted([reply]), format="code", place=place, network=[site.host])

        async def go() -> Run:
            try:
                return await agent.run("What does the site say?")
            finally:
                await place.close()

        run = asyncio.run(go())
        assert (run.status, run.output) == ("done", 200), run.error
    assert f"a program reaches {site.host}" in told[0]


def test_an_agent_says_at_once_what_is_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    agent = Agent(scripted(["never asked"]), network=["http://x/"])
    with pytest.raises(UserMistake, match="names no host"):
        agent.run_sync("anything")
