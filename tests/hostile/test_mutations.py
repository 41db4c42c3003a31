"""Every parser on mutated forms of our own: no exception, no long wait, and what it returns is what it promises.

The mutations are seeded by the parser's name, so each run tries the same ones; `EXEMPLAR_FUZZ_SECONDS` makes a run
longer and takes a new seed, which a failure names.
"""

import os
import random
import time

import pytest

from tests.hostile.forms import PIECES
from tests.hostile.parsers import PARSERS
from tests.samples import sample

SECONDS = float(os.environ.get("EXEMPLAR_FUZZ_SECONDS", "0"))
ROUNDS = sample(50, 200)  # of each parser, if no time is given
LONGEST = 1.0  # seconds of CPU time for one text of a few thousand characters
MOST_CHARACTERS = 4_000

RSS = """<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "b">]>
<rss version="2.0" xml:base="https://gazette.example/"><channel><title>Gazette</title>
<link>https://gazette.example/</link><item><title>Tide &amp;amp; wind</title><link>/town/1.html?a=1&b=2</link>
<guid isPermaLink='false'>7</guid><pubDate>Fri, 05 Feb 2027 10:00:00 +08:00</pubDate></item>
<item><title><![CDATA[<b>x</b> &#55357;&#56832;]]></title><guid>https://gazette.example/2</guid></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link rel="next" href="?page=2"/><entry>
<title type="html">A</title><link href="/3"/><updated>2027-02-05T10:00:00Z</updated>
<id>tag:gazette.example,2027:3</id></entry></feed>"""
JSON_FEED = r"""{"version": "https://jsonfeed.org/version/1.1", "home_page_url": "/", "next_url": "/feed2",
"items": [{"id": "1", "url": "/1", "title": "a\ud83d", "date_published": "2027-02-05T10:00:00+08:00"}]}"""
SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="n"><url>
<loc>https://gazette.example/1</loc><lastmod>2027-02</lastmod><news:news>
<news:publication_date>2027-02-05</news:publication_date><news:title>Tide</news:title></news:news></url></urlset>"""
INDEX = """<sitemapindex><sitemap><loc>/a.xml.gz</loc><lastmod>2027-02-05T10:00+08:00</lastmod></sitemap>
</sitemapindex>"""
LIST = r"""<meta charset=gbk><base href=/town/><ul><li><a href='1.html?q=中'>Tide</a>
<li><a href='\town\2.html'>x</a></ul><a rel=next href=list_2.html>下一页</a>
<button onclick="location.href='/list_3.html'" data-next='?page=2'>more</button>
<link rel=alternate type='application/rss+xml' href=/feed>"""
JSON_LIST = r"""{"next": "?page=2", "items": [{"url": "/1", "title": "Tide"}, {"html": "<a href=\"/2\">x</a>"}]}"""
ROBOTS = """User-agent: Exemplar Bot/1.0
Disallow: /a*b$
Allow: /\xe9?x=%2f
Crawl-delay: 2
Sitemap: /sitemap.xml

