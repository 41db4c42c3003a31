"""Labelled pages for the BP network: the forms it is judged in, whom it learns from, and the source's P, R and F."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from extractors import NoArticle
from extractors.assembly import Cut, ParsedPage, assemble, read
from extractors.bp_network.extractor import cut_by_line, cut_by_segment, page_inputs
from extractors.bp_network.features import PER_LINE
from extractors.bp_network.folder import FOUND, Labelled
from extractors.bp_network.labels import label_lines
from extractors.bp_network.network import INPUTS, Network, Values
from extractors.bp_network.train import trained
from extractors.decoding import decode
from extractors.page import Page
from extractors.paths import PathTrie

from ..data import DataError, DataSet, Row
from ..results import score_row
from ..scores import Score, mean

SITES = ("flink_blog_en", "hexo_0err0r_zh", "kancai_news_gbk", "meiwen_mobile_zh")
SAME = {"meiwen_desktop_zh": "meiwen", "meiwen_mobile_zh": "meiwen"}  # one site in two themes
SOURCE_PAGES = 20
RECIPE_PAGES = 20  # a set, for the shipped weights
RIGHT, COMPLETE = 0.9, 0.99
RELEVANCE = np.arange(INPUTS) % PER_LINE == PER_LINE - 1  # which inputs are s
LEAST_TEXT = 0.9  # share of the truth that a page must have to be learned from

Cases = dict[str, list["Case"]]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of the method: its inputs to the letter or not, without relevance or not, and how it cuts."""

    verbatim: bool
    irrelevant: bool
    cut: Callable[[ParsedPage, Values], Cut | str]


FORMS = {
    "bp-network": Form(verbatim=False, irrelevant=False, cut=cut_by_segment),
    "bp-network, without s": Form(verbatim=False, irrelevant=True, cut=cut_by_segment),
    "bp-network, each line by itself": Form(
        verbatim=False, irrelevant=False, cut=lambda _, outputs: cut_by_line(outputs)
    ),
    "bp-network-verbatim": Form(verbatim=True, irrelevant=False, cut=lambda _, outputs: cut_by_line(outputs)),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A page with its truth, read once for all networks; `inputs` to the letter or not, `body` as in `Labelled`.

    `found`: the share of the truth that the page has.
    """

    row: Row
    parsed: ParsedPage
    inputs: dict[bool, Values]
    body: NDArray[np.bool_]
    found: float

    def labelled(self, form: Form) -> Labelled:
        """The page as a form of the network learns from it and is asked."""
        inputs = self.inputs[form.verbatim]
        return Labelled(self.row.id, np.where(RELEVANCE, 0.0, inputs) if form.irrelevant else inputs, self.body)


@dataclass(frozen=True, slots=True)
class Figures:
    """What the source reports, shares 0 to 1, and our F1."""

    pages: int
    precision: float
    recall: float
    f: float
    f1: float


def read_cases(sets: Sequence[DataSet]) -> Cases:
    """Return all pages with a body, by set, as both forms see them."""
    return {one.name: list(_cases(one)) for one in sets}


def recipe(cases: Sequence[Case]) -> list[Case]:
    """Return the pages of a set that the shipped weights learn from: evenly spaced, their truth on the page."""
    fit = [case for case in cases if case.found >= LEAST_TEXT]
    count = min(RECIPE_PAGES, len(fit))
    return [fit[index * len(fit) // count] for index in range(count)]


def judge(text: Callable[[Case], str], cases: Sequence[Case]) -> Figures:
    """Return the figures of what gives a text for some pages."""
    return figures_of([score_row(text(case), case.row) for case in cases])


def figures_of(scores: Sequence[Score]) -> Figures:
    """Return the source's P, R and F, and our F1."""
    right = [score for score in scores if score.f1 >= RIGHT]
    complete = [score for score in right if (score.recall or 0.0) >= COMPLETE]
    precision = len(right) / len(scores)
    recall = len(complete) / len(right) if right else 0.0
    f = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Figures(len(scores), precision, recall, f, mean(scores).f1)


def _cases(dataset: DataSet) -> Iterator[Case]:
    for row in dataset.articles():
        parsed = read(Page(decode(row.html())[0], row.url), PathTrie())
        if isinstance(parsed, NoArticle) or not row.body:
            continue
        labels = label_lines(parsed.lines.texts, row.body)
        inputs = {verbatim: page_inputs(parsed, verbatim) for verbatim in (False, True)}
        if labels.found >= FOUND:
            yield Case(row, parsed, inputs, labels.body, labels.found)


def others(cases: Cases, name: str) -> list[Case]:
    """Return the pages of the shipped recipe without those of one site. Raises `DataError` if none are left."""
    pages = [case for other in cases if site_of(other) != site_of(name) for case in recipe(cases[other])]
    if not pages:
        raise DataError(f"there is no other set than {name} to learn from")
    return pages


def drawn(form: Form, cases: Cases, name: str, seed: int, test: int) -> Figures:
    """Return the figures of one draw: train on 20 pages, test on others of the set `name`."""
    sources = [one for one in SITES if one in cases] if name in SITES else [name]
    learned: list[Case] = []
    for source in sources:
        count = min(SOURCE_PAGES // len(sources), len(cases[source]) // 2)
        learned += random.Random(f"{seed} {source}").sample(cases[source], count)
    ids = {id(case) for case in learned}
    others = [case for case in cases[name] if id(case) not in ids]
    tested = random.Random(f"{seed} test").sample(others, min(test, len(others)))
    return judge(partial(text_of, form, trained_on(form, learned, seed)), tested)


def trained_on(form: Form, cases: Sequence[Case], seed: int) -> Network:
    """Return a network of that form that learned from the pages."""
    return trained([case.labelled(form) for case in cases], seed, verbatim=form.verbatim)


def text_of(form: Form, network: Network, case: Case) -> str:
    """Return the text that comes out of a page; of a page that is refused, none."""
    return assemble(case.parsed, form.cut(case.parsed, network(case.labelled(form).inputs))).text


def site_of(name: str) -> str:
    """Return the site that a set is of: one has two themes."""
    return SAME.get(name, name)
