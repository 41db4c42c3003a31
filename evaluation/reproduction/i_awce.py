"""`python -m evaluation.reproduction.i_awce DATA`: method `i-awce` (003) on articles and lists mixed.

DATA has the form for `evaluation.page_type_training`; pages whose label is known to be wrong are left out, and at most
twenty pages of a type and site are judged. With `--left-out DIR` (see `evaluation.left_out`) the page-type models were
not trained on the page's site (`sites`), or on any page of its set (`set`); without it the shipped models are used.

1. Types: the share of pages with an answer (an `Article` of page type "article", or a `Listing` of page type "list"),
   and the share of right answers.
2. Texts: mean shingle F1 of the articles whose body is known, beside `article-deviation` alone; for a page that is
   extracted as a list, or not at all, the resulting text is scored.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from statistics import fmean

from extractors import Article, NoArticle, Section, UnusablePage
from extractors.errors import TrainingMistakes

from ..arguments import mistakes, parser_of
from ..labelled_pages import LabelledPage, read_labelled
from ..left_out import DOUBTFUL, SET, SITES, LeftOut
from ..page_type_learning import evenly
from ..results import score_row
from ..scores import Score, mean
from ..tables import table

SHIPPED = "shipped"  # the shipped models, which may have been trained on the page
METHOD, ALONE = "i-awce", "article-deviation"


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """The result of one page. `answer`: the type, "" for none.

    `score`, `alone`: the text of both methods against the truth; None for a page without one.
    """

    set: str
    article: bool
    answer: str
    score: Score | None
    alone: Score | None

    @property
    def right(self) -> bool:
        """Whether the answered type is the right one."""
        return self.answer == ("article" if self.article else "list")


def judge(page: LabelledPage, models: AbstractContextManager[None]) -> JudgedPage:
    """Extract a page by both methods; i-awce with the given models."""
    row = page.row
    with models:
        found = _extracted(METHOD, page)
    alone = _extracted(ALONE, page) if row.scored else None
    answer = found.page_type if isinstance(found, Article) else ""
    return JudgedPage(
        page.source,
        page.article,
        answer if answer in ("article", "list") else "",
        score_row(found.text, row) if row.scored and page.article else None,
        score_row(alone.text, row) if alone is not None and page.article else None,
    )


def types(judged: Sequence[JudgedPage]) -> str:
    """Return the table of types: one row per set, and one for all pages together."""
    header = ["set", "articles", "lists", "answered", "right of these", "articles answered", "right", "lists", "right "]
    rows = [
        _types_row(name, [one for one in judged if one.set == name]) for name in sorted({one.set for one in judged})
    ]
    return table(header, [*rows, _types_row("all", judged)])


def texts(judged: Sequence[JudgedPage]) -> str:
    """Return the table of texts: one row per set, and the mean of the sets."""
    figures = []
    for name in sorted({one.set for one in judged}):
        both = [(one.score, one.alone) for one in judged if one.set == name and one.score and one.alone]
        if both:
            ours, alone = (mean([pair[place] for pair in both]).f1 for place in (0, 1))
            figures.append((name, len(both), ours, alone))
    rows = [[name, str(pages), f"{ours:.3f}", f"{alone:.3f}"] for name, pages, ours, alone in figures]
    if figures:
        of_sets = fmean(ours for _, _, ours, _ in figures), fmean(alone for _, _, _, alone in figures)
        rows.append(["mean", "–", *(f"{value:.3f}" for value in of_sets)])
    return table(["set", "articles", METHOD, f"{ALONE} alone"], rows)


def _types_row(name: str, judged: Sequence[JudgedPage]) -> list[str]:
    kinds = [judged, [one for one in judged if one.article], [one for one in judged if not one.article]]
    cells = []
    for pages in kinds:
        answered = [one for one in pages if one.answer]
        cells.append(f"{len(answered) / len(pages):.1%}" if pages else "–")
        cells.append(f"{fmean(one.right for one in answered):.1%}" if answered else "–")
    return [name, str(len(kinds[1])), str(len(kinds[2])), *cells]


def _extracted(method: str, page: LabelledPage) -> Article | NoArticle:
    try:
        return Section(None, method=method).extract(page.row.html(), page.url, content_type=page.content_type)
    except UnusablePage as error:
        return NoArticle(f"unusable page: {error}")


def read_pages(folder: Path, sample: int) -> Iterator[LabelledPage]:
    """Yield the pages to judge, at most `sample` of a set (0: all). Raises `TrainingMistakes`."""
    known = [page for page in read_labelled(folder) if not any(fnmatch(page.row.id, name) for name in DOUBTFUL)]
    chosen = evenly([(page.source, page.site, page.article) for page in known])
    taken: dict[tuple[str, bool], int] = {}
    for page, is_chosen in zip(known, chosen.tolist(), strict=True):
        key = (page.source, page.article)
        if is_chosen and (not sample or taken.get(key, 0) < sample):
            taken[key] = taken.get(key, 0) + 1
            yield page


def main(words: Sequence[str] | None = None) -> int:
    """Print both tables for each choice of models; exit code 2 for a mistake in the call or the data."""
    parser = parser_of("evaluation.reproduction.i_awce", __doc__)
    parser.add_argument("--left-out", type=Path, metavar="DIR", help="models of `python -m evaluation.left_out`")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="pages of a set and type; default: all")
    arguments = parser.parse_args(words)
    with mistakes(parser, TrainingMistakes):
        left_out = LeftOut(arguments.left_out) if arguments.left_out else None
        pages = list(read_pages(arguments.data, arguments.sample))
        for what in (SITES, SET) if left_out else (SHIPPED,):
            judged = [judge(page, _models(left_out, page, what)) for page in pages]
            print(f"## {what}\n\n{types(judged)}\n\n{texts(judged)}\n", flush=True)
    return 0


def _models(left_out: LeftOut | None, page: LabelledPage, what: str) -> AbstractContextManager[None]:
    return left_out.judging(page.source, page.row, what) if left_out else nullcontext()


if __name__ == "__main__":
    sys.exit(main())
