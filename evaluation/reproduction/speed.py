"""The time for 1,000 pages with I/O, and what is drawn of a set (see `reproduction`)."""

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import TypeVar

from extractors import Section, UnusablePage

from ..data import DataSet
from ..timing import settle
from .roles import Run

Item = TypeVar("Item")

PAGES_WITH_IO = 1000
WITH_IO = ("line-blocks", "line-blocks-verbatim")
SECONDS = 21.29  # source 001


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
