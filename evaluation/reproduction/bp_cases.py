"""Labelled pages for the BP network: its forms, its training pages, and the source's P, R and F.

Pages are left out by site: `site_of` of the line model, a page's domain or the set that is one site. A site with
enough pages is judged alone (a unit), the other pages of a set together.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from extractors.content.assembly import BodyLines, ParsedPage, assemble
from extractors.methods.bp_network.extractor import cut_by_line, cut_by_segment, page_inputs
from extractors.methods.bp_network.labelled_pages import LabelledLines, label_lines
from extractors.methods.bp_network.network import HIDDEN, INPUTS, PER_LINE, ROUNDS, Network, Values
from extractors.methods.bp_network.train import trained

from ..data import DataError, DataSet, Row, parsed_page
from ..line_model import FOLDS, site_of
from ..results import score_row
from ..scores import Score, bag_score, mean
from .bars import is_right

SOURCE_PAGES = 20  # training pages of the source, of all its sites together
LEAST_SITE = 40  # pages of a site that is a unit; the source tests on 40 to 50
RECIPE_PAGES = 20  # pages of a site at most, for the shipped weights, so that no site outweighs the others
RECIPE_ROUNDS = 8  # rounds over 215,000 lines; 20 give no better result
COMPLETE = 0.99
PLACES = np.arange(INPUTS)
GROUPS = {name: place == PLACES % PER_LINE for place, name in enumerate("yzps")} | {
    "neighbours": PLACES >= PER_LINE
}  # inputs that are left out together: a number of the line and of both neighbours, or all numbers of the neighbours
LEAST_TEXT = 0.9  # share of the truth that a page must have to be used for training

Cases = dict[str, list["Case"]]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of the method: whether its inputs are verbatim, and how it finds the body.

    `without`: the group of inputs that is 0 in training and use, "" for none; `hidden`: number of hidden units.
    """

    verbatim: bool
    cut: Callable[[ParsedPage, list[float]], BodyLines | str]
    without: str = ""
    hidden: int = HIDDEN


