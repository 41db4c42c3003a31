"""Classifies a page as article or list, and judges whether it is refused as no article.

The type is found by a page's lines, its head and its URL, without a browser, in a few milliseconds.

Two models: one for pages with a URL (their own or the one they declare), one for those without. Between the two
thresholds the type is "uncertain"; if many pages of a site are available, `classify_together` classifies all pages
whose URLs have one shape together. A third model, the screen, uses a few numbers that are cheap to compute; for most
articles its result is enough, and the other models are not needed.

The verdict (`judge`): a page with text is refused if its text declares that there is no article, in a few words on a
nearly empty page: a soft 404, a block or captcha, a shell that needs JavaScript. Because of its kind it is refused only
on request (`Page.refuse`), as tasks for articles do: with "sure" if the page-type model classifies it as a list, which
is wrong for at most one article in two hundred (`learning.LOST`, on sites left out), and it is not a thread, a product
or the like either. All other pages have a text and a page type. An example is evidence, too: it adds `evidence`, as log
odds (see `example`).
"""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from .. import learned
from ..article import KINDS_OF_PAGES, MAYBE_LISTS, NoArticle
from ..article import PageType as Kind
from ..content.assembly import ParsedPage, read
from ..content.notices import notice
from ..html.paths import PathTrie
from ..page import Page, make_page
from .addresses import names_of_address
from .features import (
    SCREENED,
    SCREENED_FOR_KINDS,
    address_of,
    features_of,
    names,
    names_for_kinds,
    screened_features_of,
)
from .model import Model, Values, load
from .reasons import reasons_for

HERE = Path(__file__).parent
WITH_ADDRESS, WITHOUT_ADDRESS = HERE / "with-address.json", HERE / "without-address.json"
SCREEN, SCREEN_OF_KINDS = HERE / "screen.json", HERE / "screen-kinds.json"
KINDS = KINDS_OF_PAGES
OF_KIND = {kind: HERE / f"kind-{kind}.json" for kind in KINDS}
EVEN = 0.5  # probability
FOLDER: ContextVar[Path] = ContextVar("folder of page-type models", default=HERE)  # see `learned.using`
MOST = 4.0  # log odds that one page can give to its shape: no page outvotes all others
SURER = 16  # pages of a shape; more do not make its type more certain
MIXED = 0.2  # share of the classified pages of a shape that contradict the others, from which it is uncertain


@dataclass(frozen=True, slots=True)
class PageType:
    """The type of a page. `probability`: of an article, 0 to 1. `reasons`: the strongest ones, as text for the user.

    `log_odds`: the probability as log odds.
    """

    kind: Kind
    probability: float
    reasons: tuple[str, ...]
    log_odds: float = 0.0

    @property
    def is_rather_article(self) -> bool:
        """Whether an article is at least as likely as a list."""
        return self.probability >= EVEN


@dataclass(frozen=True, slots=True)
class Weighing:
    """What a model makes of a page: the page's numbers, and what each contributes to `log_odds` for an article."""

    model: Model
    features: dict[str, float]
    contributions: Values
    log_odds: float

    @property
    def kinds(self) -> dict[Kind, float]:
        """The probability of each kind, 0 to 1; together 1. With models that know no kinds, of articles and lists."""
        return kinds_of(self.features) or {"article": self.probability, "list": 1 - self.probability}

    @property
    def kind(self) -> Kind:
        """The type by the model's thresholds."""
        return _kind(self.log_odds, self.model.article_from, self.model.list_to)

    @property
    def probability(self) -> float:
        """The probability of an article, 0 to 1."""
        return float(learned.logistic(np.array(self.log_odds)))

    def reasons(self) -> tuple[str, ...]:
        """Return the strongest reasons for the type, as text for the user: what differs from an average page."""
        average = self.model.contributions(self.model.mean[np.newaxis])[0]
        spoken = dict(zip(self.model.names, (self.contributions - average).tolist(), strict=True))
        return reasons_for(spoken, self.features, self.log_odds > 0)


