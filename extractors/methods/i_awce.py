"""Method `i-awce`: the page's type first, then the article by deviation or the list by class rank.

Source: 003 (Qin Long et al., I-AWCE), all of its steps:

    screenshot → LeNet-5 → article or list
    article    → the body by the deviation of text lengths   (`article_deviation`, its algorithm 1)
    list       → like-named elements of equal depth, ranked  (`list_rank`, its algorithm 2)

An article gives an `Article`, a list a `Listing` of entries.

Where we depart:

- The type comes from the page's structure (`page_types`). If a screenshot is at hand (`Page.screenshot`), the answer of
  its classifier (`visual`) multiplies the odds by as much as its measured reliability allows: on sites on which it was
  not trained it is hardly better than a guess, and decides only where structure is uncertain.
- Three outcomes instead of two. A page of uncertain type is extracted as an article, because a lost article costs more
  than the text of a list; if it has no body, its list is used. Its `page_type` is "uncertain".
- A page that is classified as a list but has none (no similar elements with links of their own) is an article as well.
- The page-type model's quick screen for sure articles is not used: it classifies some shops and portals as articles.
  Its thresholds, by which almost no article is lost, are not used either: the more probable type decides, and below
  `ARTICLE_FROM` an article is "uncertain".
- A page whose text declares that there is no article (a soft 404, a captcha, an empty shell) gives `NoArticle`.
- With "never" as `Page.refuse` every page is an article.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

from ..article import Article, Listing, NoArticle, PageType
from ..content.assembly import PageReader, ParsedPage
from ..content.notices import notice
from ..content.page_body import rules_body
from ..page import Page
from ..page_types.classify import EVEN, classify
from .article_deviation import extractor as article_deviation
from .list_rank import extractor as list_rank

METHOD = "i-awce"
ARTICLE_FROM = 0.6  # probability of an article, from which the type is certain
Found = TypeVar("Found", bound=Article)


@dataclass(frozen=True, slots=True)
class Typed:
    """The type of a page. `probability`: of an article, 0 to 1, None if the type was not in doubt; `why`: in words."""

    kind: PageType
    probability: float | None
    why: str


class IAwce:
    """Extracts each page independently; between pages it keeps only the classification of element names, as a cache."""

    def __init__(self, example: Page | None) -> None:
        """Prepare; the example is not used."""
        self._reader = PageReader()

    def extract(self, page: Page) -> Article | NoArticle:
        """Return the article or the list of `page`.

        Raises `UnusablePage` if nothing can be read from it; with a screenshot also `ExtraMissing` without the extra
        `vision`, and `BadModel` if the file that EXEMPLAR_VISUAL_WEIGHTS names is not a network of this classifier.
        """
        parsed = self._reader.read(page)
        if isinstance(parsed, NoArticle):
            return parsed
        typed = type_of(parsed)
        if isinstance(typed, NoArticle):
            return typed
        if typed.kind == "list":
            listing = list_rank.extract(page)
            if isinstance(listing, Listing):
                return _told(listing, typed)
            return _article(page, replace(typed, kind="uncertain"))
        found = _article(page, typed)
        if found or typed.kind == "article":
            return found
        listing = list_rank.extract(page)
        return _told(listing, typed) if isinstance(listing, Listing) else found


def _article(page: Page, typed: Typed) -> Article | NoArticle:
    found = article_deviation.extract(page)
    return found if isinstance(found, NoArticle) else _told(found, typed)


def type_of(parsed: ParsedPage) -> Typed | NoArticle:
    """Return the type of a page, by its structure and by its screenshot if that gives an answer.

    `NoArticle` if the page's text declares that there is no article.
    """
    page = parsed.page
    if page.refuse == "never":
        return Typed("article", None, "treated as an article, as requested")
    kept = rules_body(parsed.lines, parsed.prior).kept
    said = notice(parsed.lines, parsed.head.title, parsed.head.headings, kept)
    if said:
        return NoArticle(said, page.url)
    found = classify(parsed, kept)
    probability = found.probability if page.screenshot is None else _with_screenshot(page.screenshot, found.probability)
    kind = _kind(probability)
    if kind != _kind(found.probability):
        return Typed(kind, probability, f"{kind} by structure and screenshot")
    return Typed(kind, probability, f"{kind} by structure ({'; '.join(found.reasons)})")


def _kind(probability: float) -> PageType:
    if probability >= ARTICLE_FROM:
        return "article"
    return "list" if probability < EVEN else "uncertain"


def _with_screenshot(png: bytes, probability: float) -> float:
    """Return the probability of an article with the answer of the screenshot classifier, if it gives one."""
    from ..visual.screenshot_type import classifier  # it needs an extra, and most pages have no screenshot

    visual = classifier()
    seen = visual(png).kind
    if seen is None:
        return probability
    right = visual.reliability
    likely, unlikely = (right, 1 - right) if seen == "article" else (1 - right, right)
    return probability * likely / (probability * likely + (1 - probability) * unlikely)


def _told(found: Found, typed: Typed) -> Found:
    """Return the extracted result with the page's type; the confidence is limited by that of the type."""
    confidence = found.confidence
    if typed.probability is not None:
        of_type = 1 - typed.probability if found.page_type == "list" else typed.probability
        confidence = min(confidence, of_type)
    return replace(
        found,
        method=METHOD,
        confidence=confidence,
        reason=f"{typed.why}; {found.reason}",
        page_type=typed.kind,
        article_probability=typed.probability,
    )
