"""The guard's gates by themselves; a whole crawl behind them is in test_section_spider."""

import asyncio
import base64
import ipaddress

import pytest
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError
from scrapy.http import Response

from crawler.gates.context import FetchContext
from crawler.gates.errors import AddressRefused, RequestRefused
from crawler.gates.guard_gates import AddressGate, UrlGate
from crawler.guarding.guard import Guard
from tests.certificates import own_authority
from tests.crawler.gates.crawls import crawl
from tests.crawler.proxies import Proxy
from tests.crawler.servers import Server, run_section

URL = "http://site.example/a"
GUARD = Guard(["intranet.example:8080"])


def context(contact="a@example.org"):
    return FetchContext(guard=GUARD, contact=contact)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "data:text/html,hi", "ftp://site.example/"])
def test_other_schemes_do_not_pass(url):
    with pytest.raises(RequestRefused, match="only http and https"):
        UrlGate(crawl(context())).process_request(Request(url))


def test_without_a_contact_only_listed_hosts_pass():
    gate = UrlGate(crawl(context(contact="")))
    gate.process_request(Request("http://intranet.example:8080/"))
    for url in (URL, "http://intranet.example/"):
        with pytest.raises(RequestRefused, match=r"settings\.contact"):
            gate.process_request(Request(url))


def test_a_response_from_a_private_address_does_not_pass_whatever_the_resolver_did():
    gate = AddressGate(crawl(context()))
    public, private = (Response(URL, ip_address=ipaddress.ip_address(text)) for text in ("93.184.216.34", "10.0.0.1"))
    assert gate.process_response(Request(URL), public) is public
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1 is not public"):
        gate.process_response(Request(URL), private)


def test_a_host_whose_addresses_were_refused_is_not_just_not_found():
    gate, private = AddressGate(crawl(context())), Request("http://10.0.0.1/")
    asyncio.run(gate.process_exception(Request(URL), CannotResolveHostError()))
    asyncio.run(gate.process_exception(private, TimeoutError()))
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1 is not public"):
        asyncio.run(gate.process_exception(private, CannotResolveHostError()))


pytestmark = pytest.mark.timeout(60)

NAMES = {
    "news.test": [["127.0.0.1"]],
    "moved.test": [["127.0.0.1"]],
    "private.test": [["127.0.0.2"]],
    "mixed.test": [["127.0.0.1", "127.0.0.2"]],
    "proxy.test": [["127.0.0.1"]],
}
LOGIN = "Basic " + base64.b64encode(b"reader:pass word").decode()
PAGE = b"<html><p>" + b"The harbour was quiet. " * 40
LINKS = b"".join(b'<a href="/a/%d.html">An article</a>' % number for number in range(1, 7))


def site_answer(seen, port, scheme="http"):
    def answer(handler):
        seen.append({name.lower(): value for name, value in handler.headers.items()})
        here = port()
        away = {
            "/a/2.html": f"http://private.test:{here}/a/2.html",
            "/a/3.html": f"http://mixed.test:{here}/a/3.html",
            "/a/4.html": f"http://2130706433:{here}/a/4.html",
            "/a/5.html": f"http://[::ffff:127.0.0.2]:{here}/a/5.html",
            "/a/6.html": f"{scheme}://news.test:{here}/a/66.html",
        }
        if handler.path == "/robots.txt":
            return 404, {}, b""
        if handler.path in away:
            return 302, {"Location": away[handler.path]}, b""
        return 200, {}, LINKS if handler.path == "/list" else PAGE

    return answer


def test_all_goes_through_the_proxy_and_what_the_guard_refuses_does_not(ledger, redis_url, tmp_path):
    seen = []
    with Server("127.0.0.1", site_answer(seen, lambda: site.port)) as site, Proxy() as proxy:
        here, allow = f"news.test:{site.port}", f"'127.0.0.1:{site.port}', '127.0.0.1:{proxy.port}'"
        more = f"retries: 0\nproxy: http://reader:${{PW}}@proxy.test:{proxy.port}"
        run = run_section(tmp_path, redis_url, NAMES, f"http://{here}", allow=allow, more=more, PW="pass word")
    assert run.begun == {("127.0.0.1", proxy.port)}
    assert {target for _, target, _ in proxy.targets} == {here}
    assert {said for _, _, said in proxy.targets} == {LOGIN}
    assert not any("proxy-authorization" in headers for headers in seen)
    reasons = {number: ledger.state_of(f"http://{here}/a/{number}.html") for number in range(1, 7)}
    assert [reasons[1][0], reasons[6][0]] == ["fetched", "fetched"]
    assert [reasons[number][0] for number in (2, 3, 4, 5)] == ["failed"] * 4
    assert "127.0.0.2 is not public" in reasons[2][1]
    assert "127.0.0.2 is not public" in reasons[3][1], "one private address is enough: the proxy chooses"
    assert reasons[4][1] == "write the IP address as 192.0.2.1"
    assert "is not public" in reasons[5][1]
    assert "pass" not in run.said


def test_https_goes_through_a_tunnel(ledger, redis_url, tmp_path):
    seen = []
    with Server("127.0.0.1", site_answer(seen, lambda: site.port, "https")) as site, Proxy() as proxy:
        site.socket = own_authority(tmp_path)[1].wrap_socket(site.socket, server_side=True)
        here, allow = f"https://news.test:{site.port}", f"'127.0.0.1:{site.port}', 'proxy.test:{proxy.port}'"
        more = f"retries: 0\nproxy: http://reader:pass%20word@proxy.test:{proxy.port}"
        run = run_section(tmp_path, redis_url, NAMES, here, allow=allow, more=more)
        assert ledger.state_of(f"https://news.test:{site.port}/a/66.html") is None
        assert ledger.state_of(f"https://news.test:{site.port}/a/6.html")[0] == "fetched"
    assert run.begun == {("127.0.0.1", proxy.port)}
    assert set(proxy.targets) == {("CONNECT", f"news.test:{site.port}", LOGIN)}
    assert seen
    assert not any("proxy-authorization" in headers for headers in seen)


def run_behind(port, folder, redis_url, allow, scheme="http", robots="true"):
    """A run on a site that is nowhere, behind the proxy at `port`."""
    more = f"retries: 0\nrobots: {robots}\nproxy: http://proxy.test:{port}"
    return run_section(folder, redis_url, NAMES, f"{scheme}://news.test:9", allow=allow, more=more)


def test_a_private_proxy_has_to_be_listed(connection, redis_url, tmp_path):
    with Proxy() as proxy:
        run = run_behind(proxy.port, tmp_path, redis_url, "news.test")
    assert (run.code, run.begun, proxy.targets) == (1, set(), [])
    assert any(
        "proxy 127.0.0.1 is not public; if it is yours, list its host" in said for said in run.report["problems"]
    )


def test_a_proxy_that_requires_authentication_is_reported(connection, redis_url, tmp_path):
    with Proxy("407 Proxy Authentication Required") as proxy:
        run = run_behind(proxy.port, tmp_path, redis_url, "127.0.0.1, news.test", "https", robots="false")
    assert any("http 407: proxy requires authentication" in said for said in run.report["problems"])
