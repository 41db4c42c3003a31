"""The speed of extraction: `python -m benchmarks.extraction_speed DATA` on stored pages, as multiples of a plain parse.

Unit: CPU time of `lxml.html.document_fromstring` on the same bytes, timed on the same page. Figures are medians of the
pages of a size; "× trafilatura": the speed relative to trafilatura without metadata (extra `bench`). The order of the
calls is drawn for each page, and another library runs on another page before each call, so that no call finds warm
caches.
"first" is the first visit of a page in a process; "again" the second, when the paths of its section are known, as they
are for the later pages of a section. "example": method `example` with another page of its group as example, prepared
before, on the pages that have one; "example more": its additional time compared with the measured method; "voters": the
same with four more pages of the group that vote, as in tasks.

The form of the walk that is in use is measured; `EXEMPLAR_PURE=1` chooses the other one, in a process of its own, since
the forms share caches. `--base FOLDER`: also another version of the package `extractors`, which has another name
there: FOLDER/base_extractors/. "example" is then left out, because it fills caches of one version only.
"""

import argparse
import gc
import importlib
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from lxml import etree

from evaluation.data import DataError, read_sets
from evaluation.peers import PEERS, Extract
from evaluation.tables import table
from evaluation.timing import in_drawn_order, settle
from evaluation.timing import parse as parse_only
from extractors import Section, UnusablePage, walk_in_use
from extractors.methods.example.extractor import MEMORY

SIZES = (("below 60 KB", 0, 60_000), ("to 200 KB", 60_000, 200_000), ("above", 200_000, sys.maxsize))  # bytes
BASE = "base_extractors"
SMALL = 25_000  # bytes of the pages on which the other library runs in between
SMALL_PAGES = 40
Page = tuple[bytes, str | None, list[bytes]]  # page, URL, others of its group
Call = Callable[[bytes, str | None], object]


def main(words: Sequence[str] | None = None) -> int:
    """Print a table for each visit; exit code 2 for a mistake in the call."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction_speed", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with sets/ and sites/")
    parser.add_argument("--pages", type=int, default=20, metavar="N", help="pages a set, 0 for all (default: 20)")
    parser.add_argument("--method", default="density", help="default: density")
    parser.add_argument("--base", type=Path, metavar="FOLDER", help=f"has another version as {BASE}/")
    arguments = parser.parse_args(words)
    try:
        pages = list(chosen_pages(arguments.data, arguments.pages))
    except DataError as error:
        parser.error(str(error))
    calls = dict(our_calls(arguments.method, arguments.base))
    peer = PEERS["trafilatura"]
    other = peer.load() if peer.installed else None
    settle()
    chance = random.Random(5)
    for visit in ("first", "again"):
        gc.collect()
        print(f"{visit}\n{shown(times_of(pages, calls, other, chance), list(calls), other is not None)}")
    return 0


def chosen_pages(data: Path, count: int) -> Iterator[Page]:
    """Yield `count` of the articles of each set, drawn with a fixed seed; 0 for all."""
    for dataset in read_sets(data):
        rows, members = dataset.articles(), dataset.members()
        for row in random.Random(dataset.name).sample(rows, min(count or len(rows), len(rows))):
            others = [other for other in members.get(row.group, ()) if other is not row]
            yield row.html(), row.url, [other.html() for other in others[:MEMORY]]


def our_calls(method: str, base: Path | None) -> Iterator[tuple[str, Call]]:
    """Yield a name and an extractor for the form of the walk that is in use, and for the base."""
    yield walk_in_use(), Section(None, method=method).extract
    if base is not None:
        sys.path.append(str(base))
        yield "base", importlib.import_module(BASE).Section(None, method=method).extract


def beside(examples: Sequence[bytes]) -> Call:
    """Return an extractor with an example, beside which the further pages vote."""
    section = Section(examples[0])
    for page in examples[1:]:
        section.learn(page)
    return section.extract


def times_of(
    pages: Sequence[Page], calls: dict[str, Call], other: Extract | None, chance: random.Random
) -> list[tuple[int, dict[str, float]]]:
    """Return the bytes of each page and the CPU time of each call, in milliseconds."""
    small = [data.decode("utf-8", "replace") for data, *_ in pages if len(data) < SMALL][:SMALL_PAGES]
    found = []
    for number, (data, url, examples) in enumerate(pages):
        text = data.decode("utf-8", "replace")
        named: dict[str, Callable[[], object]] = {"lxml": partial(parse_only, data)}
        if other is not None:
            named["trafilatura"] = partial(other, text)
        named |= {name: partial(_extracted, call, data, url) for name, call in calls.items()}
        if examples and "base" not in calls:
            named["example"] = partial(_extracted, beside(examples[:1]), data, url)
        if len(examples) == MEMORY and "base" not in calls:
            named["voters"] = partial(_extracted, beside(examples), data, url)
        timed = in_drawn_order(named, chance, partial(_on_another, other, small, number))
        found.append((len(data), {name: ms for name, (_, ms) in timed.items()}))
    return found


def _on_another(other: Extract | None, small: Sequence[str], number: int, place: int) -> None:
    """Let another library read a small page, so that no call finds warm caches."""
    if small:
        text = small[(number + place) % len(small)]
        other(text) if other else etree.fromstring(text, etree.HTMLParser())


def _extracted(call: Call, data: bytes, url: str | None) -> object:
    try:
        return call(data, url)
    except UnusablePage:
        return None


def shown(times: Sequence[tuple[int, dict[str, float]]], names: Sequence[str], compared: bool) -> str:
    """Return a table with one row per size of page."""
    rows = []
    for size, least, most in SIZES:
        chosen = [each for length, each in times if least <= length < most]
        if chosen:
            row = [size, str(len(chosen)), f"{median(each['lxml'] for each in chosen):.2f}"]
            for name in names:
                row.append(f"{median(each[name] / each['lxml'] for each in chosen):.2f}")
                if compared:
                    row.append(f"{median(each['trafilatura'] / each[name] for each in chosen):.1f}")
            given, voted = ([each for each in chosen if name in each] for name in ("example", "voters"))
            row += [str(len(given)), _median_ratio(given, "example"), _median_ratio(given, "example", names[0])]
            row += [str(len(voted)), _median_ratio(voted, "voters")]
            rows.append(row)
    heads = [head for name in names for head in (f"{name} × parse", "× trafilatura")[: 1 + compared]]
    with_others = ["with example", "example × parse", "example more", "with voters", "voters × parse"]
    return table(["page", "pages", "parse ms", *heads, *with_others], rows)


def _median_ratio(times: Sequence[dict[str, float]], more: str, less: str = "") -> str:
    """Return the median time of `more` in parses, or its excess over `less`; "" without pages."""
    ratios = [(one[more] - (one[less] if less else 0)) / one["lxml"] for one in times]
    return f"{median(ratios):.2f}" if ratios else ""


if __name__ == "__main__":
    sys.exit(main())
