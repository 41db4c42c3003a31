"""`python -m evaluation.visual DATA… --cache DIR`: the classifier `visual` on stored and on styled pages.

Stored pages (`evaluation.data`) and generated sites (`evaluation.styled_sites`) are served on loopback and rendered as
in a crawl; DIR keeps the screenshots (`visual_pages`). Every page is judged once by a network that was not trained on
it, in two ways:

same sites   the source's protocol: other pages of the same sites are in training. Each site's pages are spread over
          the folds; a network trained on the other folds judges a fold. Stored and generated sites are two sets of
          sites, each with its own networks, as a user trains one for certain sites.
unseen       the folds are whole sites. Sites in two themes are one.

Sets of one kind only (single pages of many sites) are left out, because the collection would reveal the kind. Intervals
are 95%, from 2,000 draws: of pages within a set, of whole sites in the summary lines, since errors on pages of one site
are correlated. `answered` and `right of these` are by `classify.SURE`. The structural classifier (`page_types`) judges
the same pages; its shipped model may have been trained on the stored ones.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from extractors.errors import BadModel, ExtraMissing
from extractors.page_types.classify import classify
from extractors.visual.screenshot_type import SURE, TYPES

from .arguments import comma_list, mistakes
from .data import DataError, DataSet, Row, parsed_page, read_sets
from .labelled_screenshots import LabelledScreenshot, read_labelled
from .line_model import family_of
from .scores import auc
from .tables import table
from .visual_networks import NETWORKS, trainer
from .visual_pages import Rendered, render, sample
from .visual_training import EPOCHS, Trainer, trained

STYLED = "styled_"
DRAWS = 2_000
FEWEST = 10  # pages of each kind that a set needs to be trained on
PAGES, FOLDS = 30, 4

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A rendered page: its set and site, its kind (index in `TYPES`), its file, and its label in the data."""

    set: str
    site: str
    kind: int
    file: Path
    row: Row

    @property
    def styled(self) -> bool:
        """Whether the page is of a generated site."""
        return self.set.startswith(STYLED)


Learn = Callable[
    [Sequence[RenderedPage]], Callable[[Sequence[RenderedPage]], Floats]
]  # training pages → a classifier for other pages


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """The judgements of some pages: for each the probability of a list, 0 to 1."""

    pages: Sequence[RenderedPage]
    chance: Floats

    @property
    def kinds(self) -> NDArray[np.int64]:
        """The kinds of the pages."""
        return np.array([page.kind for page in self.pages], np.int64)

    @property
    def right(self) -> NDArray[np.bool_]:
        """For each page, whether the likelier kind is right."""
        found: NDArray[np.bool_] = (self.chance >= 0.5) == (self.kinds == 1)
        return found

    @property
    def answered(self) -> NDArray[np.bool_]:
        """For each page, whether the likelier kind has a probability of at least `SURE`."""
        return np.greater_equal(np.maximum(self.chance, 1 - self.chance), SURE)

    def of(self, chosen: Iterable[bool]) -> "JudgedShare":
        """Return the judgements of the chosen pages; `chosen`: for each page whether it is."""
        indices = [number for number, wanted in enumerate(chosen) if wanted]
        return JudgedShare([self.pages[number] for number in indices], self.chance[indices])


def main(words: Sequence[str] | None = None) -> int:
    """Render, train, judge, print. Exit code 2 for a mistake in the call, or without an extra."""
    parser = _parser()
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError, ExtraMissing, BadModel):
        for line in _report(arguments):
            print(line, flush=True)
    return 0


def _report(arguments: argparse.Namespace) -> Iterator[str]:
    new = trainer(arguments.network, arguments.weights) if LEARNED & {*arguments.judge} else Trainer
    pages, lines = _pages(arguments)
    yield from lines
    both = [page for page in pages if page.set in _sets_of_both(pages)]
    if not both:
        raise DataError(f"no set has {FEWEST} rendered pages of each kind; more with --pages, or other data")
    learn = partial(_learn, seed=arguments.seed, epochs=arguments.epochs, new=new)
    outcomes: dict[str, Callable[[], JudgedShare]] = {
        "same sites": lambda: same_sites(both, arguments.seed, learn),
        "unseen": lambda: crossed(both, by_site(both, FOLDS), learn),
        "structural": lambda: structural(both),
    }
    for name, outcome in outcomes.items():
        if name in arguments.judge:
            yield f"\n{name}\n{_table(outcome(), arguments.seed)}"


