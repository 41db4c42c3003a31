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
FOLDER = Path(__file__).with_name("seeds")


def stored(*names: str) -> tuple[str, ...]:
    """Return documents from seeds/."""
    return tuple((FOLDER / name).read_text("utf-8").rstrip("\n") for name in names)


FILES = {  # whole documents; of other parsers that have a file of their name, each line is a seed
    "feed": stored("feed.rss", "feed.atom", "feed.json"),
    "sitemap": (*stored("sitemap.xml", "index.xml"), "https://gazette.example/1\nhttps://gazette.example/2\n"),
    "json list": stored("list.json"),
    "html list": stored("list.html"),
    "listing": stored("feed.rss", "sitemap.xml", "list.json", "list.html"),
    "robots.txt": stored("robots.txt"),
}


def seeds_of(name: str) -> tuple[str, ...]:
    lines = FOLDER / f"{name}.txt"
    seeds = lines.read_text("utf-8").splitlines() if lines.exists() else stored("page.html")
    return (*FILES.get(name, seeds), *filter(None, PARSERS[name][1]))


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