def page_type(html: bytes | str, url: str | None = None, *, content_type: str | None = None) -> PageType:
    """Return the type of a page; without text it is uncertain. Raises `UnusablePage` if nothing can be read from it."""
    parsed = read(make_page(html, url, content_type), PathTrie())
    return PageType("uncertain", 0.5, (parsed.reason,)) if isinstance(parsed, NoArticle) else classify(parsed)


def screened(parsed: ParsedPage, kept: list[int]) -> tuple[bool, bool]:
    """Return what the screens say of the page with the body `kept`: whether it is surely no list, and no other kind."""
    features = screened_features_of(parsed, kept)
    no_list = _passes(SCREEN, features)
    return no_list, no_list and _passes(SCREEN_OF_KINDS, features)


def _passes(path: Path, features: Mapping[str, float]) -> bool:
    model = _model(path)
    return bool(model.log_odds(model.row(features)[np.newaxis])[0] >= model.article_from)


def classify(parsed: ParsedPage, kept: list[int] | None = None, evidence: float = 0.0) -> PageType:
    """Return the type of a page whose lines still have their elements; `kept` and `evidence` as for `weigh`."""
    found = weigh(parsed, kept, evidence)
    return PageType(found.kind, found.probability, found.reasons(), found.log_odds)


def weigh(parsed: ParsedPage, kept: list[int] | None = None, evidence: float = 0.0) -> Weighing:
    """Return what the model makes of a page whose lines still have their elements, reasons not yet in words.

    `kept`: the rules' body, if it is known; `evidence`: log odds that the caller has for an article.
    """
    features = features_of(parsed, kept)
    model = _model(WITHOUT_ADDRESS if address_of(parsed) is None else WITH_ADDRESS)
    page = model.contributions(model.row(features)[np.newaxis])[0]
    return Weighing(model, features, page, float(page.sum() + model.bias[0]) + evidence)


def kinds_of_page(page: Page) -> dict[Kind, float]:
    """Return the probability of each kind of page, 0 to 1; empty without text.

    Raises `UnusablePage` if nothing can be read from the page.
    """
    parsed = read(page, PathTrie())
    return {} if isinstance(parsed, NoArticle) else weigh(parsed).kinds


def kinds_of(features: Mapping[str, float]) -> dict[Kind, float]:
    """Return the probability of each kind, 0 to 1, by a page's numbers: each kind's model, together by softmax.

    A folder of models may lack some kinds; empty if it has none.
    """
    models = {kind: _model(path) for kind, path in _models_of_kinds(FOLDER.get()).items()}
    if not models:
        return {}
    page = next(iter(models.values())).row(features)[np.newaxis]  # all have the same names
    log_odds = np.concatenate([model.log_odds(page) for model in models.values()])
    odds = np.exp(log_odds - log_odds.max())
    return dict(zip(models, (odds / odds.sum()).tolist(), strict=True))


def most_probable(kinds: Mapping[Kind, float]) -> Kind:
    """Return the kind that is at least as probable as all others together; "uncertain" if there is none."""
    return next((kind for kind, chance in kinds.items() if chance >= EVEN), "uncertain")


def classify_together(pages: Sequence[PageType]) -> PageType:
    """Return the type of pages whose URLs have one shape, or of one template, together: by the mean of their log odds.

    The thresholds fall with the square root of the number of pages, like the error of a mean. Both clear articles and
    clear lists together are uncertain for any mean.
    """
    clipped = np.clip([page.probability for page in pages], 1e-12, 1 - 1e-12)
    log_odds = np.log(clipped / (1 - clipped))
    model = _model(WITH_ADDRESS)
    counts = {kind: sum(page.kind == kind for page in pages) for kind in ("article", "list")}
    told = f"{len(pages)} pages of this shape: {counts['article']} articles, {counts['list']} lists"
    likely = float(learned.logistic(np.clip(log_odds, -MOST, MOST).mean()))
    return PageType(kind_of_several(log_odds, model.article_from, model.list_to), likely, (told,))


