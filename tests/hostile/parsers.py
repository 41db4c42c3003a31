"""Every parser of what comes from outside, by name: a text in, its result out, and what must hold of the result."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial

from crawler.discovery.article_pages import further_pages
from crawler.discovery.feed_dates import moment_of
from crawler.discovery.links import PageLink, absolute, page_links
from crawler.discovery.listings import json_links, read_listing
from crawler.discovery.pagination import pagination, says_page, shape_of
from crawler.discovery.sitemaps import sitemaps_of
from crawler.gates import pace_gate
from crawler.politeness import robots
from crawler.politeness.host_files import parse_tdm
from extractors import Article, Listing, UnusablePage, extract
from extractors.html.decoding import decode
from extractors.html.urls import normalise, split_web
from extractors.metadata.dates import find_date, find_url_date
from extractors.render import render
from tests.clean_html import assert_clean
from workers.page_store import StoredPage
from workers.redaction import redact
from workers.usage_rights import directives_of

URL = "https://gazette.example/town/list_1.html"
FETCHED = datetime(2026, 11, 1, tzinfo=UTC)
PROSE = "".join(
    f"<p>The harbour was closed on day {n}, because the tide was high and the wind blew from the north.</p>"
    for n in range(6)
)
TITLE = "<html><head><title>Tides of the town</title></head><body><h1>Tides of the town</h1>"


def holds_commands(text: str) -> bool:
    """Whether a text has control characters other than white space, or halves of characters."""
    return any((c < " " and c not in "\t\n\r") or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" for c in text)


def check_urls(urls: Iterable[str]) -> None:
    """Each is an absolute http(s) URL in its one spelling, of printable ASCII but for its host."""
    for url in urls:
        assert split_web(url) is not None, url
        assert normalise(url) == url, url
        assert not holds_commands(url), url
        assert not set(url) & set(" \t\r\n\\"), url


def check_links(links: Iterable[PageLink]) -> None:
    """Their URLs are URLs, their texts short and printable."""
    for link in links:
        check_urls([link.url])
        assert not holds_commands(link.text), link
        assert len(link.text) <= 200, link
        assert link.published is None or link.published.tzinfo is not None, link


def check_time(moment: object) -> None:
    """A time of a feed is aware."""
    assert moment is None or (isinstance(moment, datetime) and moment.tzinfo is not None)


def octets(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def json_list(text: str) -> None:
    if found := json_links(text, URL):
        check_links(found.links)


def html_list(text: str) -> None:
    found = page_links(octets(text), URL)
    check_links(found.links)
    check_urls(found.feeds)
    check_urls(pagination(URL, found.links))


def listing(text: str) -> None:
    found = read_listing(octets(text), URL)
    check_links(found.links)
    check_urls([*found.next, *found.feeds, *filter(None, [found.home]), *(child.url for child in found.sitemaps)])


def link_header(text: str) -> None:
    check_urls(read_listing(b"<html>", URL, headers={"link": text}).next)


def content_type(text: str) -> None:
    assert isinstance(decode(b"\xe9t\xe9", text)[0], str)


def retry_after(text: str) -> None:
    seconds = pace_gate.retry_after(text, date=text, now=0.0)
    assert seconds is None or isinstance(seconds, float)


def robots_txt(text: str) -> None:
    rules = robots.parse(octets(text), "exemplar")
    assert rules.crawl_delay is None or rules.crawl_delay >= 0
    assert rules.allows(URL) in (True, False)
    assert rules.allows("https://gazette.example/robots.txt")
    check_urls(sitemaps_of(octets(text), URL))


def robots_path(text: str) -> None:
    rules = robots.parse(b"user-agent: *\ndisallow: /" + octets(text), "exemplar")
    assert rules.allows(URL + text[:500].strip().replace("#", "")) in (True, False)


def tdmrep(text: str) -> None:
    assert parse_tdm(octets(text)).reserves(URL) in (True, False, None)
    entries = json.dumps([{"location": text, "tdm-reservation": 1}])
    assert parse_tdm(octets(entries)).reserves(URL) in (True, False, None)


def date(text: str) -> None:
    for found in (find_date(text, FETCHED), find_date(text), find_url_date(URL + text, FETCHED)):
        assert found is None or 1990 <= found.year <= 2100
    check_time(moment_of(text))


def redaction(text: str) -> None:
    assert isinstance(redact(text), str)


def url(text: str) -> None:
    for reference in (text, "/" + text, "//" + text, f"https://{text}/", f"https://gazette.example/?{text}"):
        check_urls(filter(None, [absolute(URL, reference, "gb18030")]))
    assert normalise(normalise(text)) == normalise(text)


def robots_directives(text: str) -> None:
    assert all(len(directive) <= 200 for directive in directives_of(text, "exemplar"))


def pager(text: str) -> None:
    assert says_page(text) in (True, False)
    assert shape_of(URL + text.strip())


def article_pages(text: str) -> None:
    page = StoredPage(URL, octets(text), "text/html", FETCHED)
    check_urls(further_pages("https://gazette.example/town/1.html", page).values())


def encoding(text: str) -> None:
    for name in ("gb18030", "big5", "euc-jp", "iso-2022-jp", "windows-1250"):
        assert isinstance(decode(text.encode("latin-1", "replace"), f"text/html; charset={name}")[0], str)
    assert isinstance(decode(text.encode("latin-1", "replace"))[0], str)


def article(text: str, method: str = "density") -> None:
    try:
        found = extract(text, URL, method=method, fetched_at=FETCHED, refuse="never")
    except UnusablePage:
        return
    if isinstance(found, Article | Listing):
        row = found.to_dict()
        for name in ("text", "title", "author", "source", "description", "site_name", "language"):
            assert not holds_commands(row.get(name) or ""), name
        assert not any(holds_commands(block.text) for block in found.blocks)
        json.dumps(row, ensure_ascii=False).encode()
    if isinstance(found, Article):
        assert_clean(found.html)
        assert isinstance(render(found, "markdown"), str)


def in_head(text: str) -> None:
    article("<html><head>" + text + "</head>" + TITLE + PROSE)


def in_attributes(text: str) -> None:
    value = text.replace('"', "")
    article(
        f'<meta name=author content="{value}"><meta name=pubdate content="{value}"><title>{text}</title>'
        f'<div class="{value}" style="{value}">{PROSE}<a href="{value}">tide</a><img alt="{value}" src=/a></div>'
    )


def in_data(text: str) -> None:
    article(
        f'<title>Tides of the town</title><script type="application/ld+json">{{"@type":"Article",{text}</script>'
        f"<script>window.__STATE__={text}</script><script type=application/json>{text}</script>"
    )


def in_body(text: str, method: str = "density") -> None:
    article(TITLE + PROSE + text, method)


Parser = Callable[[str], None]
# With what may stand in front of hostile text, so that it comes to the parser's inner parts
PARSERS: dict[str, tuple[Parser, tuple[str, ...]]] = {
    "feed": (
        listing,
        ("", "<rss><channel><item><title>", "<!DOCTYPE rss [<rss ", "<rss><channel><item><link>/1</link>"),
    ),
    "sitemap": (listing, ("", "<urlset><url><loc>", "<!DOCTYPE urlset [", "<urlset><url><loc>/1</loc><lastmod>")),
    "json list": (json_list, ("", '[{"next": "', "[")),
    "html list": (html_list, ("", '<a href="', '<a onclick="', "<ul><li>")),
    "listing": (listing, ("", "{", "http://", "<rss>")),
    "Link": (link_header, ("", "<a>;rel=", "<a>;", '<a>;rel="a ')),
    "Content-Type": (content_type, ("", "text/html;charset=", "text/html;charset")),
    "Retry-After": (retry_after, ("", "Fri, ", "Fri, 05 Feb 2027 10:00:00 ")),
    "robots.txt": (robots_txt, ("", "user-agent: *\ndisallow: /", "user-agent: ", "sitemap: ")),
    "robots.txt path": (robots_path, ("", "*a")),
    "tdmrep": (tdmrep, ("", "[")),
    "date": (date, ("", "2024-03-05 10:30 ", "昨日 ", "二〇二四年")),
    "redact": (redaction, ("", "http://", "token=", "cookie: ")),
    "url": (url, ("",)),
    "X-Robots-Tag": (robots_directives, ("", "noindex, ", "unavailable_after: ")),
    "pager": (pager, ("", ">", "1", "第 ")),
    "article pages": (article_pages, ("", "<a href=1_", "?")),
    "encoding": (encoding, ("", "<meta charset", "\xe9\xff", "<?xml ")),
    "article body": (in_body, ("", "<p>", "<table>")),
    "article head": (in_head, ("", "<script>")),
    "article attributes": (in_attributes, ("",)),
    "article data": (in_data, ("", '"articleBody":"', '{"a":[')),
    "article source": (partial(in_body, method="line-blocks"), ("", "<p>")),
    "list entries": (partial(in_body, method="list-rank"), ("", "<ul><li><a href=/1>x</a>")),
}
