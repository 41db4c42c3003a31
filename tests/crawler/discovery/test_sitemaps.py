"""Sitemaps made by hand: their links and children, packed or not, and what robots.txt names."""

import gzip

import pytest

from crawler.discovery import sitemaps
from crawler.discovery.listings import read_listing
from crawler.discovery.sitemaps import sitemaps_of, unpacked

URL = "http://site.example/sitemap.xml"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
NEWS = 'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"'


def urlset(*entries):
    return f'<?xml version="1.0"?><urlset {NS} {NEWS}>{"".join(f"<url>{e}</url>" for e in entries)}</urlset>'.encode()


def urls(body):
    return [link.url for link in read_listing(body, URL).links]


def test_a_pictures_address_and_title_are_not_the_pages():
    picture = '<i:image xmlns:i="x"><i:loc>/a.png</i:loc><i:title>P</i:title></i:image>'
    assert urls(urlset(f"<loc>/a/1</loc>{picture}")) == ["http://site.example/a/1"]
    assert urls(urlset(f"{picture}<loc>/a/1</loc>")) == ["http://site.example/a/1"]


def test_plain_text_is_one_address_a_line():
    assert urls(b"\xef\xbb\xbfhttp://site.example/a\r\n\r\nhttp://site.example/b\nhttp://site.example/a") == [
        "http://site.example/a",
        "http://site.example/b",
    ]


@pytest.mark.parametrize(
    "body", [b"", b"<html></html>", b"Not found", b"http://site.example/a is gone", b"<rss/>", b"\x1f\x8b"]
)
def test_what_is_no_sitemap_is_none(body):
    assert read_listing(body, URL).form != "sitemap"


# Packed


def test_packed_by_its_content_also_twice():
    body = urlset("<loc>/a</loc>")
    assert urls(gzip.compress(body)) == urls(gzip.compress(gzip.compress(body))) == ["http://site.example/a"]
    assert urls(gzip.compress(body[:40]) + gzip.compress(body[40:])) == ["http://site.example/a"], "two members"


def test_a_broken_archive_gives_what_it_has():
    packed = gzip.compress(urlset(*[f"<loc>/a/{n * 7919 % 10007}</loc>" for n in range(500)]))
    read = read_listing(packed[: len(packed) // 2], URL)
    assert read.truncated
    assert 50 < len(read.links) < 500


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(sitemaps, "MOST_BYTES", 100_000)
    bomb = gzip.compress(b"<urlset>" + bytes(10**7))
    body, whole = unpacked(bomb)
    assert (len(body), whole) == (100_000, False)
    assert len(sitemaps._gunzipped(bomb)[0]) < 1_000_000


# Broken and hostile


def test_a_sitemap_that_breaks_off_gives_what_it_has():
    body = urlset("<loc>/a?x=1&amp;y=2</loc>", "<loc>/b?x=1&y=2</loc>", "<loc>/c</loc>")
    assert urls(body[: body.index(b"/c")])[:2] == ["http://site.example/a?x=1&y=2", "http://site.example/b?x=1&y=2"]


def test_a_large_sitemap_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr(sitemaps, "MOST_ENTRIES", 10)
    read = read_listing(urlset(*[f"<loc>/{n}</loc>" for n in range(20)]), URL)
    assert (len(read.links), read.truncated) == (10, True)


# robots.txt


def test_robots_txt_names_sitemaps_anywhere_in_any_case():
    robots = (
        b"Sitemap: http://site.example/a.xml\nUser-agent: *\r\nDisallow: /\r\n SITEMAP :/b.xml #b\n#Sitemap: /no.xml"
    )
    assert sitemaps_of(robots, "http://site.example/robots.txt") == [
        "http://site.example/a.xml",
        "http://site.example/b.xml",
    ]
