"""A section whose pages name private addresses wherever a page can name one: nothing of it is contacted."""

from collections import Counter
from typing import NamedTuple

import pytest
import redis

from tests.crawler.addresses import NAMES
from tests.crawler.servers import Section, Server, here, run_section
from workers.ledger import Ledger

pytestmark = pytest.mark.timeout(60)

HOSTS = ["127.0.0.2", "localtest.test", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:7f00:1]", "017700000001",
         "①②⑦.0.0.1", "127。0。0。1", "metadata.google.internal", "169.254.169.254", "[fd00:ec2::254]"]  # fmt: skip
TEXT = "<p>" + "The harbour was quiet. " * 40
LISTED = 5  # articles of the allowed site


class Ran(NamedTuple):
    section: Section
    allowed: tuple[str, int]
    touched: int
    states: dict[str, tuple[str, str] | None]
    asked: Counter[str]


def page(number, trap):
    """An article that names a private page as its canonical one, next part, frame, picture and style."""
    return (
        f'<html><head><link rel="canonical" href="{trap}/a/{number}.html"><link rel="next" href="{trap}/a/2.html">'
        f'<link rel="stylesheet" href="{trap}/style.css"></head><body><h1>Article {number}</h1>'
        f'<img src="{trap}/a.png"><iframe src="{trap}/frame"></iframe>{TEXT}<a href="{trap}/a/{number}_2.html">2</a>'
    )


@pytest.fixture(scope="module")
def ran(redis_url, tmp_path_factory):
    asked = Counter()

    def answer(handler):
        asked[handler.path] += 1
        links = [f"/a/{number}.html" for number in range(1, LISTED + 1)] + traps
        bodies = {
            "/list": "".join(f'<p><a href="{link}">An article of the harbour</a></p>' for link in links)
            + f'<a rel="next" href="{trap}/list?page=2">next</a>',
            "/sitemap.xml": f"<urlset><url><loc>{trap}/a/921.html</loc></url></urlset>",
            "/a/5.html": f'<meta http-equiv="refresh" content="0; url={trap}/a/5.html">',
        }
        if handler.path == "/robots.txt":
            return 200, {"Content-Type": "text/plain"}, f"User-agent: *\nAllow: /\nSitemap: {trap}/map.xml\n".encode()
        if handler.path == "/a/4.html":
            return 302, {"Location": f"{trap}/a/4.html"}, b""
        return 200, {}, bodies.get(handler.path, page(handler.path[3:-5], trap)).encode()

    with (
        Server("::", here) as listener,
        Server("127.0.0.1", answer) as site,
        redis.Redis.from_url(redis_url) as connection,
    ):
        connection.flushall()
        trap, base = f"http://127.0.0.2:{listener.port}", f"http://127.0.0.1:{site.port}"
        traps = [f"http://{host}:{listener.port}/a/{800 + n}.html" for n, host in enumerate(HOSTS)]
        traps.append("http://127.0.0.1:99999/a/899.html")
        more = f"""
            pattern: 're:https?://[^/]+/a/\\d+\\.html'
            start: ['{base}/list', '{base}/sitemap.xml', '{trap}/list', 'http://[::1]:{listener.port}/list']
            retries: 0
        """
        folder, allow = tmp_path_factory.mktemp("ran"), f"'127.0.0.1:{site.port}'"
        section = run_section(folder, redis_url, NAMES, base, allow=allow, more=more)
        ledger = Ledger(connection, "news")
        urls = [f"{base}/a/{number}.html" for number in range(1, LISTED + 1)] + [
            f"http://{host}:{listener.port}/a/{800 + n}.html" for n, host in enumerate(HOSTS) if host.isascii()
        ]
        urls.append(f"{trap}/a/921.html")  # of the sitemap
        states = {url.removeprefix(base): ledger.state_of(url) for url in urls}
        return Ran(section, ("127.0.0.1", site.port), listener.touched, states, asked)


def test_nothing_but_the_listed_site_is_connected_to(ran):
    assert ran.touched == 0
    assert ran.section.begun == {ran.allowed}


def test_the_sites_own_articles_are_fetched_once(ran):
    assert [ran.states[f"/a/{number}.html"] for number in (1, 2, 3)] == [("fetched", "")] * 3
    assert all(ran.asked[f"/a/{number}.html"] == 1 for number in range(1, LISTED + 1))


def test_redirects_to_private_addresses_fail_with_the_address(ran):
    for number in (4, 5):
        state, reason = ran.states[f"/a/{number}.html"]
        assert (state, reason.startswith("address 127.0.0.2 is not public")) == ("failed", True)


def test_links_to_private_addresses_fail_with_the_address(ran):
    trapped = {url: said for url, said in ran.states.items() if url.startswith("http")}
    assert len(trapped) > 10
    for state, reason in trapped.values():
        assert (state, "is not public" in reason) == ("failed", True)


def test_a_private_example_is_said_and_not_fetched(connection, redis_url, tmp_path):
    with Server("::", here) as listener:
        run = run_section(tmp_path, redis_url, NAMES, f"http://localtest.test:{listener.port}", allow="")
        assert listener.touched == 0
    assert run.begun == set()
    assert "127.0.0.1 is not public" in run.report["problems"][0]
