"""From labelled pages to a model: how pages are weighted, changed and held out, and how the thresholds are chosen.

Sites count, not pages: the articles of a site together have the square root of their number as weight, so do its lists,
and both types have the same weight. Every page is used a second time as if its head declared nothing (`UNDECLARED`);
otherwise a page without Open Graph or JSON-LD would be a list, because most pages with them in the data are news.

The loss of a model (`fit`) is convex and Newton's method finds its only minimum: nothing is random, and the same pages
give the same numbers, bit for bit on one machine with one numpy.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from extractors.learned import logistic, write_rows
from extractors.page_types.head_features import SIGN_NAMES
from extractors.page_types.model import ARRAYS, BENDS, FORMAT, Model, Values, scaled, terms

from .labelled_pages import ARTICLE, LISTS, LabelledPage

Flags = NDArray[np.bool_]
Features = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """The numbers of a page, and for an article the same numbers with its body cut to the first lines."""

    page: Features
    short: Features | None = None


PER_SITE = 20  # pages of a type and site that are used for training and tests, evenly spaced over all of them
UNDECLARED = 0.5  # weight of the second form of a page, without the declarations of its head
SHORT = 0.5  # weight of its third form, with the body cut to the first lines …
SHORT_LINES = 3  # … of which this many remain: notices and poems are articles, too
DECLARED = (
    "og_article", "og_other", "declared_published", "declared_article", "list_types", "article_types", "next_link",
    "previous_link", "feeds", "list_class", "article_class",
    *(name for name in SIGN_NAMES if name.endswith(("_types", "_declared"))),
)  # fmt: skip
FOLDS = 10
QUARTILES = (0.25, 0.5, 0.75)  # where the lines of a model bend
PENALTY = 0.2  # factor of the squared weights, beside a loss of total weight 1; chosen on the development sites
STEPS, DONE = 50, 1e-10  # steps of Newton's method; largest change of a weight at which it ends
NEVER = 99.0  # log odds that no page has
RIGHT = 0.99  # share of right ones among the pages classified as articles, on held-out sites
LOST = 1 / 200  # share of articles that may be classified as lists, on held-out sites
SKIPPED = 0.03  # share of lists that the screen may classify as articles, on held-out sites: no other model judges them


@dataclass(frozen=True, slots=True)
class ModelForm:
    """What a model tells: pages of one `kind` from others `among` the given kinds, by the numbers in `names`."""

    names: tuple[str, ...]
    kind: str = ARTICLE
    among: tuple[str, ...] = (ARTICLE, *LISTS)


@dataclass(frozen=True, slots=True)
class TrainingPages:
    """Pages for training.

    `names` of the numbers; `values` (pages, n); and for each page whether it is of the model's kind (`article`) and its
    site. `short`: the numbers of an article cut to its first lines; those of the page itself for other pages.
    """

    names: tuple[str, ...]
    values: Values
    article: Flags
    sites: tuple[str, ...]
    short: Values

    def __len__(self) -> int:
        return len(self.values)

    def only(self, chosen: Flags) -> "TrainingPages":
        """Return the chosen pages."""
        sites = tuple(self.sites[place] for place in np.flatnonzero(chosen).tolist())
        rows = {name: getattr(self, name)[chosen] for name in ("values", "article", "short")}
        return replace(self, sites=sites, **rows)


def learn(pages: TrainingPages) -> Model:
    """Return the model trained on the pages, without thresholds."""
    weight = site_weights(pages, 0.5)
    silent = pages.values.copy()
    silent[:, [place for place, name in enumerate(pages.names) if name in DECLARED]] = 0.0
    return fit(
        pages.names,
        np.concatenate([pages.values, silent, pages.short]),
        np.concatenate([pages.article] * 3),
        np.concatenate([weight, UNDECLARED * weight, SHORT * weight]),
    )


def site_weights(pages: TrainingPages, power: float) -> Values:
    """Return the pages' weights: a site's pages of a type together weigh (their number) ** power; each type weighs 1/2.

    With power 0 all sites have the same weight, with power 1 all pages.
    """
    keys = list(zip(pages.sites, pages.article.tolist(), strict=True))
    counts = Counter(keys)
    weight = np.array([counts[key] ** (power - 1) for key in keys], np.float64)
    for kind in (pages.article, ~pages.article):
        weight[kind] /= 2 * max(weight[kind].sum(), 1e-300)
    return weight


def folds(pages: TrainingPages, seed: int, count: int = FOLDS) -> NDArray[np.intp]:
    """Return each page's fold, 0 to count − 1: a site is in one fold; each kind of site is spread over all folds."""
    kinds: dict[str, set[bool]] = {}
    for site, article in zip(pages.sites, pages.article.tolist(), strict=True):
        kinds.setdefault(site, set()).add(article)
    random = np.random.default_rng(seed)
    fold: dict[str, int] = {}
    for kind in ({True}, {False}, {True, False}):
        sites = sorted(site for site, found in kinds.items() if found == kind)
        order = random.permutation(len(sites)).tolist()
        fold |= {sites[place]: number % count for number, place in enumerate(order)}
    return np.array([fold[site] for site in pages.sites], np.intp)