def _pages(arguments: argparse.Namespace) -> tuple[list[RenderedPage], list[str]]:
    """Return the pages that have a screenshot, and messages on the others."""
    pages: list[RenderedPage] = []
    lines: list[str] = []
    for folder in arguments.data:
        sets = [one for one in read_sets(folder) if not arguments.sets or one.name.startswith(tuple(arguments.sets))]
        roots = {one.name: _root(folder, one) for one in sets}
        wanted = list(sample(sets, arguments.pages, arguments.seed))
        rendered = render(wanted, roots, arguments.cache)
        rows = {(one.name, row.id): row for one, row in wanted}
        pages += [_page(one, rows[one.set, one.id], arguments.cache) for one in rendered if not one.reason]
        plain = sum(not one.scripts and not one.reason for one in rendered)
        failed = [one for one in rendered if one.reason]
        lines.append(f"{folder}: {len(rendered)} pages rendered, {plain} of them without JavaScript, {len(failed)} not")
        lines += [f"  no screenshot of {one.set}/{one.id}: {one.reason}" for one in failed]
    return pages, lines


def _page(one: Rendered, row: Row, cache: Path) -> RenderedPage:
    return RenderedPage(one.set, family_of(one.set), TYPES.index(one.kind), cache / one.file, row)


def _root(folder: Path, one: DataSet) -> Path:
    """Return the folder of a set: the document root of its pages."""
    places = [folder / "sites" / one.name, folder / "sets" / one.name, folder]
    return next(place for place in places if (place / "truth.jsonl").exists() or place == folder)


def _sets_of_both(pages: Sequence[RenderedPage]) -> set[str]:
    counts = {(page.set, page.kind): 0 for page in pages}
    for page in pages:
        counts[page.set, page.kind] += 1
    return {page.set for page in pages if all(counts.get((page.set, kind), 0) >= FEWEST for kind in (0, 1))}


def dealt(pages: Sequence[RenderedPage], folds: int, seed: int) -> list[int]:
    """Return a fold for each page, so that each fold has its share of each set and kind."""
    random, place, given = np.random.default_rng(seed), [0] * len(pages), 0
    for group in sorted({(page.set, page.kind) for page in pages}):
        members = [number for number, page in enumerate(pages) if (page.set, page.kind) == group]
        for number in random.permutation(members):
            place[number], given = given % folds, given + 1
    return place


def by_site(pages: Sequence[RenderedPage], folds: int) -> list[int]:
    """Return a fold for each page, all of a site in one; both stored and generated sites are spread over the folds."""
    order = sorted({(page.styled, page.site) for page in pages})
    places = {site: number % folds for number, (_, site) in enumerate(order)}
    return [places[page.site] for page in pages]


def same_sites(pages: Sequence[RenderedPage], seed: int, learn: Learn) -> JudgedShare:
    """Judge each page by a network that was trained on other pages of its site, and of its set of sites."""
    parts = [[page for page in pages if page.styled == styled] for styled in (False, True)]
    outcomes = [crossed(part, dealt(part, FOLDS, seed), learn) for part in parts if part]
    return JudgedShare(
        [page for one in outcomes for page in one.pages], np.concatenate([one.chance for one in outcomes])
    )


def crossed(pages: Sequence[RenderedPage], folds: Sequence[int], learn: Learn) -> JudgedShare:
    """Judge each page by a network that was trained on the other folds."""
    chance = np.zeros(len(pages))
    for fold in sorted(set(folds)):
        judged = [number for number, place in enumerate(folds) if place == fold]
        judge = learn([page for page, place in zip(pages, folds, strict=True) if place != fold])
        chance[judged] = judge([pages[number] for number in judged])
    return JudgedShare(pages, chance)


def _learn(
    pages: Sequence[RenderedPage], seed: int, epochs: int, new: Callable[[int], Trainer]
) -> Callable[[Sequence[RenderedPage]], Floats]:
    learner = trained(_labelled(pages), seed, epochs, new)
    return lambda others: learner.probabilities(_labelled(others).grey)[:, 1].astype(np.float64)


