"""`list-rank` on list pages: its text by source 003's measure, and the entries that `read_entries` finds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from urllib.parse import urlsplit

from extractors import Section, UnusablePage
from extractors.article import Entry
from extractors.methods.list_rank.extractor import read_entries
from extractors.page import make_page

from ..scores import mean, score
from ..tables import table
from .bars import Bar, Figures, cells, compared, share_right
from .hamming import distance, hits
from .lists import KnownList, KnownLists, known_lists
from .roles import LEFT_OUT, TUNED, Run
from .speed import some, text_of

METHOD = "list-rank"  # `tuned` in the truth is about this method; no list tuned the other methods
OTHERS = ("list-rank-verbatim", "density")
LEAST = 0.95  # the source's figure "above 95%" for P and R


@dataclass(frozen=True, slots=True)
class ListFigures:
    """The pages of a set that tuned `list-rank`, or those that did not, by a measure."""

    known: KnownLists
    values: list[float]


def lists(run: Run) -> Iterator[str]:
    """Yield the tables of lists: text by Hamming distance and F1, entries, and both beside the source's figure."""
    known = [
        KnownLists(one.set, one.tuned, tuple(some(one.pages, run.sample, one.set)))
        for one in known_lists(run.sets, run.truth)
    ]
    if not known:
        yield "no truth of lists for these sets; --lists FILE gives it (see evaluation/reproduction/lists.py)"
        return
    with_text = [KnownLists(one.set, one.tuned, pages) for one in known if (pages := _with_text(one))]
    texts = {
        method: [ListFigures(one, _on_texts(method, one.pages)) for one in with_text] for method in (METHOD, *OTHERS)
    }
    yield table(
        ["method", "set", METHOD, "pages", "right", "P Hamming", "R Hamming", "shingle F1"],
        [[method, *_head(each.known), *cells(each.values)] for method, found in texts.items() for each in found],
    )
    yield ""
    entries = [ListFigures(one, _on_entries(one.pages)) for one in known]
    yield table(
        ["set", METHOD, "pages", "precision of entries", "recall", f"pages with both ≥ {LEAST}", "with date"],
        [[*_head(each.known), *cells(each.values)] for each in entries],
    )
    yield ""
    bars = [
        _bar(METHOD, "P, R by Hamming distance", texts[METHOD], slice(1, 3)),
        _bar(METHOD, "precision, recall of entries", entries, slice(0, 2)),
        Bar(OTHERS[0], "P, R by Hamming distance", LEAST, Figures([], ""), _mean(texts[OTHERS[0]], slice(1, 3))),
    ]
    yield from compared(bars)


def _with_text(known: KnownLists) -> tuple[KnownList, ...]:
    return tuple(page for page in known.pages if page.text is not None)


def _bar(method: str, measure: str, found: Sequence[ListFigures], columns: slice) -> Bar:
    kinds = [_mean([each for each in found if each.known.tuned == tuned], columns) for tuned in (True, False)]
    return Bar(method, measure, LEAST, *kinds)


def _mean(found: Sequence[ListFigures], columns: slice) -> Figures:
    """Return the mean over sites; in a set of several sites each page is a site."""
    weights = [len({urlsplit(page.url).hostname for page in each.known.pages}) for each in found]
    total = sum(weights)
    values = zip(*(each.values[columns] for each in found), strict=True)
    means = [sum(w * v for w, v in zip(weights, column, strict=True)) / total for column in values]
    return Figures(means, f"{total} site{'s' * (total != 1)}")


def _on_texts(method: str, pages: Sequence[KnownList]) -> list[float]:
    section = Section(None, method=method)
    pairs = [(text_of(section, page.html, page.url), page.text) for page in pages if page.text is not None]
    scores = [score(text, truth) for text, truth in pairs]
    found = hits([distance(text, truth) for text, truth in pairs])
    return [share_right(scores), found.precision, found.recall or 0.0, mean(scores).f1]


def _on_entries(pages: Sequence[KnownList]) -> list[float]:
    """Return precision and recall of entries, averaged over pages, the share of pages where both are good, and the
    share of entries with a date.
    """
    found = [_entries(page) for page in pages]
    both = [_precision_and_recall(page, entries) for page, entries in zip(pages, found, strict=True)]
    dated = [entry.published is not None for entries in found for entry in entries]
    good = fmean(min(each) >= LEAST for each in both)
    return [fmean(p for p, _ in both), fmean(r for _, r in both), good, fmean(dated) if dated else 0.0]


def _precision_and_recall(page: KnownList, entries: Sequence[Entry]) -> tuple[float, float]:
    wanted = frozenset().union(*page.addresses)
    urls = {entry.url for entry in entries}
    precision = sum(url in wanted for url in urls) / max(1, len(urls))
    return precision, fmean(bool(addresses & urls) for addresses in page.addresses)


def _entries(page: KnownList) -> list[Entry]:
    try:
        return read_entries(make_page(page.html, page.url))
    except UnusablePage:
        return []


def _head(known: KnownLists) -> list[str]:
    return [known.set, TUNED if known.tuned else LEFT_OUT, str(len(known.pages))]
