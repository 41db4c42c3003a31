"""`python -m evaluation.reproduction DATA [PART …]`: the source methods by their sources' own measures.

articles    pages right: F1 over shingles ≥ .9 (001 says "right" without a definition); and P, R of 003 by Hamming
            distance, of `line-blocks`, `tag-paths` and `article-deviation`
lists       P, R of 003 for `list-rank`, and the entries that `read_entries` finds
thresholds  what `tag-paths` (002) learns from sample pages, and its list noise Cn of bodies and of lists
io          seconds for 1,000 Chinese pages from files to files (001: 21.29 s)
speed       CPU time against that of lxml.html parsing on the same bytes, taken by turns

Shingle F1 with floors is `python -m evaluation`'s, the network's figures are those of `bp_network` here.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean, median

from extractors import Section
from extractors.ctext import read_ctext
from extractors.decoding import decode
from extractors.list_rank import read_entries
from extractors.section import make_page
from extractors.tag_path_clusters import Leaf, noise, read_leaves
from extractors.tag_path_segment import DEFAULTS, body_segment, longest
from extractors.tag_paths import learn_thresholds, lowest

from ..data import DataError, DataSet, Row, read_sets
from ..results import score_row
from ..scores import mean, score
from ..tables import table
from .hamming import distance, hits
from .lists import ListPage, list_pages
from .speed import io, some, speed, text_of

RIGHT = 0.9  # F1
SAMPLES = 4  # pages that `tag-paths` learns from
NEWS = ("gne_zh_groups", "kancai_news_gbk")  # Chinese news pages, as source 001 has them
ON_ARTICLES = (
    "line-blocks", "line-blocks-verbatim", "tag-paths", "article-deviation", "article-deviation-verbatim", "density",
)  # fmt: skip
ON_LISTS = ("list-rank", "list-rank-verbatim", "density")


def articles(sets: Sequence[DataSet], sample: int) -> Iterator[str]:
    """Yield the table of articles: a row a method and set, and the mean of the sets."""
    rows = []
    for method in ON_ARTICLES:
        figures = [_on_articles(method, one, sample) for one in sets if one.articles()]
        rows += [[method, name, str(pages), *_cells(values)] for name, pages, values in figures]
        columns = zip(*(values for _, _, values in figures), strict=True)
        rows.append([method, "mean", "–", *_cells([fmean(column) for column in columns])])
        of_news = [(pages, values[0]) for name, pages, values in figures if name in NEWS]
        if of_news:
            pages = sum(pages for pages, _ in of_news)
            right = sum(pages * share for pages, share in of_news) / pages
            rows.append([method, "Chinese news", str(pages), f"{right:.3f}", "", "", ""])
    yield table(["method", "set", "pages", "right", "P Hamming", "R Hamming", "shingle F1"], rows)


def lists(sets: Sequence[DataSet], sample: int) -> Iterator[str]:
    """Yield the tables of lists: text by Hamming distance and F1, and entries."""
    known = [(name, some(pages, sample, name)) for name, pages in list_pages(sets)]
    rows = []
    for method in ON_LISTS:
        section = Section(None, method=method)
        for name, pages in known:
            texts = [section.extract(page.html, page.url).text for page in pages]
            rows.append([method, name, str(len(pages)), *_cells(_on_texts(texts, [page.text for page in pages]))])
    yield table(["method", "site", "pages", "right", "P Hamming", "R Hamming", "shingle F1"], rows)
    entries = [[name, str(len(pages)), *_cells(_on_entries(pages))] for name, pages in known]
    yield table(["site", "pages", "precision of entries", "recall", "with date"], entries)


def thresholds(sets: Sequence[DataSet], sample: int) -> Iterator[str]:
    """Yield what sample pages teach, and how far Cn tells bodies from lists."""
    rows = []
    for one in sets:
        groups = [members for members in one.members().values() if len(members) > SAMPLES]
        learned = [
            [t for row in some(group, SAMPLES, one.name) if (t := learn_thresholds(_leaves(row)))] for group in groups
        ]
        for label, samples in (("1", [group[:1] for group in learned]), (str(SAMPLES), learned)):
            minima = [lowest(group) for group in samples if group]
            if minima:
                values = (median(getattr(m, name) for m in minima) for name in ("length", "noise", "frequency"))
                rows.append([one.name, label, *(f"{value:.2f}" for value in values)])
    yield table(["set", "samples", "Length_Threshold", "Cn_Threshold", "Frequency_Threshold"], rows)
    pages = [row for one in sets for row in some(one.articles(), sample, one.name)]
    pages_of_lists = [row for one in sets for row in some(one.lists(), sample, one.name)]
    for label, found in (("bodies", pages), ("lists", pages_of_lists)):
        noises = [noise(leaves, longest(leaves)) for row in found if longest(leaves := _leaves(row))]
        above = fmean(value > DEFAULTS.noise for value in noises)
        like = fmean(bool(body_segment(_leaves(row), DEFAULTS)) for row in found)
        yield (
            f"{label}: {len(found)} pages, median Cn of the longest cluster {median(noises):.2f}, "
            f"{above:.1%} above the threshold; {like:.1%} of the pages have a cluster like a body"
        )


def _on_articles(method: str, one: DataSet, sample: int) -> tuple[str, int, list[float]]:
    section = Section(None, method=method)
    rows = some(one.articles(), sample, one.name)
    texts = [text_of(section, row.html(), row.url) for row in rows]
    scores = [score_row(text, row) for text, row in zip(texts, rows, strict=True)]
    found = hits([distance(text, row.body or "") for text, row in zip(texts, rows, strict=True)])
    right = fmean(one.f1 >= RIGHT for one in scores)
    return one.name, len(rows), [right, found.precision, found.recall or 0.0, mean(scores).f1]


def _on_texts(texts: Sequence[str], truths: Sequence[str]) -> list[float]:
    scores = [score(text, truth) for text, truth in zip(texts, truths, strict=True)]
    found = hits([distance(text, truth) for text, truth in zip(texts, truths, strict=True)])
    return [fmean(one.f1 >= RIGHT for one in scores), found.precision, found.recall or 0.0, mean(scores).f1]


def _on_entries(pages: Sequence[ListPage]) -> list[float]:
    """Return the precision and recall of entries, averaged over pages, and the share of entries with a date."""
    precision, recall, dated = [], [], []
    for page in pages:
        entries = read_entries(make_page(page.html, page.url))
        wanted = frozenset().union(*page.addresses)
        urls = {entry.url for entry in entries}
        precision.append(sum(url in wanted for url in urls) / max(1, len(urls)))
        recall.append(fmean(bool(addresses & urls) for addresses in page.addresses))
        dated += [entry.published is not None for entry in entries]
    return [fmean(precision), fmean(recall), fmean(dated)]


def _leaves(row: Row) -> list[Leaf]:
    return read_leaves(read_ctext(decode(row.html())[0]))


def _cells(values: Sequence[float]) -> list[str]:
    return [f"{value:.3f}" for value in values]


PARTS: dict[str, Callable[[Sequence[DataSet], int], Iterator[str]]] = {
    "articles": articles,
    "lists": lists,
    "thresholds": thresholds,
    "io": io,
    "speed": speed,
}


def main(words: Sequence[str] | None = None) -> int:
    """Print the parts that are asked for; exit code 2 for a mistake in the call."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.reproduction",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, help="folder with sets/ and sites/")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"default: all of {', '.join(PARTS)}")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="pages a set; default: all")
    arguments = parser.parse_args(words)
    unknown = [part for part in arguments.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}; known: {', '.join(PARTS)}")
    try:
        sets = read_sets(arguments.data)
    except DataError as error:
        parser.error(str(error))
    for part in arguments.parts or PARTS:
        print(f"{part}:", *PARTS[part](sets, arguments.sample), "", sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
