"""The source methods on articles: pages right, P and R of source 003, the thresholds of `tag-paths`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median

from extractors import Section
from extractors.html.decoding import decode
from extractors.html.tagless_text import read_ctext
from extractors.methods.tag_paths.extractor import (
    NOISE,
    Leaf,
    body_segment,
    learn_thresholds,
    longest,
    lowest,
    noise,
    page_thresholds,
    read_outline,
)

from ..data import DataSet, Row
from ..peers import PEERS, missing_message
from ..results import score_row
from ..scores import Score, mean
from ..tables import table
from .bars import Bar, Figures, cells, compared, share_right
from .hamming import distance, hits
from .roles import LEFT_OUT, TUNED, Run
from .speed import some, text_of

SAMPLES = 4  # sample pages of `tag-paths`
METHODS = (
    "line-blocks", "line-blocks-verbatim", "tag-paths", "article-deviation", "article-deviation-verbatim", "density",
)  # fmt: skip
NEWS_RIGHT = {"line-blocks": 0.95, "line-blocks-verbatim": 0.95, "tag-paths": None}  # source 001; 002 has no figure
HAMMING = ("article-deviation", "article-deviation-verbatim")  # source 003; its figures for articles are lost


@dataclass(frozen=True, slots=True)
class ArticleFigures:
    """A method on a set. `values`: share right, P and R by Hamming distance, shingle F1. `news`: scores of its news."""

    name: str
    tuned: bool
    pages: int
    values: tuple[float, float, float, float]
    news: list[Score]


def articles(run: Run) -> Iterator[str]:
    """Yield the table of articles: one row per method and set, means of both kinds of sets, the source's figures."""
    sets = [one for one in run.sets if one.articles()]
    if not sets:
        yield "no set has articles with a body"
        return
    rows, bars = [], []
    for method in METHODS:
        found = [_measure(run, method, one) for one in sets]
        rows += [[method, each.name, _kind(each.tuned), str(each.pages), *cells(each.values)] for each in found]
        for tuned in (True, False):
            means = _mean([each for each in found if each.tuned == tuned])
            if means:
                rows.append([method, "mean", _kind(tuned), "–", *cells(means)])
        bars += _bars(run, method, found)
    yield table(["method", "set", "", "pages", "right", "P Hamming", "R Hamming", "shingle F1"], rows)
    yield ""
    yield from compared(bars)


def boilerpipe(run: Run) -> Iterator[str]:
    """Yield P and R of source 003 for its method and for Boilerpipe's port to Python, which it is compared with."""
    peer = PEERS["boilerpy3"]
    if not peer.installed:
        yield missing_message([peer]) or ""
        return
    extract = peer.load()
    texts: dict[str, Callable[[Row], str]] = {name: partial(_extracted, Section(None, method=name)) for name in HAMMING}
    texts[f"{peer.name} {peer.version}"] = lambda row: extract(decode(row.html())[0])
    sets = [one for one in run.sets if one.articles()]
    rows = []
    for name, text in texts.items():
        found = [_figures(run, name, one, text) for one in sets]
        rows += [[name, each.name, str(each.pages), *cells(each.values)[1:]] for each in found]
        rows += [[name, "mean", "–", *cells(_mean(found))[1:]]] if found else []
    yield table(["method", "set", "pages", "P Hamming", "R Hamming", "shingle F1"], rows)


def thresholds(run: Run) -> Iterator[str]:
    """Yield the thresholds from sample pages, and how well Cn distinguishes bodies from lists."""
    rows = []
    for one in run.sets:
        groups = [members for members in one.members().values() if len(members) > SAMPLES]
        learned = [
            [t for row in some(group, SAMPLES, one.name) if (t := learn_thresholds(_leaves(row)))] for group in groups
        ]
        for label, samples in (("1", [group[:1] for group in learned]), (str(SAMPLES), learned)):
            minima = [lowest(group) for group in samples if group]
            if minima:
                values = (median(getattr(m, name) for m in minima) for name in ("length", "noise", "frequency"))
                rows.append([one.name, label, *(f"{value:.2f}" for value in values)])
    if rows:
        yield table(["set", "samples", "Length_Threshold", "Cn_Threshold", "Frequency_Threshold"], rows)
    else:
        yield f"no group has more than {SAMPLES} articles to learn from"
    pages = [row for one in run.sets for row in some(one.articles(), run.sample, one.name)]
    pages_of_lists = [row for one in run.sets for row in some(one.lists(), run.sample, one.name)]
    yield _noise("bodies", pages)
    yield _noise("lists", pages_of_lists)


def _noise(label: str, rows: Sequence[Row]) -> str:
    found = [(leaves, longest(leaves)) for row in rows if (leaves := _leaves(row))]
    noises = [noise(leaves, cluster) for leaves, cluster in found if cluster]
    if not noises:
        return f"{label}: no pages"
    above = fmean(value > NOISE for value in noises)
    like = sum(bool(body_segment(leaves, page_thresholds(leaves))) for leaves, _ in found) / len(rows)
    return (
        f"{label}: {len(rows)} pages, median Cn of the longest cluster {median(noises):.2f}, "
        f"{above:.1%} above the threshold; {like:.1%} of the pages have a cluster like a body"
    )


def _measure(run: Run, method: str, one: DataSet) -> ArticleFigures:
    return _figures(run, method, one, partial(_extracted, Section(None, method=method)))


def _extracted(section: Section, row: Row) -> str:
    return text_of(section, row.html(), row.url)


def _figures(run: Run, method: str, one: DataSet, text: Callable[[Row], str]) -> ArticleFigures:
    rows = some(one.articles(), run.sample, one.name)
    texts = [text(row) for row in rows]
    scores = [score_row(text, row) for text, row in zip(texts, rows, strict=True)]
    found = hits([distance(text, row.body or "") for text, row in zip(texts, rows, strict=True)])
    values = (share_right(scores), found.precision, found.recall or 0.0, mean(scores).f1)
    news = [score for score, row in zip(scores, rows, strict=True) if run.roles.is_news(one.name, row)]
    return ArticleFigures(one.name, run.roles.has_tuned(method, one.name), len(rows), values, news)


def _bars(run: Run, method: str, found: Sequence[ArticleFigures]) -> list[Bar]:
    if method in NEWS_RIGHT:
        kinds = [_pooled([each for each in found if each.tuned == tuned]) for tuned in (True, False)]
        return [Bar(method, "Chinese news right", NEWS_RIGHT[method], *kinds)]
    if method in HAMMING:
        kinds = [_macro([each for each in found if each.tuned == tuned]) for tuned in (True, False)]
        return [Bar(method, "P, R by Hamming distance, mean of the sets", None, *kinds)]
    return []


def _pooled(found: Sequence[ArticleFigures]) -> Figures:
    news = [score for each in found for score in each.news]
    return Figures([share_right(news)] if news else [], f"{len(news)} pages")


def _macro(found: Sequence[ArticleFigures]) -> Figures:
    means = _mean(found)
    return Figures(means[1:3], f"{len(found)} set{'s' * (len(found) != 1)}")


def _mean(found: Sequence[ArticleFigures]) -> list[float]:
    return [fmean(column) for column in zip(*(each.values for each in found), strict=True)]


def _leaves(row: Row) -> list[Leaf]:
    return read_outline(read_ctext(decode(row.html())[0])).leaves


def _kind(tuned: bool) -> str:
    return TUNED if tuned else LEFT_OUT
