"""Every parser on mutated forms of our own: no exception, no long wait, and what it returns is what it promises.

The mutations are seeded by the parser's name, so each run tries the same ones; `EXEMPLAR_FUZZ_SECONDS` makes a run
longer and takes a new seed, which a failure names.
"""

import os
import random
import time
from pathlib import Path

import pytest

from tests.hostile.forms import PIECES
from tests.hostile.parsers import PARSERS
from tests.samples import sample

SECONDS = float(os.environ.get("EXEMPLAR_FUZZ_SECONDS", "0"))
ROUNDS = sample(40, 200)  # of each parser, if no time is given
LONGEST = 1.0  # seconds of CPU time for one text of a few thousand characters
MOST_CHARACTERS = 4_000


def stored(*names: str) -> tuple[str, ...]:
    """Return documents from seeds/."""
    return tuple((Path(__file__).with_name("seeds") / name).read_text("utf-8").rstrip("\n") for name in names)


SECRETS = "https://me:pass@gazette.example/?api_key=1&b=2 Authorization: Bearer abc password='x y' token=${TOKEN}"
SEEDS: dict[str, tuple[str, ...]] = {
    "feed": stored("feed.rss", "feed.atom", "feed.json"),
    "sitemap": (*stored("sitemap.xml", "index.xml"), "https://gazette.example/1\nhttps://gazette.example/2\n"),
    "json list": stored("list.json"),
    "html list": stored("list.html"),
    "listing": stored("feed.rss", "sitemap.xml", "list.json", "list.html"),
    "Link": ('</town/?page=2>; rel="next last"; title="a, b", <https://gazette.example/1>; rel=prev',),
    "Content-Type": ('text/html; charset="GB2312"', "application/xml;charset=utf-16"),
    "Retry-After": ("120", "Fri, 05 Feb 2027 10:00:00 GMT", "Friday, 05-Feb-27 10:00:00 GMT", "1.5"),
    "robots.txt": stored("robots.txt"),
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
    return (*SEEDS.get(name, stored("page.html")), *filter(None, fronts))


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
