"""The speed of the source methods: 1,000 pages with I/O, and CPU time in units of parsing (see `reproduction`)."""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import TypeVar

from extractors import Section, UnusablePage
from extractors.html.decoding import decode
from extractors.html.tagless_text import Ctext, build_tree, read_ctext
from extractors.methods.article_deviation.extractor import find_body, text_sizes
from extractors.methods.line_blocks.extractor import dense_range, weights
from extractors.methods.line_blocks.verbatim import distribution
from extractors.methods.tag_paths.clusters import LeafOutline, page_thresholds, read_outline
from extractors.methods.tag_paths.extractor import body_leaves

from ..data import DataSet, Row
from ..tables import table
from ..timing import parse, settle, take_turns
from .roles import Run

Item = TypeVar("Item")

PAGES_WITH_IO = 1000
WITH_IO = ("line-blocks", "line-blocks-verbatim")
SECONDS = 21.29  # source 001
TIMED = (
    "line-blocks", "line-blocks-verbatim", "tag-paths", "article-deviation", "article-deviation-verbatim", "list-rank",
    "density",
)  # fmt: skip
# The steps of a method alone, from a page's source to the place of the body, without decoding and article.
STEPS: dict[str, Callable[[str], object]] = {
    "line-blocks, steps": lambda source: dense_range(weights(read_ctext(source))),
    "line-blocks-verbatim, steps": distribution,
    "tag-paths, steps": lambda source: _tag_path_steps(read_outline(read_ctext(source))),
    "article-deviation, steps": lambda source: _deviation_steps(read_ctext(source)),
}


def io(run: Run) -> Iterator[str]:
    """Yield the time for 1,000 pages, from HTML files to text files. No constant depends on the choice of pages."""
    rows = [row for one in run.sets if one.name in run.roles.chinese for row in one.articles()]
    if not rows:
        yield "no set of Chinese articles; --chinese NAME,… says which are"
        return
    random.Random(1).shuffle(rows)
    chosen = list(islice(cycle(rows), PAGES_WITH_IO))
    lines = median(row.html().count(b"\n") for row in rows)
    yield f"{PAGES_WITH_IO} pages of {len(rows)} Chinese ones; median {lines:.0f} lines of source"
    for method in WITH_IO:
        with tempfile.TemporaryDirectory() as folder:
            section = Section(None, method=method)
            settle()
            begun, cpu = time.perf_counter(), time.process_time()
            for number, row in enumerate(chosen):
                Path(folder, f"{number}.txt").write_text(text_of(section, row.html()), "utf-8")
            took, cpu = time.perf_counter() - begun, time.process_time() - cpu
        met = "yes" if took <= SECONDS else "no"
        yield f"{method}: {took:.2f} s, {cpu:.2f} s of CPU (source: {SECONDS} s); met? {met}"


def speed(run: Run) -> Iterator[str]:
    """Yield, for each method and set, the median of its time in units of parsing; methods alternate on a page."""
    sets = [one for one in run.sets if one.articles()]
    if not sets:
        yield "no set has articles with a body"
        return
    ratios = {one.name: _ratios(some(one.articles(), run.sample, one.name)) for one in sets}
    rows = []
    for method in (*TIMED, *STEPS):
        every = [ratio for found in ratios.values() for ratio in found[method]]
        medians = [median(found[method]) for found in ratios.values()]
        rows.append([method, *(f"{value:.2f}" for value in (*medians, median(every)))])
    yield table(["method", *ratios, "all pages"], rows)


def _ratios(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Return for each method its CPU times on the pages, in units of parsing."""
    ratios: dict[str, list[float]] = {method: [] for method in (*TIMED, *STEPS)}
    sections = {method: Section(None, method=method) for method in TIMED}
    settle()
    for turn, row in enumerate(rows):
        html = row.html()
        calls: dict[str, Callable[[], object]] = {"parse": partial(parse, html)}
        calls |= {method: partial(text_of, section, html) for method, section in sections.items()}
        source = decode(html)[0]
        calls |= {name: partial(steps, source) for name, steps in STEPS.items()}
        times = {name: ms for name, (_, ms) in take_turns(calls, turn).items()}
        for method, found in ratios.items():
            found.append(times[method] / times["parse"])
    return ratios


def text_of(section: Section, html: bytes, url: str | None = None) -> str:
    """Return the text that comes out of a page, "" if none does."""
    try:
        return section.extract(html, url).text
    except UnusablePage:
        return ""


def some(rows: Sequence[Item], sample: int, name: str) -> list[Item]:
    """Return at most `sample` of the rows (0: all), the same ones each time."""
    return list(rows) if not 0 < sample < len(rows) else random.Random(f"1 {name}").sample(list(rows), sample)


def sampled(one: DataSet, sample: int) -> DataSet:
    """Return a set with at most `sample` of its articles (0: all), and only those."""
    return replace(one, rows=tuple(some(one.articles(), sample, one.name)))


def _tag_path_steps(outline: LeafOutline) -> list[int]:
    return body_leaves(outline, page_thresholds(outline.leaves))


def _deviation_steps(ctext: Ctext) -> int:
    tree = build_tree(ctext)
    return find_body(tree, text_sizes(ctext, tree))
