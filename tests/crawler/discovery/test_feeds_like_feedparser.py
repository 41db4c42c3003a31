"""Our feeds beside feedparser's, on forms of our own: the same addresses, titles and times. Departures come last."""

import html
import re
from calendar import timegm
from datetime import UTC, datetime

import feedparser
import pytest

from crawler.discovery.listings import read_listing

URL = "http://site.example/feeds/news.xml"
NAMESPACES = (
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" '
    'xmlns:feedburner="http://rssnamespace.org/feedburner/ext/1.0" xmlns:dcterms="http://purl.org/dc/terms/"'
)
LINK = "<link>http://site.example/a/1</link>"
TITLE = "<title>The ferry</title>"

Entry = tuple[str, str, datetime | None]


def ours(body: bytes, content_type: str = "text/xml") -> list[Entry]:
    feed = read_listing(body, URL, content_type)
    assert feed.form == "feed"
    return [(entry.url, entry.text, to_the_second(entry.published)) for entry in feed.links]


def to_the_second(published: datetime | None) -> datetime | None:
    """A time as feedparser keeps it."""
    return published and published.replace(microsecond=0)


def feedparsers(body: bytes, content_type: str = "text/xml") -> list[Entry]:
    """What feedparser reads, in our form: titles as plain text, times in UTC."""
    read = feedparser.parse(body, response_headers={"content-location": URL, "content-type": content_type})
    return [(entry.link, plain(entry.get("title", "")), moment(entry)) for entry in read.entries]