def held_out(pages: TrainingPages, seed: int) -> Values:
    """Return the log odds (pages,) by models that were trained on the sites of the other folds only."""
    fold = folds(pages, seed)
    result = np.zeros(len(pages))
    for number in sorted(set(fold.tolist())):
        result[fold == number] = learn(pages.only(fold != number)).log_odds(pages.values[fold == number])
    return result


def thresholds(log_odds: Values, article: Flags, weight: Values) -> tuple[float, float]:
    """Return (article_from, list_to), neither beyond even odds.

    At or above the first, the weighted share `RIGHT` of the pages is right, and as many pages as possible have an
    answer; it is `NEVER` if no threshold is good enough. At most the share `LOST` of the articles is at or below the
    second.
    """
    return _threshold(log_odds, article, weight, RIGHT), min(0.0, _lower_end(log_odds[article], LOST))


def screen_from(log_odds: Values, article: Flags) -> float:
    """Return the log odds at or above which at most the share `SKIPPED` of the lists lies."""
    return -_lower_end(-log_odds[~article], SKIPPED)


def _lower_end(values: Values, share: float) -> float:
    """Return the largest limit such that at most the given share of the values is at or below it."""
    ordered = np.sort(values)
    return float(np.nextafter(ordered[int(share * len(ordered))], -np.inf))


def _threshold(log_odds: Values, wanted: Flags, weight: Values, right: float) -> float:
    """Return the smallest log odds ≥ 0 from which on at least the share `right` of the pages has the expected type."""
    order = np.argsort(-log_odds, kind="stable")
    share = np.cumsum((weight * wanted)[order]) / np.cumsum(weight[order])
    good = np.flatnonzero((share >= right) & (log_odds[order] >= 0))
    return max(0.0, float(log_odds[order][good[-1]])) if len(good) else NEVER


def evenly(keys: Sequence[object], most: int = PER_SITE) -> Flags:
    """Return the items to use: at most `most` of each key, evenly spaced in their order."""
    counts, seen = Counter(keys), Counter[object]()
    chosen = np.zeros(len(keys), np.bool_)
    for place, key in enumerate(keys):
        chosen[place] = seen[key] in set(_spaced(counts[key], most))
        seen[key] += 1
    return chosen


def _spaced(count: int, most: int) -> Iterator[int]:
    taken = min(count, most)
    return (step * count // taken for step in range(taken))


def pages_of(labelled: Sequence[LabelledPage], features: Sequence[PageNumbers], form: ModelForm) -> TrainingPages:
    """Return the pages for a model: those of its kinds that have all of its numbers."""
    names = form.names
    pairs = zip(labelled, features, strict=True)
    whole = [(page, found) for page, found in pairs if page.kind in form.among and found.page.keys() >= set(names)]

    def table(rows: Iterable[Features]) -> Values:
        return np.array([[row[name] for name in names] for row in rows], np.float64).reshape(len(whole), len(names))

    return TrainingPages(
        tuple(names),
        table(found.page for _, found in whole),
        np.array([page.kind == form.kind for page, _ in whole], np.bool_),
        tuple(page.site for page, _ in whole),
        table(found.short or found.page for _, found in whole),
    )


def fit(names: Sequence[str], values: Values, article: NDArray[np.bool_], weight: Values) -> Model:
    """Return the model learned from pages. `values`: (pages, n); `article`, `weight`: (pages,)."""
    weight = weight / weight.sum()
    mean = weight @ values
    scale = np.sqrt(weight @ (values - mean) ** 2)
    scale = np.where(scale > 0, scale, 1.0)
    knots = np.quantile(scaled(values, mean, scale), QUARTILES, axis=0)
    inputs = terms(values, mean, scale, knots).reshape(len(values), -1)
    learned = _newton(np.column_stack([inputs, np.ones(len(values))]), article.astype(np.float64), weight)
    return Model(tuple(names), mean, scale, knots, learned[:-1].reshape(1 + BENDS, -1), learned[-1:])


def _newton(inputs: Values, expected: Values, weight: Values) -> Values:
    """Return the weights with the smallest loss, the bias last; `inputs` has a last column of ones, without penalty."""
    penalty = np.full(inputs.shape[1], PENALTY)
    penalty[-1] = 0.0
    learned = np.zeros(inputs.shape[1])
    for _ in range(STEPS):
        p = logistic(inputs @ learned)
        gradient = inputs.T @ (weight * (p - expected)) + penalty * learned
        curvature = (inputs.T * (weight * p * (1 - p))) @ inputs + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        learned -= step
        if np.abs(step).max() < DONE:
            break
    return learned


def save(model: Model, path: Path, about: Mapping[str, Any]) -> None:
    """Write the model as JSON, without rounding; `about`: its origin. Raises `OSError`."""
    numbers = {name: getattr(model, name).tolist() for name in ARRAYS}
    head = {"format": FORMAT, **about, "article_from": model.article_from, "list_to": model.list_to}
    everything = {**head, "names": list(model.names), **numbers}
    write_rows(path, everything)