FORMS = {
    "bp-network": Form(verbatim=False, cut=cut_by_segment),
    "bp-network-by-line": Form(verbatim=False, cut=lambda _, outputs: cut_by_line(outputs)),
    "bp-network-verbatim": Form(verbatim=True, cut=lambda _, outputs: cut_by_line(outputs)),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A page with its truth, read once for all networks; `inputs`: verbatim or not, `body`: as in `LabelledLines`.

    `parsed`: None for a page without text, whose result is empty and wrong. `found`: the share of the truth that the
    page has.
    """

    row: Row
    site: str
    parsed: ParsedPage | None
    inputs: dict[bool, Values]
    body: NDArray[np.bool_]
    found: float

    def labelled(self, form: Form) -> LabelledLines:
        """Return the labelled lines of the page for a form of the network."""
        inputs = self.inputs[form.verbatim]
        kept = np.where(GROUPS[form.without], 0.0, inputs) if form.without else inputs
        return LabelledLines(self.row.id, kept, self.body)


@dataclass(frozen=True, slots=True)
class UnitFigures:
    """The figures that the source reports, shares 0 to 1; our F1 over shingles, and F1 of words as a bag."""

    pages: int
    precision: float
    recall: float
    f: float
    f1: float
    bag: float


def read_cases(sets: Sequence[DataSet]) -> Cases:
    """Return all pages with a body, by set, with the inputs of both forms."""
    return {name: found for name, found in ((one.name, list(_cases(one))) for one in sets) if found}


def _cases(dataset: DataSet) -> Iterator[Case]:
    for row in dataset.articles():
        if not row.body:
            continue
        site = site_of(row, dataset.name)
        parsed = parsed_page(row, row.url)
        if parsed is None:
            yield Case(row, site, None, {}, np.zeros(0, np.bool_), 0.0)
            continue
        inputs = {verbatim: page_inputs(parsed, verbatim) for verbatim in (False, True)}
        try:
            labels = label_lines(parsed.lines.texts, row.body)
        except ValueError:  # too long to be aligned: judged, but not used in training
            yield Case(row, site, parsed, inputs, np.zeros(len(parsed.lines), np.bool_), 0.0)
        else:
            yield Case(row, site, parsed, inputs, labels.body, labels.found)


def units(cases: Cases, least: int = LEAST_SITE) -> Cases:
    """Return the pages by unit: each site of a set with at least `least` pages, and the rest of each set."""
    found: Cases = {}
    for name, pages in cases.items():
        sizes = Counter(case.site for case in pages)
        for case in pages:
            alone = sizes[case.site] >= least and len(sizes) > 1
            found.setdefault(f"{name}: {case.site}" if alone else name, []).append(case)
    return found


def is_site(pages: Sequence[Case], least: int = LEAST_SITE) -> bool:
    """Whether the pages of a unit are those of one site with enough of them."""
    return len(pages) >= least and len({case.site for case in pages}) == 1


def learnable(cases: Sequence[Case]) -> list[Case]:
    """Return the pages that contain their truth's text: the others would have wrong labels."""
    return [case for case in cases if case.found >= LEAST_TEXT]


def recipe(cases: Sequence[Case]) -> list[Case]:
    """Return the pages of a set for training: at most 20 of a site, evenly spaced, with their text."""
    sites: dict[str, list[Case]] = {}
    for case in learnable(cases):
        sites.setdefault(case.site, []).append(case)
    counts = {site: min(RECIPE_PAGES, len(pages)) for site, pages in sites.items()}
    return [pages[index * len(pages) // counts[site]] for site, pages in sites.items() for index in range(counts[site])]


def recipes(sets: Iterable[Sequence[Case]]) -> list[Case]:
    """Return the pages of several sets for training."""
    return [case for pages in sets for case in recipe(pages)]


def judge(text: Callable[[Case], str], cases: Sequence[Case]) -> UnitFigures:
    """Return the figures of a function from pages to texts."""
    texts = [text(case) for case in cases]
    pairs = list(zip(texts, cases, strict=True))
    return figures_of(
        [score_row(found, case.row) for found, case in pairs],
        [bag_score(found, case.row.body or "").f1 for found, case in pairs],
    )


def figures_of(scores: Sequence[Score], bags: Sequence[float] = ()) -> UnitFigures:
    """Return the source's P, R and F, and our F1. A missing text is never right."""
    right = [score for score in scores if is_right(score)]
    complete = [score for score in right if (score.recall or 0.0) >= COMPLETE]
    precision = len(right) / len(scores)
    recall = len(complete) / len(right) if right else 0.0
    f = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return UnitFigures(len(scores), precision, recall, f, mean(scores).f1, sum(bags) / max(len(bags), 1))


def folds_of(cases: Cases) -> dict[str, int]:
    """Return the fold of each site: the largest sites first, one fold after the other. Few sites have one fold each."""
    sizes = Counter(case.site for pages in cases.values() for case in pages)
    ranked = sorted(sizes, key=lambda site: (-sizes[site], site))
    return {site: rank % FOLDS for rank, site in enumerate(ranked)}


def without_fold(cases: Cases, folds: Mapping[str, int], fold: int) -> list[Case]:
    """Return the pages of the recipe without those of the sites of one fold. Raises `DataError` if none are left."""
    pages = recipes([case for case in pages if folds[case.site] != fold] for pages in cases.values())
    if not pages:
        raise DataError(
            "there is no other site to learn from: pages of one site cannot be judged as those of a new one"
        )
    return pages


def drawn(form: Form, found: Cases, name: str, seed: int, test: int, least: int = LEAST_SITE) -> UnitFigures:
    """Return the figures of one draw: train on 20 pages of all sites, test on others of the unit `name`.

    For a unit that is not a site, training uses its own pages.
    """
    sources = [one for one in found if is_site(found[one], least)] if is_site(found[name], least) else [name]
    learned: list[Case] = []
    for source in sources:
        fit = learnable(found[source])
        count = min(max(SOURCE_PAGES // len(sources), 1), len(fit) // 2)
        learned += random.Random(f"{seed} {source}").sample(fit, count)
    if not learned:
        raise DataError(f"{name} has too few pages to learn from and to test on")
    ids = {id(case) for case in learned}
    others = [case for case in found[name] if id(case) not in ids]
    tested = random.Random(f"{seed} test").sample(others, min(test, len(others)))
    return judge(partial(text_of, form, trained_on(form, learned, seed)), tested)


def trained_on(form: Form, cases: Sequence[Case], seed: int, rounds: int = ROUNDS) -> Network:
    """Return a network of that form that learned from the pages."""
    return trained([case.labelled(form) for case in cases], seed, rounds, form.verbatim, form.hidden)


def text_of(form: Form, network: Network, case: Case) -> str:
    """Return the extracted text of a page; "" if it is refused or has no text."""
    if case.parsed is None:
        return ""
    return assemble(case.parsed, form.cut(case.parsed, network(case.labelled(form).inputs).tolist())).text