def plain(title: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", "", title)).split())


def moment(entry: feedparser.FeedParserDict) -> datetime | None:
    for name in ("published_parsed", "created_parsed", "updated_parsed"):
        # Asked for as an item: an attribute or `get` of a missing "updated" would give "published" with a warning.
        if dict.get(entry, name):
            return datetime.fromtimestamp(timegm(dict.__getitem__(entry, name)), UTC)
    return None


def rss(items: str, version: str = "2.0", attributes: str = "", channel: str = "") -> bytes:
    head = f"<title>The Messenger</title><link>http://site.example/</link>{channel}"
    return (
        f'<?xml version="1.0" encoding="utf-8"?><rss version="{version}" {NAMESPACES} {attributes}>'
        f"<channel>{head}{items}</channel></rss>"
    ).encode()


def item(inner: str) -> bytes:
    return rss(f"<item>{inner}</item>")


def dated(element: str) -> bytes:
    return item(TITLE + LINK + element)


def rdf(items: str) -> bytes:
    return (
        f'<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        f'xmlns="http://purl.org/rss/1.0/" {NAMESPACES}><channel rdf:about="http://site.example/">'
        f"<title>The Messenger</title><link>http://site.example/</link></channel>{items}</rdf:RDF>"
    ).encode()


def atom(entries: str, attributes: str = "") -> bytes:
    return (
        f'<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" {attributes}>'
        f'<title>The Messenger</title><link href="http://site.example/"/>{entries}</feed>'
    ).encode()


def entry(inner: str, attributes: str = "") -> bytes:
    return atom(f"<entry {attributes}><title>The ferry</title>{inner}</entry>")


HREF = '<link href="http://site.example/a/1"/>'
KINDS = {
    "RSS 0.91 with its DTD": b'<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" '
    b'"http://site.example/rss-0.91.dtd"><rss version="0.91"><channel><title>M</title><item><title>The ferry</title>'
    b"<link>http://site.example/a/1</link></item></channel></rss>",
    "RSS 1.0": rdf(
        '<item rdf:about="http://site.example/a/1"><title>The ferry</title><link>http://site.example/a/1</link>'
        '<dc:date>2024-03-05T08:30:00+08:00</dc:date></item><item rdf:about="http://site.example/a/2">'
        "<title>The clock</title><link>http://site.example/a/2</link></item>"
    ),
    "RSS 2.0": rss(
        f"<item>{TITLE}{LINK}<pubDate>Tue, 05 Mar 2024 08:30:00 +0800</pubDate><guid>http://site.example/a/1</guid></item>"
        "<item><title>The clock</title><link>http://site.example/a/2</link></item>"
    ),
    "Atom 1.0": atom(
        f"<entry><id>urn:1</id><title>The ferry</title>{HREF}<updated>2024-03-05T08:30:00Z</updated></entry>"
        '<entry><id>urn:2</id><title>The clock</title><link rel="alternate" href="http://site.example/a/2"/>'
        "<published>2024-03-04T08:30:00Z</published><updated>2024-03-05T08:30:00Z</updated></entry>"
    ),
    "Atom 0.3": b'<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>M</title><entry><title>The ferry</title>'
    b'<link rel="alternate" type="text/html" href="http://site.example/a/1"/><issued>2024-03-05T08:30:00Z</issued>'
    b"<modified>2024-03-06T08:30:00Z</modified></entry></feed>",
    "no entries": rss(""),
    "Chinese in GBK": '<?xml version="1.0" encoding="gbk"?><rss version="2.0"><channel><item><title>渡轮停航</title>'
    "<link>http://site.example/a/1</link></item></channel></rss>".encode("gbk"),
    "UTF-16": '<?xml version="1.0" encoding="utf-16"?><rss version="2.0"><channel><item><title>渡轮</title>'
    "<link>http://site.example/a/1</link></item></channel></rss>".encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + item(TITLE + LINK),
}
DATES = {
    "RFC 822": dated("<pubDate>Tue, 05 Mar 2024 08:30:00 +0800</pubDate>"),
    "pubDate after dc:date": dated("<dc:date>2024-03-04</dc:date><pubDate>Tue, 05 Mar 2024 08:30:00 GMT</pubDate>"),
    "W3C-DTF, a day": dated("<dc:date>2024-03-05</dc:date>"),
    "Atom, published before updated": entry(
        f"{HREF}<updated>2024-03-06T00:00:00Z</updated><published>2024-03-05T00:00:00Z</published>"
    ),
}
LINKS = {
    "relative, of RSS": item(f"{TITLE}<link>../a/1.html</link>"),
    "with a bare &": item(f"{TITLE}<link>http://site.example/a?id=1&page=2</link>"),
    "xml:base of the feed": atom(
        '<entry><title>The ferry</title><link href="a/1"/></entry>', 'xml:base="http://site.example/town/"'
    ),
    "xml:base of the link": entry('<link xml:base="http://site.example/quay/" href="1"/>'),
    "xml:base, one in the other": atom(
        '<entry xml:base="harbour/"><title>The ferry</title><link href="1"/></entry>',
        'xml:base="http://site.example/t/"',
    ),
    "xml:base of RSS": rss(
        f"<item>{TITLE}<link>1.html</link></item>", attributes='xml:base="http://site.example/rss/"'
    ),
    "Atom, alternate after others": entry(
        '<link rel="self" href="http://site.example/self"/><link rel="edit" href="http://site.example/edit"/>'
        '<link rel="alternate" href="http://site.example/a/1"/>'
    ),
    "Atom, the source of an entry": entry(
        '<source><title>S</title><link href="http://s.example/"/><updated>2020-01-01T00:00:00Z</updated></source>'
        '<link href="/a/1"/><updated>2024-01-01T00:00:00Z</updated>'
    ),
}
TEXTS = {
    "CDATA": item(f"<title><![CDATA[Ferry & clock: <em>both</em>]]></title>{LINK}"),
    "marks in a title": item(f"<title>The &lt;b&gt;ferry&lt;/b&gt;</title>{LINK}"),
    "names of HTML": item(f"<title>Caf&eacute;&nbsp;&mdash;&nbsp;open</title>{LINK}"),
    "content:encoded": item(
        f"{TITLE}{LINK}<content:encoded><![CDATA[<title>Other</title><p>See <a href='http://site.example/b'>b</a>."
        "</p><link>http://site.example/c</link>]]></content:encoded>"
    ),
    "Atom, html": atom(f'<entry><title type="html">The &lt;i&gt;ferry&lt;/i&gt; &amp;amp; clock</title>{HREF}</entry>'),
    "Atom, xhtml": atom(
        '<entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">The <i>ferry</i></div></title>'
        f"{HREF}</entry>"
    ),
    "image and textinput of the channel": rss(
        f"<item>{TITLE}{LINK}</item>",
        channel="<image><title>Logo</title><link>http://site.example/logo</link><url>http://site.example/l.png</url></image>"
        "<textInput><title>Search</title><link>http://site.example/search</link></textInput>",
    ),
}
FORMS = {
    f"{group}: {name}": body
    for group, forms in (("kinds", KINDS), ("dates", DATES), ("links", LINKS), ("texts", TEXTS))
    for name, body in forms.items()
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_entries(form):
    assert ours(FORMS[form]) == feedparsers(FORMS[form])


# Departures, each with its reason


def test_ours_takes_the_original_link_of_a_feed_that_counts_clicks():
    body = item(f"{TITLE}{LINK}<feedburner:origLink>http://site.example/original</feedburner:origLink>")
    assert [url for url, *_ in ours(body)] == ["http://site.example/original"]
    assert [url for url, *_ in feedparsers(body)] == ["http://site.example/a/1"]


def test_ours_leaves_entries_without_a_link_out_and_names_each_url_once():
    body = rss(f"<item>{TITLE}</item><item>{TITLE}{LINK}</item><item><title>The same</title>{LINK}</item>")
    assert [url for url, *_ in ours(body)] == ["http://site.example/a/1"]
    assert len(feedparser.parse(body).entries) == 3


def test_ours_takes_the_first_of_two_links():
    body = item(f"{TITLE}{LINK}<link>http://site.example/a/2</link>")
    assert [url for url, *_ in ours(body)] == ["http://site.example/a/1"]
    assert [url for url, *_ in feedparsers(body)] == ["http://site.example/a/2"]


def test_ours_reads_a_feed_that_breaks_off():
    body = rss(f"<item>{TITLE}{LINK}</item><item><title>The clock</ti")
    assert ours(body[: body.rindex(b"</ti")]) == [("http://site.example/a/1", "The ferry", None)]
