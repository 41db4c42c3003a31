"""`python -m evaluation.page_types DATA`: how well articles and lists are distinguished, on sites left out.

DATA has the form for `evaluation.page_type_training`; at most twenty pages of a type and site are judged. For each of
the two models (pages with and without a URL):

1. Site-out: models are trained on nine tenths of the sites and judge the others; thresholds are those of the training
   sites. "by page" weights pages equally, "by site" sites. Intervals: 95%, by resampling sites.
2. The same by source and type.
3. The kinds of pages: the shares that are told to be of each kind, and whether the most probable one is right.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from rich.console import Console

from extractors.errors import TrainingMistakes
from extractors.page_types.classify import EVEN, KINDS
from extractors.page_types.model import Values

from .arguments import count
from .labelled_pages import LabelledPage
from .page_type_learning import (
    FOLDS,
    Flags,
    PageNumbers,
    TrainingPages,
    folds,
    held_out,
    pages_of,
    site_weights,
    thresholds,
)
from .page_type_training import FORMS, check, is_of_kinds, learn_kind, read_features, sites_of
from .tables import table

SAME_SITE = {"meiwen_mobile": "52jscn.com"}  # one site in two themes
DRAWS = 2_000
TOGETHER = 3  # pages whose URLs have one shape, at least
SEEDS = 3  # ways to divide the sites


@dataclass(frozen=True, slots=True)
class LeftOutAnswers:
    """The log odds of each page by models without its site, and the thresholds of answers."""

    pages: TrainingPages
    log_odds: Values
    article_from: Values
    list_to: Values

    @property
    def answer(self) -> Values:
        """The answer for each page: +1 article, −1 list, 0 none."""
        return (self.log_odds >= self.article_from).astype(float) - (self.log_odds <= self.list_to)

    @property
    def right(self) -> Flags:
        """For each page, whether the likelier type is right."""
        result: Flags = (self.log_odds > 0) == self.pages.article
        return result

    @property
    def answered(self) -> Flags:
        """For each page, whether there is an answer."""
        result: Flags = self.answer != 0
        return result


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables; exit code 2 for a mistake in the call or the data."""
    arguments = _parser().parse_args(words)
    errors = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
    try:
        labelled, features = read_features([arguments.data], arguments.drop, errors)
        labelled = [replace(page, site=SAME_SITE.get(page.site, page.site)) for page in labelled]
        for name, form in FORMS.items():
            if form.among == KINDS:
                continue
            pages = pages_of(labelled, features, form, arguments.doubt)
            check(pages, name)
            judged = [judge(pages, arguments.seed + step) for step in range(SEEDS)]
            print(f"\n## {name}\n\n{summary(judged, arguments.seed)}\n\n{by_source(judged)}")
        print(f"\n## kinds\n\n{by_kind(labelled, features, arguments.seed)}")
    except TrainingMistakes as error:
        errors.print(str(error))
        return 2
    return 0


def judge(pages: TrainingPages, seed: int) -> LeftOutAnswers:
    """Judge each page by models and thresholds from other sites."""
    log_odds = held_out(pages, seed)
    fold = folds(pages, seed)
    upper, lower = np.zeros(len(pages)), np.zeros(len(pages))
    for number in sorted(set(fold.tolist())):
        others, these = (fold != number) & pages.teaches, fold == number
        weight = site_weights(pages.only(others), 0.0)
        upper[these], lower[these] = thresholds(log_odds[others], pages.article[others], weight)
    return LeftOutAnswers(pages, log_odds, upper, lower)


def summary(judged: Sequence[LeftOutAnswers], seed: int) -> str:
    """Return the shares right, balanced, answered, and right of the answered, each with its interval."""
    header = ["counting", "articles", "lists", "right of articles", "right of lists", "balanced", "answered", "right"]
    pages = judged[0].pages
    rows = []
    for name, power in (("by page", 1.0), ("by site", 0.0)):
        shown = [_interval(judged, power, seed, figure) for figure in range(5)]
        rows.append([name, str(int(pages.article.sum())), str(int((~pages.article).sum())), *shown])
    return table(header, rows)


