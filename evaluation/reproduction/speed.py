"""How fast the source methods are: 1,000 pages with I/O, and CPU time against parsing (see `reproduction`)."""

import gzip
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import TypeVar

from extractors import Section, UnusablePage
from extractors.article_deviation import find_body, text_sizes
from extractors.block_tree import build_tree
from extractors.ctext import Ctext, read_ctext
from extractors.decoding import decode
from extractors.line_blocks import dense_range, weights
from extractors.line_blocks_verbatim import distribution
from extractors.tag_path_clusters import Outline, read_outline
from extractors.tag_path_segment import page_thresholds
from extractors.tag_paths import body_leaves

from ..data import DataSet
from ..tables import table
from ..timing import parse, settle, take_turns

Item = TypeVar("Item")

PAGES_WITH_IO = 1000
CHINESE = ("gne_zh_groups", "kancai_news_gbk", "meiwen_desktop_zh", "meiwen_mobile_zh", "hexo_0err0r_zh")
TIMED = (
    "line-blocks", "line-blocks-verbatim", "tag-paths", "article-deviation", "article-deviation-verbatim", "list-rank",
    "density",
)  # fmt: skip
# The steps of a method alone: page source in, place of the body out; no decoding before, no article after.
STEPS: dict[str, Callable[[str], object]] = {
    "line-blocks, steps": lambda source: dense_range(weights(read_ctext(source))),
    "line-blocks-verbatim, steps": distribution,
    "tag-paths, steps": lambda source: _tag_path_steps(read_outline(read_ctext(source))),
    "article-deviation, steps": lambda source: _deviation_steps(read_ctext(source)),
}


def io(sets: Sequence[DataSet], sample: int) -> Iterator[str]:
    """Yield how long 1,000 pages take, from files of HTML to files of text."""
    files = [row.file for one in sets if one.name in CHINESE for row in one.articles()]
    random.Random(1).shuffle(files)
    chosen = list(islice(cycle(files), PAGES_WITH_IO))
    lines = median(_bytes(file).count(b"\n") for file in files)
    yield f"{PAGES_WITH_IO} pages of {len(files)} Chinese ones; median {lines:.0f} lines of source"
    for method in ("line-blocks", "line-blocks-verbatim"):
        with tempfile.TemporaryDirectory() as folder:
            section = Section(None, method=method)
            settle()
            begun, cpu = time.perf_counter(), time.process_time()
            for number, file in enumerate(chosen):
                text = section.extract(_bytes(file)).text
                Path(folder, f"{number}.txt").write_text(text, "utf-8")
            took, cpu = time.perf_counter() - begun, time.process_time() - cpu
        yield f"{method}: {took:.2f} s, {cpu:.2f} s of CPU (source: 21.29 s)"


def speed(sets: Sequence[DataSet], sample: int) -> Iterator[str]:
    """Yield, for each method and set, the median of its time in units of parsing, all taking turns on a page."""
    rows: dict[str, list[str]] = {method: [method] for method in (*TIMED, *STEPS)}
    every: dict[str, list[float]] = {method: [] for method in rows}
    names = [one.name for one in sets if one.articles()]
    for one in sets:
        if not one.articles():
            continue
        ratios: dict[str, list[float]] = {method: [] for method in rows}
        sections = {method: Section(None, method=method) for method in TIMED}
        settle()
        for turn, row in enumerate(some(one.articles(), sample, one.name)):
            html = row.html()
            calls: dict[str, Callable[[], object]] = {"parse": partial(parse, html)}
            calls |= {method: partial(text_of, section, html) for method, section in sections.items()}
            source = decode(html)[0]
            calls |= {name: partial(steps, source) for name, steps in STEPS.items()}
            times = {name: ms for name, (_, ms) in take_turns(calls, turn).items()}
            for method in rows:
                ratios[method].append(times[method] / times["parse"])
        for method in rows:
            rows[method].append(f"{median(ratios[method]):.2f}")
            every[method] += ratios[method]
    yield table(
        ["method", *names, "all pages"], [[*row, f"{median(every[method]):.2f}"] for method, row in rows.items()]
    )


def text_of(section: Section, html: bytes, url: str | None = None) -> str:
    """Return the text that comes out of a page, "" if none does."""
    try:
        return section.extract(html, url).text
    except UnusablePage:
        return ""


def some(rows: Sequence[Item], sample: int, name: str) -> list[Item]:
    """Return at most `sample` of the rows (0: all), the same ones each time."""
    return list(rows) if not 0 < sample < len(rows) else random.Random(f"1 {name}").sample(list(rows), sample)


def _bytes(file: Path) -> bytes:
    data = file.read_bytes()
    return gzip.decompress(data) if file.suffix == ".gz" else data


def _tag_path_steps(outline: Outline) -> list[int]:
    return body_leaves(outline, page_thresholds(outline.leaves))


def _deviation_steps(ctext: Ctext) -> int:
    tree = build_tree(ctext)
    return find_body(tree, text_sizes(ctext, tree))
