"""Sections with a feed, a sitemap, "load more" or all of them: what the spider asks for, by the server's own log."""

import hashlib
from typing import NamedTuple

import pytest

from tests.crawler.servers import Server
from tests.crawler.spiders import crawl, states, write_tasks

pytestmark = pytest.mark.timeout(90)


ARTICLE = "<html><title>{path}</title><h1>{path}</h1><p>{text}</p></html>"


class Asked(NamedTuple):
    """One request: its path, by which state it asked, and what was answered."""

    path: str
    state: str
    status: int


class Lists:
    """A site of lists: `pages[path]` is a body, any `/a/…` an article. `asked`: the requests."""

    def __init__(self):
        self.pages, self.asked = {}, []
        self.stateless = ""  # the path whose answers do not name their state

    def __call__(self, handler):
        state = handler.headers.get("If-None-Match", "")
        status, headers, body = self.answer(handler.path, state)
        self.asked.append(Asked(handler.path, state, status))
        return status, {"Content-Type": "text/html; charset=utf-8", **headers}, body

    def answer(self, path, state):
        """Status, headers and body for a request."""
        body = self.pages.get(path)
        if body is None and path.startswith("/a/"):
            body = ARTICLE.format(path=path, text=f"The text of {path}. " * 20)
        if body is None:
            return 404, {}, b"not here"
        body = body.encode() if isinstance(body, str) else body
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        headers = {} if path == self.stateless else {"ETag": etag}
        return (304, headers, b"") if state == etag else (200, headers, body)

    def lists(self):
        """The paths that were asked for, articles left out, in order."""
        return [asked.path for asked in self.asked if not asked.path.startswith("/a/")]


@pytest.fixture
def site():
    lists = Lists()
    with Server("127.0.0.1", lists) as server:
        lists.url = f"http://127.0.0.1:{server.port}"
        yield lists


@pytest.fixture
def run(site, connection, redis_url, tmp_path):
    """One run of the section; its report, and the lists that were asked for but robots.txt."""

    def run_from():
        keys = {"example": site.url + "/a/1.html", "pattern": site.url + "/a/{id}.html", "start": site.url + "/news/"}
        write_tasks(tmp_path, site.url, **keys)
        site.asked.clear()
        ended = crawl(tmp_path, redis_url)
        assert ended.said == ""
        return ended.report, [path for path in site.lists() if path != "/robots.txt"]

    return run_from


def articles(site):
    return sorted(int(asked.path[3:-5]) for asked in site.asked if asked.path.startswith("/a/"))


def links(*numbers):
    return "".join(f'<a href="/a/{n}.html">{n}</a>' for n in numbers)


def rss(*numbers):
    items = "".join(f"<item><link>/a/{n}.html</link></item>" for n in numbers)
    return f'<?xml version="1.0"?><rss><channel>{items}</channel></rss>'


def urlset(*numbers, days="2024-01-01"):
    said = (f"<url><loc>/a/{n}.html</loc><lastmod>{days}</lastmod></url>" for n in numbers)
    return f"<urlset>{''.join(said)}</urlset>"


def merged(site):
    feed = '<link rel="alternate" type="application/rss+xml" href="/rss">'
    site.pages["/news/"] = feed + links(1, 2, 3) + '<a href="/news/?page=2">2</a>'
    site.pages["/news/?page=2"] = links(3, 4)
    site.pages["/rss"] = rss(5, 3)
    site.pages["/sitemap.xml"] = urlset(1, 5, 6)


def test_all_that_a_section_has_is_merged_and_lists_that_did_not_change_are_not_read_again(site, run, connection):
    merged(site)
    site.stateless = "/rss"
    report, _ = run()
    assert articles(site) == [1, 2, 3, 4, 5, 6]
    assert (report["outcome"], report["problems"]) == ("finished", [])
    assert states(connection) == {"seen": 6, "fetched": 6}
    assert all(asked.state == "" for asked in site.asked), "nothing was known before"
    report, _ = run()
    looks = sorted((asked.path, asked.status) for asked in site.asked if asked.path != "/robots.txt")  # two at once
    assert looks == [("/news/", 304), ("/rss", 200), ("/sitemap.xml", 304)]
    assert (report["unchanged"], report["new"], report["outcome"]) == (3, 0, "finished")
    site.pages["/news/"] = site.pages["/news/"].replace(links(1), links(7, 1))
    report, _ = run()
    assert articles(site) == [7]
    assert {asked.path: asked.status for asked in site.asked}["/news/"] == 200
