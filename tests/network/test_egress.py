"""The egress guard: where a request may not go, and answers that are not waited for."""

import asyncio
from collections.abc import Sequence

import pytest

from actum.errors import BadArguments, UserMistake
from actum.records.calls import ToolAnswer, ToolFailure, ToolRefusal
from actum.tools.egress import Caps, Egress, EgressRefused
from actum.tools.guarded_transport import Proxies
from actum.tools.hosts import Address, BadUrl, Hosts, address_of, read_url
from actum.tools.http_request import NAME, HttpRequests
from actum.tools.wanted_request import WantedRequest
from tests.network.fake_site import FakeSite
from tests.promises import promise

PRIVATE = (
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
)
DISGUISES = ("0x7f.0.0.1", "0177.0.0.1", "2130706433", "127.1", "0x7f000001", "017700000001")


def standing_for(*names: str) -> "LookUps":
    return LookUps(names)


class LookUps:
    """Names stand for these addresses, a new one at each look."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = list(addresses)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        """The next answer."""
        self.asked.append(host)
        text = self._addresses.pop(0) if len(self._addresses) > 1 else self._addresses[0]
        found = [address_of(one) for one in text.split()]
        return [address for address in found if address is not None]


def where(egress: Egress, url: str) -> list[str]:
    """The addresses that a request would go to."""
    target = read_url(url)
    egress.check(target)
    return [str(address) for address in asyncio.run(egress.addresses(target))]


def fetch(
    site: FakeSite, path: str, caps: Caps | None = None, method: str = "GET"
) -> ToolAnswer | ToolFailure:
    """One request to a named site."""

    async def go() -> ToolAnswer | ToolFailure:
        http = HttpRequests((site.host,), {}, caps=caps)
        try:
            arguments = http.check(NAME, (method, site.url + path), {})
            return await http.call(NAME, arguments, "key")
        finally:
            await http.close()

    return asyncio.run(go())


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_that_stands_for_a_private_address_is_refused(address: str) -> None:
    for others in (False, True):
        egress = Egress(Hosts(["site.example"]), others=others, look_up=standing_for(address))
        with pytest.raises(EgressRefused, match="no address of the open network"):
            where(egress, "http://site.example/")


@promise("network:guard")
def test_a_private_address_spoils_the_public_ones_beside_it() -> None:
    egress = Egress(Hosts(["site.example"]), look_up=standing_for("93.184.216.34 10.0.0.1"))
    with pytest.raises(EgressRefused):
        where(egress, "http://site.example/")


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_nobody_named_is_refused_and_not_looked_up(address: str) -> None:
    looks = standing_for("93.184.216.34")
    egress = Egress(Hosts(), others=True, look_up=looks)
    url = f"http://[{address}]/" if ":" in address else f"http://{address}/"
    with pytest.raises(EgressRefused, match="--net"):
        where(egress, url)
    assert not looks.asked


@pytest.mark.parametrize(
    "host", ["93.184.216.34", "[2606:2800:220:1::1]", "localhost", "a.localhost"]
)
def test_public_addresses_and_names_of_this_machine_must_be_named_too(host: str) -> None:
    egress = Egress(Hosts(), others=True, look_up=standing_for("93.184.216.34"))
    with pytest.raises(EgressRefused):
        where(egress, f"http://{host}/")


@pytest.mark.parametrize("host", DISGUISES)
def test_an_address_in_disguise_is_no_host(host: str) -> None:
    with pytest.raises(BadUrl, match="in disguise"):
        read_url(f"http://{host}/")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://site.example/",
        "gopher://site.example/",
        "data:text/plain,hello",
        "//site.example/",
        "site.example/",
        "http://",
        "http:///path",
        "http://site.example:0/",
        "http://site.example:99999/",
        "http://site.example\\@evil.example/",
        "http://site.example /",
        "http://site.example/\r\nX: y",
        "http://s\u0456te.example/",
        "http://site%2eexample/",
        "http://[::1%25eth0]/",
        "http://[::1/",
        "http://-site.example/",
    ],
)
def test_a_url_that_could_mean_two_things_is_not_fetched(url: str) -> None:
    with pytest.raises(BadUrl):
        read_url(url)


def test_who_stands_before_an_at_sign_is_no_host() -> None:
    assert read_url("http://site.example@evil.example/").host == "evil.example"


@promise("network:named")
def test_what_the_user_named_is_reached_as_written() -> None:
    looks = standing_for("127.0.0.1")
    named = Hosts(
        ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "10.0.0.7", "API.Example.com."]
    )
    egress = Egress(named, look_up=looks)
    assert where(egress, "http://127.0.0.1:8000/") == ["127.0.0.1"]
    assert where(egress, "http://localhost:8000/") == ["127.0.0.1"]
    assert where(egress, "http://[::1]:8000/") == ["::1"]
    assert where(egress, "https://10.0.0.7/") == ["10.0.0.7"]
    with pytest.raises(EgressRefused):
        where(egress, "http://127.0.0.1:8001/")
    with pytest.raises(EgressRefused):
        where(egress, "http://api.example.com:8000/")
    assert named.name("api.example.com", 443)
    assert named.name("api.example.com", 80)


def test_a_private_address_behind_a_name_can_be_named_beside_it() -> None:
    named = Hosts(["wiki.example", "10.0.0.7"])
    assert where(Egress(named, look_up=standing_for("10.0.0.7")), "http://wiki.example/")


@pytest.mark.parametrize(
    "text", ["https://api.example.com/", "", "a b", "host:port", "h:99999", "/x"]
)
def test_what_names_no_host_is_a_mistake(text: str) -> None:
    with pytest.raises(UserMistake, match="names no host"):
        Hosts([text])


@promise("network:guard")
def test_a_name_that_changes_its_address_is_looked_at_each_time() -> None:
    """The address that was looked at is the one that is connected to: there is no second look."""

    async def go() -> list[ToolAnswer | ToolFailure]:
        looks = standing_for("127.0.0.1", "169.254.169.254")
        with FakeSite() as site:
            port = site.server_port
            hosts = (f"site.example:{port}", f"127.0.0.1:{port}")
            http = HttpRequests(hosts, {}, look_up=looks)
            arguments = http.check(NAME, ("GET", f"http://site.example:{port}/echo"), {})
            answers = [await http.call(NAME, arguments, "key") for _ in range(2)]
            await http.close()
            assert site.seen == ["GET /echo"]
        assert looks.asked == ["site.example", "site.example"]
        return answers

    first, second = asyncio.run(go())
    assert isinstance(first, ToolAnswer)
    assert isinstance(second, ToolFailure)
    assert second.status == "refused"
    assert "169.254.169.254" in second.message


@pytest.mark.parametrize("path", ["/bytes/2000", "/endless"])
def test_an_answer_beyond_the_cap_is_refused(path: str) -> None:
    with FakeSite() as site:
        answer = fetch(site, path, Caps(size=1000))
    assert isinstance(answer, ToolFailure)
    assert answer.status == "too_large"
    assert "larger than 1,000 bytes" in answer.message


@pytest.mark.parametrize("path", ["/slow", "/hang"])
def test_an_answer_beyond_its_time_is_refused(path: str) -> None:
    with FakeSite() as site:
        answer = fetch(site, path, Caps(seconds=0.3))
    assert isinstance(answer, ToolFailure)
    assert answer.status == "too_slow"
    assert "longer than 0.3 seconds" in answer.message


def test_the_length_of_a_page_that_is_not_sent_is_not_counted() -> None:
    with FakeSite() as site:
        answer = fetch(site, "/bytes/2000", Caps(size=1000), method="HEAD")
    assert isinstance(answer, ToolAnswer)


def test_the_host_follows_no_redirect() -> None:
    with FakeSite() as site:
        answer = fetch(site, "/redirect?to=http://169.254.169.254/")
        assert isinstance(answer, ToolAnswer)
        assert isinstance(answer.value, dict)
        assert answer.value["status"] == 302
        assert len(site.seen) == 1


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "http://2130706433/", "http://[::ffff:127.0.0.1]/", "http://a/"]
)
def test_a_program_is_told_why_by_one_rule(url: str) -> None:
    http = HttpRequests(("127.0.0.1",), {})
    refused = http.refusal(NAME, http.check(NAME, ("GET", url), {}))
    assert isinstance(refused, ToolRefusal)
    assert refused.rule == "network"


@pytest.mark.parametrize(
    "given",
    [
        {"method": "GET / HTTP/1.1\r\nX: y"},
        {"method": ""},
        {"headers": [["X-One", "1\r\nX-Two: 2"]]},
        {"headers": [["X One", "1"]]},
        {"headers": [["X-One:", "1"]]},
        {"headers": [["X-One"]]},
        {"headers": [["X-One", "1", "2"]]},
        {"headers": [["X-One", "\u0456"]]},
        {"headers": [["X-One", "\x00"]]},
        {"headers": "X-One: 1"},
        {"timeout": -1},
        {"timeout": float("nan")},
        {"connect_timeout": float("inf")},
        {"body": 5},
        {"verify": False},
    ],
)
def test_a_request_cannot_carry_another_one(given: dict[str, object]) -> None:
    http = HttpRequests(("127.0.0.1",), {})
    with pytest.raises(BadArguments):
        http.check(NAME, (), {"method": "GET", "url": "http://127.0.0.1/", **given})


@pytest.mark.parametrize(
    "hosts",
    [
        ["127.0.0.1/evil.example"],
        ["evil.example@127.0.0.1"],
        ["127.0.0.1", "evil.example"],
        ["127.0.0.1 evil.example"],
        [""],
    ],
)
def test_a_host_header_names_one_allowed_host_and_nothing_else(hosts: list[str]) -> None:
    http = HttpRequests(("127.0.0.1",), {})
    given: dict[str, object] = {"headers": [["Host", host] for host in hosts]}
    arguments = http.check(NAME, ("GET", "http://127.0.0.1/"), given)
    assert isinstance(http.refusal(NAME, arguments), ToolRefusal)


def test_headers_of_a_connection_are_made_by_the_host() -> None:
    given = [["Transfer-Encoding", "chunked"], ["Content-Length", "3"], ["Connection", "close"]]
    arguments: dict[str, object] = {
        "method": "POST",
        "url": "http://127.0.0.1/",
        "headers": [*given, ["X-One", "1"]],
        "body": b"0123456789",
    }
    sent = WantedRequest(arguments).request().headers
    assert sent == [("Host", "127.0.0.1"), ("X-One", "1"), ("Content-Length", "10")]


def test_proxies_of_the_environment_are_used_but_never_for_this_machine() -> None:
    proxies = Proxies(
        {
            "HTTPS_PROXY": "http://proxy.example:3128",
            "NO_PROXY": "inside.example, .corp.example,10.0.0.0/8",
        }
    )
    assert proxies.of(read_url("https://api.example.com/")) == "http://proxy.example:3128"
    assert proxies.of(read_url("http://api.example.com/")) is None
    for host in ("inside.example", "a.corp.example", "10.1.2.3", "localhost", "127.0.0.1", "[::1]"):
        assert proxies.of(read_url(f"https://{host}/")) is None


def test_a_request_goes_through_the_proxy_that_the_environment_names() -> None:
    async def go() -> ToolAnswer | ToolFailure:
        with FakeSite() as proxy:
            http = HttpRequests(("site.example",), {"http_proxy": proxy.host})
            arguments = http.check(NAME, ("GET", "http://site.example/echo"), {})
            answer = await http.call(NAME, arguments, "key")
            await http.close()
            assert proxy.seen == ["GET http://site.example/echo"]
            return answer

    assert isinstance(asyncio.run(go()), ToolAnswer)