def _figures(one: LeftOutAnswers, weight: Values) -> tuple[float, ...]:
    """Return the shares right of articles, of lists, balanced; the share answered; and the share right of these."""
    sums = [float(weight[kind].sum()) for kind in (one.pages.article, ~one.pages.article)]
    weight = np.where(one.pages.article, weight / max(sums[0], 1e-300), weight / max(sums[1], 1e-300)) / 2
    articles, lists = (2 * float((weight * one.right)[kind].sum()) for kind in (one.pages.article, ~one.pages.article))
    answered = float(weight[one.answered].sum())
    sure = float((weight * one.right)[one.answered].sum()) / max(answered, 1e-300)
    return articles, lists, (articles + lists) / 2, answered, sure


def _interval(judged: Sequence[LeftOutAnswers], power: float, seed: int, figure: int) -> str:
    """Return the mean over the divisions of the sites, and its 95% interval by resampled sites."""
    pages = judged[0].pages
    weight = site_weights(pages, power)
    random = np.random.default_rng(seed)
    names, site = np.unique(np.array(pages.sites), return_inverse=True)
    found = fmean(_figures(one, weight)[figure] for one in judged)
    draws = []
    for draw in range(DRAWS):
        times = np.bincount(random.integers(len(names), size=len(names)), minlength=len(names))
        draws.append(_figures(judged[draw % len(judged)], weight * times[site])[figure])
    low, high = np.quantile(draws, (0.025, 0.975))
    return f"{found:.3f} ({low:.3f}–{high:.3f})"


def by_source(judged: Sequence[LeftOutAnswers]) -> str:
    """Return a table with one row per source and type: pages, right, answered, right of the answered."""
    pages = judged[0].pages
    sources = np.array(pages.sources)
    rows = []
    for source in sorted(set(pages.sources)):
        for name, kind in (("articles", pages.article), ("lists", ~pages.article)):
            these = (sources == source) & kind
            if these.any():
                right = fmean(float(one.right[these].mean()) for one in judged)
                answered = fmean(float(one.answered[these].mean()) for one in judged)
                wrong = fmean(float((one.answered & ~one.right)[these].mean()) for one in judged)
                sure = 1 - wrong / answered if answered else float("nan")
                rows.append([source, name, str(int(these.sum())), f"{right:.3f}", f"{answered:.3f}", f"{sure:.3f}"])
    return table(["source", "type", "pages", "right", "answered", "right of these"], rows)


def by_kind(labelled: Sequence[LabelledPage], features: Sequence[PageNumbers], seed: int) -> str:
    """Return a table with one row per kind: pages, and the shares of them that are told to be of each kind.

    The models of kinds are trained on nine tenths of the sites and judge the others; pages without a URL are left out.
    """
    of_all = {form.kind: pages_of(labelled, features, form) for form in FORMS.values() if is_of_kinds(form)}
    of_kind = {kind: pages for kind, pages in of_all.items() if sites_of(pages) >= FOLDS}
    if not of_kind:
        return "no kind has pages of enough sites"
    pages = next(iter(of_kind.values()))
    fold = folds(pages, seed)
    odds = np.zeros((len(pages), len(of_kind)))
    for number in sorted(set(fold.tolist())):
        for column, one in enumerate(of_kind.values()):
            model = learn_kind(one.only(fold != number))
            odds[fold == number, column] = model.log_odds(one.values[fold == number])
    chance = np.exp(odds - odds.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    told = np.where(chance.max(axis=1) >= EVEN, chance.argmax(axis=1), len(of_kind))
    rows = []
    for kind, one in of_kind.items():
        counts = np.bincount(told[one.article], minlength=len(of_kind) + 1)
        shares = counts / max(1, counts.sum())
        rows.append([kind, str(counts.sum()), *(f"{share:.3f}" for share in shares.tolist())])
    truth = np.argmax([one.article for one in of_kind.values()], axis=0)
    right = float((chance.argmax(axis=1) == truth).mean())
    return f"{table(['kind', 'pages', *of_kind, 'uncertain'], rows)}\n\nmost probable kind right: {right:.1%}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.page_types",
        description=__doc__,
        epilog="example: python -m evaluation.page_types DATA --drop 'kancai:a/about/*'",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="a folder of pages with truth.jsonl")
    parser.add_argument(
        "--drop", action="append", default=[], metavar="PATTERN", help="leave out pages whose id matches (a*, ?)"
    )
    parser.add_argument(
        "--doubt", action="append", default=[], metavar="ID", help="judge this page, but do not train on it"
    )
    parser.add_argument("--seed", type=count, default=0, metavar="N", help="divides sites and draws them; default: 0")
    return parser


if __name__ == "__main__":
    sys.exit(main())
