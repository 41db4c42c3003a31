"""Feeds of all kinds, whole and broken, beside what `test_feeds_like_feedparser` compares."""

import pytest

from crawler.discovery.feeds import MOST_ENTRIES
from crawler.discovery.listings import read_listing

URL = "http://site.example/feeds/news.xml"
ATOM = 'xmlns="http://www.w3.org/2005/Atom"'


def rss(items):
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'.encode()


def item(inner):
    return rss(f"<item>{inner}</item>")


def urls(body):
    return [entry.url for entry in read_listing(body, URL).links]


def only(body):
    [entry] = read_listing(body, URL).links
    return entry


# Kinds


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"<html><a href='/rss'>rss</a></html>",
        b"{}",
        b"<urlset><url></url></urlset>",
        b"\x00\x01\x02",
        b"<x:rss></x:rss>",
    ],
)
def test_what_is_no_feed_is_another_list(body):
    assert read_listing(body, URL).form != "feed"


# Addresses


def test_a_guid_is_an_address_unless_it_says_it_is_none():
    guids = '<item><guid>http://site.example/a/1</guid></item><item><guid isPermaLink="false">http://site.example/a/2</guid></item>'
    assert urls(rss(guids + "<item><guid>urn:3</guid></item>")) == ["http://site.example/a/1"]


def test_where_a_feed_goes_on():
    links = '<link href="/"/><link rel="next" href="?p=2"/><link rel="prev-archive" href="/2023.xml"/>'
    feed = read_listing(f"<feed {ATOM}>{links}</feed>".encode(), URL)
    assert feed.next == ["http://site.example/feeds/news.xml?p=2", "http://site.example/2023.xml"]
    assert feed.home == "http://site.example/"


def test_of_two_alternate_links_the_page_counts():
    links = '<link type="application/pdf" href="/a.pdf"/><link type="text/html" href="/a/1"/>'
    assert urls(f"<feed {ATOM}><entry>{links}</entry></feed>".encode()) == ["http://site.example/a/1"]


# Bytes as they come


def test_a_servers_warnings_before_the_feed_are_skipped():
    assert urls(b"<br /><b>Warning</b>: it broke\n" + item("<link>/a</link>")) == ["http://site.example/a"]


# Hostile


def test_entities_are_not_expanded():
    lines = ['<!ENTITY a0 "aaaaaaaaaa">', *(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))]
    entry = "<item><title>&a11;</title><link>/a?x=&a11;</link></item>"
    body = f'<?xml version="1.0"?><!DOCTYPE rss [{"".join(lines)}]><rss><channel>{entry}</channel></rss>'
    assert len(only(body.encode()).text) < 50
    assert len(only(body.encode()).url) < 100


def test_external_entities_are_not_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    entry = "<item><title>&x;</title><link>/a</link></item>"
    body = f'<!DOCTYPE rss [<!ENTITY x SYSTEM "file://{secret}">]><rss><channel>{entry}</channel></rss>'
    assert "secret" not in only(body.encode()).text


def test_an_endless_feed_is_cut_and_says_so():
    feed = read_listing(rss("".join(f"<item><link>/a/{n}</link></item>" for n in range(MOST_ENTRIES + 1))), URL)
    assert (len(feed.links), feed.truncated) == (MOST_ENTRIES, True)


def test_half_a_character_costs_no_entry():
    body = rss("<item><title>a &#55357;&#56832;</title><link>/1</link></item><item><link>/2</link></item>")
    assert urls(body) == ["http://site.example/1", "http://site.example/2"]
    assert only(item("<title>a &#xD83D;b</title><link>/1</link>")).text == "a b"


def test_a_document_type_with_comments_and_quotes_is_skipped():
    doctype = "<!DOCTYPE rss SYSTEM 'a>b' [ <!-- <html>]> ' --> <!ENTITY a \"]>\"> ] >"
    assert only(f"{doctype}<rss><channel><item><link>/1</link></item></channel></rss>".encode()).url.endswith("/1")