def _labelled(pages: Sequence[RenderedPage]) -> LabelledScreenshot:
    found, blank = read_labelled([(page.file, page.kind) for page in pages])
    if blank:
        raise DataError(f"blank screenshots in the cache: {', '.join(map(str, blank))}")
    return found


def structural(pages: Sequence[RenderedPage]) -> JudgedShare:
    """Judge the same pages by the structural classifier; an unusable page counts as undecided."""
    parsed = [parsed_page(page.row, page.row.url) for page in pages]
    return JudgedShare(pages, np.array([1 - classify(page).probability if page else 0.5 for page in parsed]))


def _table(outcome: JudgedShare, seed: int) -> str:
    groups: list[tuple[str, JudgedShare, bool]] = []
    for name in sorted({page.set for page in outcome.pages if not page.styled}):
        groups.append((name, outcome.of(page.set == name for page in outcome.pages), False))
    for name, ours in (("stored", False), ("styled, our own", True)):
        chosen = outcome.of(page.styled == ours for page in outcome.pages)
        if chosen.pages and len({page.site for page in chosen.pages}) > 1:
            groups.append((f"all {name}", chosen, True))
    header = [
        "pages",
        "number",
        "right",
        "95%",
        "articles",
        "lists",
        "balanced",
        "95%",
        "AUC",
        "answered",
        "right of these",
    ]
    return table(header, [_line(name, one, by_sites, seed) for name, one, by_sites in groups])


def _line(name: str, outcome: JudgedShare, by_sites: bool, seed: int) -> list[str]:
    right, kinds = outcome.right, outcome.kinds
    units = [page.site if by_sites else str(number) for number, page in enumerate(outcome.pages)]
    both = len(set(kinds.tolist())) > 1
    answered = outcome.answered
    return [
        name,
        str(len(right)),
        f"{right.mean():.1%}",
        _interval(units, seed, lambda chosen: float(right[chosen].mean())),
        *(f"{right[kinds == kind].mean():.1%}" if (kinds == kind).any() else "–" for kind in (0, 1)),
        f"{_balanced(right, kinds):.1%}" if both else "–",
        _interval(units, seed, lambda chosen: _balanced(right[chosen], kinds[chosen])) if both else "–",
        f"{auc(outcome.chance, kinds == 1):.3f}" if both else "–",
        f"{answered.mean():.1%}",
        f"{right[answered].mean():.1%}" if answered.any() else "–",
    ]


def _interval(units: Sequence[str], seed: int, value: Callable[[Indices], float]) -> str:
    """Return the 95% interval of a value under drawing units (pages, or whole sites) with replacement."""
    random, names = np.random.default_rng(seed), sorted(set(units))
    members = {name: np.array([n for n, unit in enumerate(units) if unit == name], np.intp) for name in names}
    groups = [members[name] for name in names]
    draws = random.integers(0, len(groups), (DRAWS, len(groups)))
    values = [value(np.concatenate([groups[number] for number in draw])) for draw in draws]
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return f"{low:.1%}–{high:.1%}"


def _balanced(right: NDArray[np.bool_], kinds: NDArray[np.int64]) -> float:
    """Return the mean of the two kinds' shares right; nan if one is missing."""
    shares = [right[kinds == kind].mean() if (kinds == kind).any() else np.nan for kind in (0, 1)]
    return float(np.mean(shares))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation.visual", description=__doc__)
    parser.add_argument("data", nargs="+", type=Path, help="stored data, and the folder that styled_sites wrote")
    parser.add_argument("--cache", type=Path, required=True, metavar="DIR", help="where the screenshots are kept")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"of each kind a set (default: {PAGES})")
    parser.add_argument("--sets", type=comma_list, default=[], metavar="A,B", help="only sets whose names begin so")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help=f"default: {EPOCHS}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--network", choices=NETWORKS, default=NETWORKS[0], help=f"default: {NETWORKS[0]}")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="torchvision's weights, for transfer")
    parser.add_argument(
        "--judge",
        nargs="+",
        choices=JUDGEMENTS,
        default=JUDGEMENTS,
        help="default: all",
    )
    return parser


JUDGEMENTS = ("same sites", "unseen", "structural")
LEARNED = {"same sites", "unseen"}

if __name__ == "__main__":
    sys.exit(main())
