"""robots.txt by RFC 9309: a table written from its text, and what a crawl makes of each kind of answer."""

import asyncio

import pytest

from crawler.gates.context import FetchContext
from crawler.gates.host_rules import TdmMiddleware
from crawler.politeness.host_files import HostFile, HostFiles
from crawler.politeness.robots import ALLOWS_ALL, KEPT, KEPT_SHORT, PARSED, Unreachable, of_answer, parse
from evaluation.sample_site import truth
from tests.crawler.gates.crawls import crawl as crawl_of
from tests.crawler.spiders import LEAST_GAP, asked_for, crawl, gaps, states, write_tasks
from workers import keys
from workers.ledger import Ledger
from workers.url_states import Found

PLAIN = {"Content-Type": "text/plain"}
SITE = "https://www.example.com"
SIMPLE = """User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""
FOR_FOOBOT = "User-agent: foobot\nDisallow: /x\n"
LONGEST = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"


def forbidding(path):
    return f"User-agent: *\nDisallow: {path}\n"


def row(section, what, body, url, allowed, product="foobot"):
    return pytest.param(body, url, allowed, product, id=f"{section} {what}")


TABLE = [
    # 2.1 groups
    row("2.1", "a user-agent line ends the group", "User-agent: a\nDisallow: /x\nUser-agent: foobot\n", "/x", True),
    row("2.1", "end of file without end of line", "User-agent: *\nDisallow: /x", "/x", False),
    # 2.2 formal syntax: line ends, white space, byte order mark
    row("2.2", "CR alone", "User-agent: *\rDisallow: /x\r", "/x", False),
    row("2.2", "no other line ends", "User-agent: *\nDisallow: /x\u2028y\n", "/x", True),
    row("2.2", "white space around all parts", " \tUser-agent \t: \t* \n  Disallow\t:\t/x\t \n", "/x", False),
    row("2.2", "keys in any case", "USER-AGENT: *\nDISALLOW: /x\nAllow: /x/y", "/x", False),
    row("2.2", "a line without a colon is no rule", "User-agent: *\nDisallow /x\n", "/x", True),
    row("2.2", "byte order mark", "\ufeffUser-agent: *\nDisallow: /x\n", "/x", False),
    row("2.2", "empty path", "User-agent: *\nDisallow:\n", "/x", True),
    row("2.2", "an empty path ends names", "User-agent: foobot\nDisallow:\nUser-agent: b\nDisallow: /", "/x", True),
    # 2.2.1 the user-agent line
    row("2.2.1", "names in any case", "User-agent: FooBot\nDisallow: /x\n", "/x", False),
    row("2.2.1", "rules of a later group count", SIMPLE + "User-agent: quxbot\nDisallow: /y\n", "/y", False, "quxbot"),
    row("2.2.1", "* not, wherever it stands", "User-agent: foobot\nAllow: /a\nUser-agent: *\nDisallow: /", "/x", True),
    row("2.2.1", "groups of a name are one", LONGEST + "User-agent: b\nDisallow: /\n" + FOR_FOOBOT, "/x", False),
    row("2.2.1", "a name that ours begins with", "User-agent: foo\nDisallow: /\n", "/x", True),
    row("2.2.1", "a name that begins with ours", "User-agent: foobot-news\nDisallow: /\n", "/x", True),
    row("2.2.1", "a name with a version", "User-agent: foobot/2.1\nDisallow: /\n", "/x", False),
    row("2.2.1", "a name before others", "User-agent: foobot News;2\nDisallow: /\n", "/x", False),
    row("2.2.1", "a name with digits", "User-agent: foo2 Bar\nDisallow: /\n", "/x", False, "foo2"),
    # 2.2.2 allow and disallow
    row("2.2.2", "paths are case sensitive", forbidding("/X"), "/x", True),
    row("2.2.2", "from the first octet", forbidding("/x"), "/a/x", True),
    row("2.2.2", "the whole path is needed", forbidding("/x/"), "/x", True),
    row("2.2.2", "most octets win, first", "User-agent: *\nAllow: /x/y\nDisallow: /x\n", "/x/y", True),
    row("2.2.2", "octets, not characters", "User-agent: *\nAllow: /*abc\nDisallow: /ツ\n", "/ツabc", False),
    row("2.2.2", "allow wins a tie", "User-agent: *\nDisallow: /x\nAllow: /x\n", "/x", True),
    row("2.2.2", "allow wins a tie of two spellings", "User-agent: *\nAllow: /%78\nDisallow: /x\n", "/x", True),
    row("2.2.2", "robots.txt itself", forbidding("/"), "/robots.txt", True),
    row("2.2.2", "a page of that name elsewhere", forbidding("/"), "/a/robots.txt", False),
    row("2.2.2", "a rule before any group", "Disallow: /\nUser-agent: *\nDisallow: /x\n", "/y", True),
    row("2.2.2", "the root page", forbidding("/"), "", False),
    # 2.2.2 the table of encodings
    row("2.2.2", "reserved, small hex digits", forbidding("/b?z=https%3a%2f%2ffoo"), "/b?z=https://foo", False),
    row("2.2.2", "reserved, raw = escaped", forbidding("/b?z=https://foo.bar"), "/b?z=https%3A%2F%2Ffoo.bar", False),
    row("2.2.2", "reserved in a path", forbidding("/a:b,c;d"), "/a%3Ab%2Cc%3Bd", False),
    row("2.2.2", "non-ASCII, raw = escaped", forbidding("/foo/bar/ツ"), "/foo/bar/%E3%83%84", False),
    row("2.2.2", "unreserved, rule escaped", forbidding("/foo/bar/%62%61%7A"), "/foo/bar/baz", False),
    row("2.2.2", "a slash as data is no delimiter", forbidding("/a/b"), "/a%2Fb", True),
    row("2.2.2", "a question mark as data is none", forbidding("/a?b"), "/a%3Fb", True),
    row("2.2.2", "a space", forbidding("/a b"), "/a%20b", False),
    row("2.2.2", "a stray percent sign", forbidding("/100%"), "/100%25", False),
    row("2.2.2", "not UTF-8 (GBK)", "User-agent: *\nDisallow: /新闻\n".encode("gbk"), "/%D0%C2%CE%C5", False),
    # 2.2.3 special characters
    row("2.2.3", "comment line", "# all\nUser-agent: * # us too\n#Disallow: /y\nDisallow: /x # why\n", "/x", False),
    row("2.2.3", "comment in line", "User-agent: *\nallow: / # comment in line\nDisallow: /#x\n", "/", True),
    row("2.2.3", "$ ends", forbidding("/this/path/exactly$"), "/this/path/exactly", False),
    row("2.2.3", "$ and more", forbidding("/this/path/exactly$"), "/this/path/exactly/not", True),
    row("2.2.3", "$ does not stand for itself", forbidding("/x$"), "/x$y", True),
    row("2.2.3", "*", forbidding("/this/*/exactly"), "/this/path/and/that/exactly", False),
    row("2.2.3", "* before $", forbidding("/*.php$"), "/a.php/b.php", False),
    row("2.2.3", "parts may not overlap", forbidding("/ab*ba$"), "/aba", True),
    row("2.2.3", "* into a query", forbidding("/*/print"), "/x?u=/a/print", False),
    row("2.2.3", "any query", forbidding("/*?"), "/x?y", False),
    row("2.2.3", "an empty query", forbidding("/*?"), "/x?", False),
    row("2.2.3", "* itself, escaped", forbidding("/path/file-with-a-%2A.html"), "/path/file-with-a-*.html", False),
    row("2.2.3", "$ itself, escaped", forbidding("/path/foo-%24"), "/path/foo-$", False),
    # 2.2.4 other records
    row("2.2.4", "Sitemap ends no group", "User-agent: *\nSitemap: /s\nDisallow: /x\n", "/x", False),
    row("2.2.4", "nor between names", "User-agent: foobot\nSitemap: /s\nUser-agent: b\nDisallow: /x\n", "/x", False),
    row("2.2.4", "nor Crawl-delay", "User-agent: foobot\nCrawl-delay: 1\nUser-agent: b\nDisallow: /x\n", "/x", False),
    row("2.2.4", "others only are a group", "User-agent: *\nDisallow: /\nUser-agent: foobot\nZ: 1\n", "/x", True),
    # 2.3.1.5 parsing errors
    row("2.3.1.5", "what can be read counts", "<html>\n:\n\0\nUser-agent: *\n???\nDisallow: /x\n", "/x", False),
    row("2.3.1.5", "broken UTF-8", b"\xff\xfe\nUser-agent: *\n# \xe3\x28\nDisallow: /x\n", "/x", False),
    row("2.3.1.5", "a page that is no robots.txt", "<!DOCTYPE html><p>User-agent: *<p>Disallow: /", "/x", True),
    # 2.5 limits
    row("2.5", "500 KiB are read", "#" * (500 * 1024 - 30) + "\n" + forbidding("/x"), "/x", False),
    row("2.5", "the rest is not", "#" * PARSED + "\n" + forbidding("/x"), "/x", True),
    row("2.5", "half a line is none", forbidding("/x").rjust(PARSED + 2, "#").replace("#U", "\nU"), "/y", True),
    # 5.1 the simple example
    row("5.1", "picture", SIMPLE, "/a/picture.gif", False, "anybot"),
    row("5.1", "foobot, page", SIMPLE, "/example/page.html", True),
    row("5.1", "bazbot", SIMPLE, "/example/page.html", False, "bazbot"),
    row("5.1", "quxbot", SIMPLE, "/example/page.html", True, "quxbot"),
    # 5.2 longest match
    row("5.2", "the longer rule", LONGEST, "/example/page/disallowed.gif", False),
]


@pytest.mark.parametrize(("body", "url", "allowed", "product"), TABLE)
def test_rfc_9309(body, url, allowed, product):
    octets = body if isinstance(body, bytes) else body.encode()
    assert parse(octets, product).allows(SITE + url) is allowed


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ("User-agent: *\nCrawl-delay: 2.5\n", 2.5),
        ("User-agent: foobot\nDisallow: /x\nCrawl-delay: 3 # seconds\nUser-agent: *\nCrawl-delay: 9\n", 3.0),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: slowbot\nCrawl-delay: 100\n", 1.0),
        ("User-agent: *\nCrawl-delay: 1\nUser-agent: *\nCrawl-delay: 4\n", 4.0),
        ("User-agent: *\nCrawl-delay: soon\nCrawl-delay: -1\nCrawl-delay: nan\nCrawl-delay: inf\n", None),
        ("Crawl-delay: 5\n", None),
    ],
)
def test_crawl_delay_is_that_of_the_names_above_it(body, seconds):
    assert parse(body.encode(), "foobot").crawl_delay == seconds


# 2.3.1 access results, 2.4 caching


@pytest.mark.parametrize("status", [200, 203, 206])
def test_2_3_1_1_a_success_is_parsed(status):
    robots, seconds = of_answer(status, forbidding("/x").encode(), "foobot")
    assert (robots.allows(SITE + "/x"), seconds) == (False, KEPT)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418, 429, 451, 499, 300, 304])
def test_2_3_1_3_unavailable_allows_all(status):
    assert of_answer(status, forbidding("/").encode(), "foobot")[0] == ALLOWS_ALL


@pytest.mark.parametrize("status", [500, 502, 503, 504, 599])
def test_2_3_1_4_unreachable_is_no_answer(status):
    assert of_answer(status, b"", "foobot") == (Unreachable(f"http {status}"), KEPT_SHORT)


def test_2_4_what_is_known_counts_for_a_day_and_what_passes_for_minutes():
    assert KEPT == 24 * 3600
    assert {status: of_answer(status, b"", "foobot")[1] for status in (200, 404, 429, 503)} == {
        200: KEPT, 404: KEPT, 429: KEPT_SHORT, 503: KEPT_SHORT,
    }  # fmt: skip
    now, asked = [0.0], []
    gate = TdmMiddleware(crawl_of(FetchContext(tdm=True, clock=lambda: now[0])))

    async def fetch(url):
        asked.append(url)
        return HostFile(404, b"")

    gate._fetch = fetch
    for now[0] in (0.0, KEPT - 1, KEPT):
        asyncio.run(gate.rules_of(f"{SITE}/x"))
        assert len(asked) == 1 + (now[0] == KEPT)


def test_a_file_that_another_spider_keeps_before_the_right_is_acquired_is_not_asked_for(connection, monkeypatch):
    gate = TdmMiddleware(crawl_of(FetchContext(tdm=True, connection=connection)))
    claim = HostFiles.claim

    def late_claim(files, host):
        files.put(host, HostFile(404, b""), 60)
        return claim(files, host)

    monkeypatch.setattr(HostFiles, "claim", late_claim)
    gate._fetch = None
    asyncio.run(gate.rules_of(f"{SITE}/x"))
    assert list(connection.scan_iter("*:asked")) == []  # the right is released


# A crawl, by the server's own log

ARTICLES = [article.path for article in truth("zh")]


def answer(site, status, headers=None, body=b""):
    site.override("/robots.txt", status=status, headers=headers or PLAIN, body=body)


def known_before(site, connection, paths):
    """Articles that an earlier run found, the example fetched and left out."""
    connection.hset(keys.of_task("zh-news", "walk"), "first", "done")
    ledger = Ledger(connection, "zh-news")
    ledger.add(Found(site.url + path) for path in paths)
    return ledger


def let_time_pass(connection):
    """What waits for a later try is due."""
    delayed = keys.of_task("zh-news", "delayed")
    connection.zadd(delayed, dict.fromkeys(connection.zrange(delayed, 0, -1), 0.0), xx=True)
    for host in connection.scan_iter(match="exemplar:host:*:pace"):  # an hour on, the 503s are forgotten
        connection.delete(host)


@pytest.mark.timeout(100)
def test_without_robots_txt_nothing_is_fetched_and_all_of_it_once_it_is_there(site, connection, redis_url, tmp_path):
    answer(site, 503)
    write_tasks(tmp_path, site.url, retries=0)
    found = 16
    ledger = known_before(site, connection, ARTICLES[:found])
    ended = crawl(tmp_path, redis_url)
    assert (ended.code, ended.report["fetched"], ended.report["failed"]) == (1, 0, 0), "an attempt was counted"
    assert any("robots.txt unavailable: http 503" in problem for problem in ended.report["problems"])
    assert states(connection) == {"seen": found, "waiting": found}
    assert "robots.txt unavailable: http 503" in {row["reason"] for row in ledger.open_urls("waiting")}
    let_time_pass(connection)
    assert asked_for(site, "/") == ["/robots.txt"] * 3
    site.restore("/robots.txt")
    assert crawl(tmp_path, redis_url).code == 0
    assert {ledger.state_of(site.url + path)[0] for path in ARTICLES} == {"fetched"}


def redirects(site, other, hops, body):
    """robots.txt leads to and fro between two hosts before it is there."""
    hosts = [site, other]
    paths = ["/robots.txt", *(f"/hop/{number}" for number in range(1, hops + 1))]
    for number in range(hops):
        target = hosts[(number + 1) % 2].url + paths[number + 1]
        hosts[number % 2].override(paths[number], status=301 + number % 2, headers={"Location": target}, body=b"")
    hosts[hops % 2].override(paths[hops], status=200, headers=PLAIN, body=body.encode())


@pytest.mark.parametrize(("hops", "obeyed"), [(5, True), (6, False)])
def test_five_redirects_are_followed_over_hosts_and_more_mean_no_rules(site, other, crawl_with, hops, obeyed):
    redirects(site, other, hops, forbidding("/zh/news/2"))
    crawl_with(limit=3)
    assert len(asked_for(site, "/hop") + asked_for(other, "/hop")) == 5
    assert (asked_for(site) == []) is obeyed
    assert asked_for(other, "/robots") == [], "rules are those of the host that was asked first"


def test_the_pace_holds_for_redirects_of_robots_txt(site, crawl_with):
    for number in range(3):
        path = "/robots.txt" if number == 0 else f"/hop/{number}"
        site.override(path, status=302, headers={"Location": f"/hop/{number + 1}"}, body=b"")
    crawl_with(delay=0.6, limit=1)
    assert asked_for(site, "/")[:4] == ["/robots.txt", "/hop/1", "/hop/2", "/hop/3"]
    assert min(gaps(site)) >= 0.6 * LEAST_GAP
