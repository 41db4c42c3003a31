"""Lists told apart by their content, whatever they are called or sent as."""

import gzip

import pytest

from crawler.discovery.listings import json_links, read_listing

URL = "http://site.example/news/"
ITEM = b"<item><link>/a/1</link></item>"
RSS = b"<rss><channel><link>/</link>" + ITEM + b"</channel></rss>"
URLSET = b"<urlset><url><loc>/a/1</loc></url></urlset>"
PAGE = b'<html><body><a href="/a/1">1</a></body></html>'


def urls(listing):
    return [link.url for link in listing.links]


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (RSS, "feed"),
        (RSS.replace(b"<link>/a/1", b"<description><![CDATA[<html><body>]]></description><link>/a/1"), "feed"),
        (URLSET, "sitemap"),
        (gzip.compress(URLSET, mtime=0), "sitemap"),
        (b"http://site.example/a/1\n", "sitemap"),
        (b'{"items": [{"url": "/a/1"}]}', "json"),
        (PAGE, "page"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html><a href='/a/1'>1</a><rss></html>", "page"),
        (b"<!doctype html><a href='/a/1'>about <code>&lt;rss&gt;</code></a>", "page"),
        (b"[<a href='/a/1'>1</a>]", "page"),
    ],
)
def test_the_content_tells_the_form(body, form):
    listing = read_listing(body, URL, "text/html")
    assert (listing.form, urls(listing)) == (form, ["http://site.example/a/1"])


def test_utf_16_is_told_apart_too():
    text = "<?xml version='1.0' encoding='utf-16'?>" + RSS.decode()
    assert read_listing(text.encode("utf-16"), URL).form == "feed"


@pytest.mark.parametrize("body", [b"", b" ", b"{", b"null", b"\x1f\x8b", b"\x00\xff", b"<", b"{}"])
def test_what_holds_no_links_has_none(body):
    assert urls(read_listing(body, URL)) == []


# JSON


def test_json_strings_hold_addresses_and_pieces_of_html():
    text = r"""{"data": {"list": [{"title": "A", "url": "a/1"}, {"title": "B", "href": "//site.example/a/2"}],
        "html": "<li><a href=\"\/a\/3\">C<\/a><\/li>"}, "text": "see a/9", "next_url": "?page=3", "total": 7}"""
    found = json_links(text, URL)
    assert [(link.url.removeprefix("http://site.example"), link.text, link.rel) for link in found.links] == [
        ("/news/a/1", "A", ""),
        ("/a/2", "B", ""),
        ("/a/3", "C", ""),
        ("/news/?page=3", "", "next"),
    ]


@pytest.mark.parametrize("text", ["", "{", '"text"', "1", "[" * 100_000, "<html>"])
def test_what_is_no_json_list_is_none(text):
    assert json_links(text, URL) is None


@pytest.mark.parametrize(
    ("header", "following"),
    [
        ('<?page=2>; rel="next"', ["http://site.example/news/?page=2"]),
        ("<?page=2>;rel=next, <?page=0>;rel=prev", ["http://site.example/news/?page=2"]),
        ('<?page=0>; rel=prev, <?page=2>; title="a"; REL="last next"', ["http://site.example/news/?page=2"]),
        ('<?page=2>; rel="prev"; rel="next"', []),
    ],
)  # fmt: skip
def test_a_link_header_is_read_in_every_spelling(header, following):
    assert read_listing(PAGE, URL, None, {"link": header}).next == following
