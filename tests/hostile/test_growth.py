"""No input takes more than about linear time: every parser on repeated hostile pieces, n of them and 4n.

Time is this process' own CPU time. A form that grows too fast is measured again, and the least counts, so that a busy
machine fails nothing.

The short form tries each sixth piece with one front of a parser, by turns; the long form (`tests.samples`) tries all
pieces with all fronts.
"""

import gc
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import islice, product

import pytest

from extractors import UnusablePage, read_posts
from extractors.html.dom import parse
from extractors.markdown import to_markdown
from extractors.registry import METHODS
from tests.hostile import shapes
from tests.hostile.forms import PIECES
from tests.hostile.parsers import PARSERS, PROSE, TITLE, article, html_list
from tests.samples import sample

Parsing = Callable[[str], object]
SIZE = 8_000  # characters; what takes long for so many is measured with four times as many
TIMES = 4
GROWTH = sample(9.0, 2.3**2)  # times as long for four times as much; quadratic would be 16
NOTHING = 0.03  # seconds that tell nothing of growth
TRIES = 3


def seconds(parser: Parsing, text: str, tries: int = 1) -> float:
    """The least CPU time that a parser takes for a text."""
    least = float("inf")
    for _ in range(tries):
        gc.disable()
        begun = time.process_time()
        try:
            parser(text)
        finally:
            gc.enable()
        least = min(least, time.process_time() - begun)
    return least


def grows_too_fast(parser: Parsing, make: Callable[[int], str], size: int = SIZE) -> str | None:
    """Return how long a parser takes for a text of about `size` characters, if that grows too fast; else None.

    Most forms do not up to this size, and the growth beyond it is not measured. Half the growth counts there, so that
    no busy machine hides a quadratic.
    """
    first = seconds(parser, make(size))
    if first <= NOTHING or first <= GROWTH / 2 * seconds(parser, make(size // TIMES)):
        return None
    short, long = make(size), make(TIMES * size)
    for _ in range(TRIES):  # one beside the other: a busy machine slows both
        before, after = seconds(parser, short, 2), seconds(parser, long)
        if before <= NOTHING or after <= GROWTH * before:
            return None
    return f"{short[:60]!r}: {before:.3f} s for {size} characters, {after:.3f} s for {TIMES} times as many"


def repeated(front: str, piece: str) -> Callable[[int], str]:
    return lambda size: front + piece * (size // len(piece))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", PARSERS)
def test_time_grows_as_the_input_does(name: str) -> None:
    parser, fronts = PARSERS[name]
    turns = sample(6 * len(fronts) + 1, 1)
    drawn = islice(product(PIECES, fronts), [*PARSERS].index(name) % turns, None, turns)
    found = [grows_too_fast(parser, repeated(front, piece)) for piece, front in drawn]
    assert list(filter(None, found)) == []


PAGES: dict[str, Callable[[int], str]] = {  # what comes after the prose, of about so many characters
    "images": lambda size: "<p>" + "<img src=/a.png> " * (size // 17) + "</p>" + PROSE,
    "notices": lambda size: "<p>© 2024 all rights reserved, the harbour of the town</p>" * (size // 58) + PROSE,
    "attributes": lambda size: "<p " + "".join(f"a{n}=1 " for n in range(size // 8)) + ">",
    "numbered tags": lambda size: "".join(f"<t{n}>" for n in range(size // 7)),
    "lines": lambda size: "".join(f"<p>line {n}</p>" for n in range(size // 15)),
    "classes": lambda size: "".join(f"<div class=c{n}>text {n}</div>" for n in range(size // 30)),
    "links": lambda size: "".join(f"<li><a href=/{n}.html>entry {n}</a>" for n in range(size // 32)),
    "heads": lambda size: "<a></a><link rel=alternate href=/z>" * (size // 35),
    "ends": lambda size: "<h2>" * 300 + "</div>x" * (size // 7),
    "segments": lambda size: "".join(
        f"<template id=B:{n:x}></template><div hidden id=S:{n:x}>a</div>" for n in range(size // 60)
    ),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", PAGES)
def test_time_grows_as_the_page_does(name: str) -> None:
    for parser in (article, html_list):
        assert grows_too_fast(parser, lambda size: TITLE + PROSE + PAGES[name](size), sample(60_000, 150_000)) is None


ALONE = sorted(METHODS.keys() - {"auto", "example", "example-verbatim"})  # methods without an example


@pytest.mark.timeout(600)
@pytest.mark.parametrize("method", ALONE)
def test_time_grows_as_a_shape_does(method: str) -> None:
    """The short form tries each eighth pair of frame and piece, with one method; the long one all with all."""
    assert growing(partial(article, method=method), ALONE.index(method), 8 * len(ALONE), sample(6_000, 50_000)) == []


@pytest.mark.timeout(300)
def test_time_of_a_list_grows_as_a_shape_does() -> None:
    assert growing(html_list, 3, 8 * len(ALONE), sample(6_000, 50_000)) == []


@pytest.mark.timeout(300)
def test_time_of_the_parser_grows_as_a_shape_does() -> None:
    """The parser's own loops are fast: only large pages show how its time grows."""
    assert growing(parse, 1, 60, 60_000) == []


def growing(parser: Parsing, first: int, turns: int, size: int) -> list[str]:
    """Return the shapes for which a parser's time grows too fast; the short form tries one of so many turns."""
    pairs = islice(shapes.shapes(), first % sample(turns, 1), None, sample(turns, 1))
    found = [grows_too_fast(parser, partial(shapes.page, frame, piece), size) for frame, piece in pairs]
    return list(filter(None, found))


BODIES = ["x<br>", "x <b>y</b>", "x <code>y</code>", "<img src=/a alt=b> ", "x "]


@pytest.mark.parametrize("tag", ["p", "a href='/'", "li", "td", "b", "h2", "blockquote", "pre"])
def test_time_of_markdown_grows_as_the_body_does(tag: str) -> None:
    """The library copies a paragraph's text again and again; above 200,000 characters of one that is noticeable."""
    for piece in BODIES[len(tag) % 2 :: sample(2, 1)]:
        assert grows_too_fast(to_markdown, repeated(f"<{tag}>", piece), 25_000) is None, piece


OPEN = ["<!--", "<script>", "<style>", "<a href=/x><time>1</time>", "<td><a href=/x>t</a>", "<p><a href=/x>t</a>"]


@pytest.mark.parametrize("method", ALONE)
def test_time_grows_as_what_is_never_closed(method: str) -> None:
    turns = sample(3, 1)
    for piece in OPEN[ALONE.index(method) % turns :: turns]:
        assert grows_too_fast(partial(article, method=method), repeated(TITLE + PROSE, piece), 20_000) is None, piece


POST = (
    '<li><a class=author href=/user/1>Ann</a> <time datetime="2025-11-14T08:05">then</time>'
    "<div class=content>text of the harbour</div></li>"
)


def posts(text: str) -> None:
    with suppress(UnusablePage):
        read_posts(text, "https://board.example/t/7")


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "piece",
    [
        POST,
        f"<div><p>{POST}{POST}</p></div>",
        "<div class=content><time>Nov 14, 2025</time>",
        "<div class=author>Nov 14, 2025 <i></i>",
        "<b></b>Nov 14, 2025 ",
        "11-11-2025 ",
    ],
)
def test_time_of_posts_grows_as_the_page_does(piece: str) -> None:
    assert grows_too_fast(posts, lambda size: piece * (size // len(piece)) + POST * 20, 20_000) is None
