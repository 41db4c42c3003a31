"""The choice of a new example among pages of one template.

The example is a page whose article is good: the page alone gives a confident article, and the comparison with other
pages of the cluster gives the same one. Among several, the longest article is chosen, since its limits are clearest
from the page alone: with the longest page of a section of the sample site as example, all texts are right, with the
most central one 84 to 100%.

A page without metadata often has an uncertain type when it is judged by itself. If few pages are surely articles, the
pages of the cluster are classified together, and compared with the known articles of the section: a section without
metadata has articles that are as uncertain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from extractors import Article, Section, UnusablePage
from extractors.article import MAYBE_LISTS
from extractors.html.decoding import decode
from extractors.methods.example.extractor import MEMORY
from extractors.page import Refuse
from extractors.page_types.classify import PageType, classify_together, page_type

from ..extraction.near_duplicates import ENTRY, alike, entry_of
from ..page_store import StoredPage
from ..unproposed import SMALLEST
from .backtest import shingle_f1

GOOD = 0.8  # confidence of the example's article alone
LONG = 300  # bytes of its body, from which its limits are clear
AGREE = 0.9  # F1 of that article and of the same one by comparison
UNCERTAIN = "its pages declare too little to be surely articles: look at the proposed page first"


@dataclass(frozen=True, slots=True)
class NewExample:
    """A chosen page. `place`: among the pages; `doubt`: why a person should look at it first, empty if none should."""

    place: int
    article: Article
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class NoExample:
    """No page is chosen. `reason`: why, as text for the user."""

    reason: str


def choose_example(
    pages: Sequence[StoredPage],
    may_be: Callable[[StoredPage], bool],
    known: Sequence[StoredPage],
    refuse: Refuse,
) -> NewExample | NoExample:
    """Choose the example among pages of one template, or return why there is none.

    `may_be`: whether a page can be an example by its URL; `known`: articles of the section in its present template;
    `refuse`: as in the task's extraction. At least `SMALLEST` different articles are required. In a task with
    `articles: true` all are articles, whatever they look like.
    """
    articles = _articles(pages, refuse)
    if len(articles) < SMALLEST:
        return NoExample(f"only {len(articles)} of the {len(pages)} pages of the new template have an article")
    if len(_unlike(articles)) < SMALLEST:
        return NoExample("the pages of the new template have nearly the same text, as notices and captchas have")
    sure = {place for place, article in articles.items() if _is_sure(article)}
    doubt = ""
    if refuse == "sure" and len(sure) < SMALLEST:
        if isinstance(judged := _judged_together([pages[place] for place in articles], known), NoExample):
            return judged
        doubt = judged
    wide = [place for place, article in articles.items() if len(article.text.encode()) >= LONG]
    possible = [place for place in wide if may_be(pages[place])]
    for place in sorted(possible, key=lambda place: (place in sure, len(articles[place].text)), reverse=True):
        others = [pages[other] for other in articles if other != place][:MEMORY]
        compared = _compared(pages[place], others, refuse)
        if compared is not None and shingle_f1(compared.text, articles[place].text) >= AGREE:
            return NewExample(place, articles[place], doubt)
    if not wide:
        return NoExample("the articles of the new template are too short to be an example")
    if not possible:
        return NoExample("no URL of the pages of the new template matches the pattern")
    return NoExample("the pages of the new template give other texts alone than by comparison with each other")


def _judged_together(pages: Sequence[StoredPage], known: Sequence[StoredPage]) -> str | NoExample:
    """Return the doubt about pages that are articles together, or compared with those of the section, or why not."""
    types = _types(pages)
    together = classify_together(types)
    if together.kind == "article":
        return ""
    if together.kind == "uncertain" and together.is_rather_article and _are_as_sure(types, _types(known)):
        return UNCERTAIN
    return NoExample(
        f"the pages of the new template cannot be told from lists: together they are articles with a "
        f"probability of {together.probability:.0%}"
    )


def _is_sure(article: Article) -> bool:
    """Whether a page is surely an article, whose text is known from the page alone."""
    return article.confidence >= GOOD and article.page_type not in MAYBE_LISTS


def _are_as_sure(types: Sequence[PageType], known: Sequence[PageType]) -> bool:
    """Whether most pages are as surely articles as the least sure of the known articles."""
    if not known:
        return False
    return median(page.log_odds for page in types) >= min(page.log_odds for page in known)


def _types(pages: Sequence[StoredPage]) -> list[PageType]:
    """Return the types of pages, each by itself; unusable ones are left out."""
    types = []
    for page in pages:
        try:
            types.append(page_type(page.body, page.url, content_type=page.content_type))
        except UnusablePage:
            continue
    return types


def _articles(pages: Sequence[StoredPage], refuse: Refuse) -> dict[int, Article]:
    """Return the articles of the pages that have one, each by itself, by place."""
    found = ((place, _alone(page, refuse)) for place, page in enumerate(pages))
    return {place: article for place, article in found if article is not None}


def _alone(page: StoredPage, refuse: Refuse) -> Article | None:
    """Return the article of a page alone; None if there is none."""
    try:
        found = Section(None, method="density").extract(
            page.body, page.url, content_type=page.content_type, refuse=refuse
        )
    except UnusablePage:
        return None
    return found if isinstance(found, Article) else None


def _compared(page: StoredPage, others: Sequence[StoredPage], refuse: Refuse) -> Article | None:
    """Return the article of a page by comparison with other pages of its template."""
    try:
        section = Section(decode(others[0].body, others[0].content_type)[0], others[0].url)
        for other in others[1:]:
            section.learn(other.body, other.url, content_type=other.content_type)
        found = section.extract(page.body, page.url, content_type=page.content_type, refuse=refuse)
    except UnusablePage:
        return None
    return found if isinstance(found, Article) and found.method == "example" else None


def _unlike(articles: dict[int, Article]) -> list[int]:
    """Return the articles without those that are nearly the same as an earlier one."""
    known, places = b"", []
    for place, article in articles.items():
        entry = entry_of(article.text)
        if not alike(np.frombuffer(known, ENTRY), entry).size:
            known += entry.tobytes()
            places.append(place)
    return places