User-agent: *
Disallow: /private # secret
"""
SECRETS = "https://me:pass@gazette.example/?api_key=1&b=2 Authorization: Bearer abc password='x y' token=${TOKEN}"
PAGE = r"""<html lang=en><head><meta charset=utf-8><title>Tides of the town - Gazette</title>
<meta name=author content='A B'><script type='application/ld+json'>{"@type": "NewsArticle",
"datePublished": "2026-02-05T10:00:00+08:00", "headline": "Tides", "author": {"name": "A\u001b[2J"}}</script></head>
<body><h1>Tides of the town</h1><p class=byline>By A B, Feb 5, 2026 10:00 am</p>
<p>The harbour was closed, because the tide was high.</p><table><tr><td>1<td>2</table><pre>a
 b</pre><img src=/a.png alt=x><p>第二天，港口重新开放。<a href='/2'>more</a></p></body></html>"""
SEEDS: dict[str, tuple[str, ...]] = {
    "feed": (RSS, ATOM, JSON_FEED),
    "sitemap": (SITEMAP, INDEX, "https://gazette.example/1\nhttps://gazette.example/2\n"),
    "json list": (JSON_LIST,),
    "html list": (LIST,),
    "listing": (RSS, SITEMAP, JSON_LIST, LIST),
    "Link": ('</town/?page=2>; rel="next last"; title="a, b", <https://gazette.example/1>; rel=prev',),
    "Content-Type": ('text/html; charset="GB2312"', "application/xml;charset=utf-16"),
    "Retry-After": ("120", "Fri, 05 Feb 2027 10:00:00 GMT", "Friday, 05-Feb-27 10:00:00 GMT", "1.5"),
    "robots.txt": (ROBOTS,),
    "tdmrep": ('[{"location": "/town/*$", "tdm-reservation": 1, "tdm-policy": "https://gazette.example/p"}]',),
    "date": (
        "2024-03-05T08:30:00+08:00",
        "Fri, 05 Feb 2027 10:00:00 +08:00",
        "Tue Feb 05 2026 10:00:00 GMT+0800 (CST)",
        "2026年 2月 5日 10:20",
        "二〇二四年三月五日 下午3时20分",
        "２０２４年３月５日",
        "昨日 10:20",
        "July 5, 2025 8:30 pm PT",
        "3 hours ago",
        "1709598600",
        "20240305083000Z",
        "5. März 2024",
        "05/13/2024",
    ),
    "redact": (SECRETS,),
    "url": (
        "HTTP://me@straße.example:80/a/../b%7e?utm_source=x&q=é#top",
        "\\\\gazette.example\\news\\1.html",
        "//[::1]:8080/",
        "/town/?q=中文€",
        "https://①②⑦.0.0.1/",
        "javascript:alert(1)",
    ),
    "X-Robots-Tag": ("noindex, googlebot: nofollow, unavailable_after: 25 Jun 2027 15:00:00 PST, max-snippet:-1",),
    "pager": ("下一页", "第 2 页", ">>", "Next page »"),
}


def seeds_of(name: str) -> tuple[str, ...]:
    fronts = PARSERS[name][1]
    return (*SEEDS.get(name, (PAGE,)), *filter(None, fronts))


def mutated(text: str, chance: random.Random) -> str:
    """Return a text with a few parts dropped, doubled, moved or replaced by hostile pieces."""
    for _ in range(chance.randint(1, 6)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice((0, 1, 3, 20, 200)))
        piece = chance.choice(PIECES) * chance.choice((1, 1, 2, 40))
        new = chance.choice(
            ("", piece, text[start:end] * 2, text[start:end][::-1], chr(chance.randrange(0xD7FF)), piece)
        )
        text = (text[:start] + new + text[end:])[:MOST_CHARACTERS]
    return text


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", PARSERS)
def test_no_form_breaks_a_parser(name: str) -> None:
    parser, seeds = PARSERS[name][0], seeds_of(name)
    seed = f"{name} {time.time()}" if SECONDS else name
    chance = random.Random(seed)
    end = time.monotonic() + SECONDS / len(PARSERS)
    rounds = 0
    while rounds < ROUNDS if not SECONDS else time.monotonic() < end:
        rounds += 1
        text = mutated(chance.choice(seeds), chance)
        begun = time.process_time()
        try:
            parser(text)
        except Exception as error:
            raise AssertionError(f"seed {seed!r}, round {rounds}: {text!r}") from error
        took = time.process_time() - begun
        assert took < LONGEST, f"seed {seed!r}, round {rounds}: {took:.1f} s for {text!r}"


def test_a_page_as_it_should_be_passes() -> None:
    for name, (parser, _) in PARSERS.items():
        for seed in seeds_of(name):
            parser(seed)