def kind_of_several(log_odds: Values, article_from: float, list_to: float) -> Kind:
    """Return the type of pages of one shape together; `log_odds`: (pages,), the thresholds are those for one page."""
    articles, lists = int((log_odds >= article_from).sum()), int((log_odds <= list_to).sum())
    if min(articles, lists) >= MIXED * max(1, articles + lists):
        return "uncertain"
    surer = min(len(log_odds), SURER) ** 0.5
    return _kind(float(np.clip(log_odds, -MOST, MOST).mean()), article_from / surer, list_to / surer)


def _kind(log_odds: float, article_from: float, list_to: float) -> Kind:
    if log_odds >= article_from:
        return "article"
    return "list" if log_odds <= list_to else "uncertain"


def names_in(file: Path) -> tuple[str, ...]:
    """Return the names of the numbers of which a file's model is made, in their order."""
    if file in (SCREEN, SCREEN_OF_KINDS):
        return SCREENED if file == SCREEN else SCREENED_FOR_KINDS
    if file in OF_KIND.values():
        return names_for_kinds()
    return names() if file == WITH_ADDRESS else tuple(name for name in names() if name not in names_of_address())


def _model(path: Path) -> Model:
    return _loaded(FOLDER.get(), path)


@lru_cache(64)
def _loaded(folder: Path, path: Path) -> Model:
    return load(folder / path.name, names_in(path))


@lru_cache(64)
def _models_of_kinds(folder: Path) -> dict[Kind, Path]:
    return {kind: path for kind, path in OF_KIND.items() if (folder / path.name).exists()}


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """The verdict on a page. `page_type`: its most probable kind. `refused`: a reason or None.

    `probability` of an article rather than a list: 0 to 1, None without doubt. `is_article`: whether its lines are
    to be judged as an article's; None if that is uncertain. `kinds`: probability of each kind, empty if unknown.
    """

    page_type: Kind = "article"
    probability: float | None = None
    refused: str | None = None
    is_article: bool | None = True
    kinds: Mapping[Kind, float] = field(default_factory=lambda: {"article": 1.0})

    @property
    def may_be_thread(self) -> bool:
        """Whether posts may be the page's text: a thread is also at least half as probable as an article."""
        return may_be_thread(self.kinds) and 2 * self.kinds["thread"] >= self.kinds.get("article", 0.0)


def may_be_thread(kinds: Mapping[Kind, float]) -> bool:
    """Whether a thread is as probable as by chance, or more."""
    return kinds.get("thread", 0.0) * len(kinds) >= 1


def judge(parsed: ParsedPage, kept: list[int], evidence: float = 0.0) -> PageVerdict:
    """Return the verdict on the page with the body `kept`; `evidence` for an article, in log odds."""
    refuse = parsed.page.refuse
    said = notice(parsed.lines, parsed.head.title, parsed.head.headings, kept)
    if not kept:
        return PageVerdict("uncertain", None, said or "no running text: only links and fragments", kinds={})
    if said:
        return PageVerdict("uncertain", None, None if refuse == "never" else said, kinds={})
    no_list, no_other = screened(parsed, kept)
    if no_other:
        return PageVerdict()
    found = weigh(parsed, kept, evidence)
    kinds, chance = found.kinds, found.probability
    other = most_probable(kinds)
    kind: Kind = other if other not in ("article", "list", "uncertain") else "article" if no_list else found.kind
    is_article = other == "article" or (None if kind in ("article", "uncertain") else False)
    if no_list:
        return PageVerdict(kind, is_article=is_article, kinds=kinds)
    refused = {"sure": found.kind == "list" and kind in MAYBE_LISTS, "likely": chance < EVEN}.get(refuse, False)
    return PageVerdict(kind, chance, f"a list: {'; '.join(found.reasons())}" if refused else None, is_article, kinds)
