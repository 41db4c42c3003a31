"""`python -m evaluation.line_model DATA`: trains the line models of `density` and `example`, for articles and any kind.

It is trained on the pages of all sets of DATA that have a known text, of any kind, at most `PER_SITE` of a site; on
articles also in the perturbed forms of `perturb`, beside other pages of their section as examples, and in the designs
of `designs`, alone and beside examples of the same design, as are pages of other kinds. Each form has the weight in
`FORMS` or `FORMS_OF_ANY_KIND`. The lines of a page together have a weight of about 1. Seeds are fixed: the same
pages, library versions and machine give the same weights. The model of any kind also reads the probabilities of the
kinds of pages: with `--left-out`, by models of page types that have not seen the site.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from extractors.article import NoArticle
from extractors.content.assembly import ParsedPage, read
from extractors.content.body import Body
from extractors.content.confidence import Known, known_of
from extractors.content.line_model.cohesion import OF_LINE, OF_LINES
from extractors.content.line_model.context import CONTEXT_NAMES, LineModel, context_columns, second_of
from extractors.content.line_model.line_columns import NAMES, NAMES_OF_ANY_KIND, features_of, with_kinds
from extractors.content.line_model.opinion import ANY_KIND, ARTICLES, HERE
from extractors.content.line_model.trees import Trees
from extractors.content.page_body import rules_body
from extractors.errors import UnusablePage
from extractors.html.paths import PathTrie
from extractors.learned import using
from extractors.methods.example.extractor import Example, cast_all, voted_body
from extractors.page import make_page
from extractors.page_types.classify import FOLDER, judge, weigh

from .arguments import mistakes, parser_of
from .data import OTHER_KINDS, DataError, DataSet, Row, domain_of, other_kinds, read_sets
from .designs.parts import DESIGNS, NAMINGS, fold_of_design, mixed, page_of
from .designs.stored import DesignedPage, DesignedSite, StoredArticle, sites_of, url_of
from .designs.written import KINDS, UNSEEN, collections, folds_of_collection, written_page
from .line_labels import line_labels
from .perturb import PERTURBATIONS
from .scores import words
from .tree_training import fit, save

THINNED = 0.5  # share of the pages that are learned with fewer shared words, so that texts of many subjects stay whole
PER_SITE = 12  # pages of a site that are used for training
OTHER = "other kind"  # form of a page that is no article
DESIGNED_KIND = "designed kind"  # … in a written design of its kind
JUDGED = "judged"  # form of a page in a design of a collection that no model is trained on
FORMS = {
    "plain": 1.0, "pieces": 0.5, "names": 0.3, "short": 0.3, "example": 0.5, "memory": 0.3,
    "designed": 1.0, "designed example": 1.0,
}  # fmt: skip  # weight of each form of a page in the model of articles
FORMS_OF_ANY_KIND = {
    "plain": 0.6, OTHER: 1.0, DESIGNED_KIND: 0.3, f"{DESIGNED_KIND} example": 0.3,
}  # fmt: skip  # … and in that of any kind
PERTURBED = ("plain", "pieces", "names", "short")
_OF_LINE, _OF_LINES = ([NAMES.index(name) for name in names] for names in (OF_LINE, OF_LINES))
MEMORY = 3  # pages beside which a page is read in the form "memory"
MIX = "mixed"  # … begins the name of a design that has parts of others
MIXED = (10, 25)  # designs mixed of others for each site, and for a site of many articles
MANY = 20  # articles of a site
DRAWN = 0.3  # share of the designs in which a site with fewer articles is made
DRAWN_KINDS = 0.06  # share of the designs of other kinds in which a site is made
SITE_PAGES = 8  # a site's pages together weigh at most as much as this many
LINE_POWER, LINE_LEAST = 0.7, 0.002  # weight of a line: (its share of the body's words) ** power, and the least weight
LEAST_WORDS = 30  # words of a body from which lines are weighted
FOLDS = 5
MIXTURE = 2  # folds whose designs are mixed
SAME_SITE = {"meiwen_desktop_zh": "meiwen", "meiwen_mobile_zh": "meiwen"}  # one site in two themes


@dataclass(frozen=True, slots=True)
class LabelledForm:
    """A page in one form: `values` (lines, features), `target` and `weight` of each line.

    `values` are those of `NAMES_OF_ANY_KIND`. `page`: the same for a page alone and beside examples. `designs`: folds
    of the designs that it has, empty for a stored page. `missing`: share of the truth that the page's lines do not
    have. `known`: input of the confidence. `fold`: with which its site is left out. `scale`: a site's pages in one form
    together weigh at most as much as `SITE_PAGES`.
    """

    set: str
    site: str
    form: str
    page: str
    designs: frozenset[int]
    values: NDArray[np.float32]
    target: NDArray[np.float32]
    weight: NDArray[np.float64]
    missing: float
    known: Known
    fold: int = 0
    scale: float = 1.0

    def seen_without(self, fold: int) -> bool:
        """Whether neither its site nor its design belongs to a fold."""
        return self.fold != fold and fold not in self.designs


Contexts = Mapping[int, NDArray[np.float32]]  # `id` of a form → `CONTEXT_NAMES` of its lines


@dataclass(frozen=True, slots=True)
class _Job:
    """A page to read: `pages` are HTML and URL of it and of its examples, made by `make`."""

    set: str
    site: str
    form: str
    row: Row | None = None
    others: tuple[Row, ...] = ()
    designed: DesignedSite | None = None
    design: str = ""
    naming: str = ""
    articles: tuple[StoredArticle, ...] = ()


def main(words: Sequence[str] | None = None) -> int:
    """Train and write; exit code 2 for a mistake in call or data."""
    parser = _parser()
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError):
        examples = read_examples(read_sets(arguments.data), arguments.processes, arguments.left_out)
    for name, weights in ((ARTICLES.name, FORMS), (ANY_KIND.name, FORMS_OF_ANY_KIND)):
        forms = [one for one in examples if one.form in weights]
        plain = [one for one in forms if one.form in ("plain", OTHER)]
        pages, sites = len(plain), len({(one.set, one.site) for one in plain})
        designed = sum(bool(one.designs) for one in forms)
        about = {"pages": pages, "sites": sites, "designed": designed, "sets": sorted({one.set for one in plain})}
        save_model(learn_models(forms, {"all": forms}, weights)["all"], arguments.out / name, about)
        print(f"{arguments.out / name}: learned from {pages} pages of {sites} sites")
    return 0


def family_of(name: str) -> str:
    """Return the name under which sets of one site are left out together."""
    plain = name.partition(".")[0]
    return SAME_SITE.get(plain, plain)


def fold_of(site: str) -> int:
    """Return the fold of a site, 0 to `FOLDS` − 1; the same in each run."""
    return blake2b(site.encode(), digest_size=4).digest()[0] % FOLDS


def site_of(row: Row, set_name: str) -> str:
    """Return the site by which pages are left out together."""
    return family_of(set_name) if set_name in SAME_SITE else domain_of(row.url) or row.site or set_name


def read_examples(sets: Sequence[DataSet], processes: int, left_out: Path | None) -> list[LabelledForm]:
    """Return all pages for training in all forms; forms that a page does not have are left out.

    `left_out`: folder of `evaluation.left_out` with models of page types that have not seen a page; with those in use
    the kinds of pages would look surer than they are on other pages.
    """
    if left_out and not (left_out / f"fold-{FOLDS - 1}").is_dir():
        raise no_models(left_out)
    jobs = [*_stored_jobs([*sets, *other_kinds(sets)]), *_designed_jobs(sets)]
    with Pool(processes) as pool:
        found = [one for one in pool.imap(partial(_example, left_out), jobs, chunksize=16) if one is not None]
    sizes = Counter((one.set, one.site, one.form) for one in found)
    return [replace(one, scale=min(1.0, SITE_PAGES / sizes[one.set, one.site, one.form])) for one in found]


def no_models(folder: Path) -> DataError:
    """Return the error for a folder without the models of `evaluation.left_out`."""
    return DataError(f"{folder} holds no models; python -m evaluation.left_out DATA --out {folder} makes them")


def _stored_jobs(sets: Sequence[DataSet]) -> Iterator[_Job]:
    counts: Counter[tuple[str, str]] = Counter()
    for one in sets:
        members = one.members()
        for row in one.articles():
            key = (one.name, site_of(row, one.name))
            counts[key] += 1
            if row.body and counts[key] <= PER_SITE:
                for form in PERTURBED if row.kind not in OTHER_KINDS else (OTHER,):
                    yield _Job(*key, form, row)
                if others := [other for other in members.get(row.group, []) if other.id != row.id]:
                    draw = random.Random(row.id)
                    yield _Job(*key, "example", row, tuple(draw.sample(others, 1)))
                    yield _Job(*key, "memory", row, tuple(draw.sample(others, min(MEMORY, len(others)))))


def _designed_jobs(sets: Sequence[DataSet]) -> Iterator[_Job]:
    for site in sites_of(sets, lambda row, name: fold_of(site_of(row, name))):
        many = len(site.articles) >= MANY
        mixtures = [f"{MIX} {number}" for number in range(MIXED[many])]
        for collection, designs in {"": (*DESIGNS, *mixtures), **collections()}.items():
            draw = random.Random(f"{site.name} {collection}".strip())
            for design in designs:
                if many or design in mixtures or draw.random() <= DRAWN:
                    yield from _in_design(site, design, draw, JUDGED if collection in UNSEEN else "designed")
        for collection, designs in collections(KINDS).items():
            draw = random.Random(f"{site.name} {collection}")
            for design in designs if collection not in UNSEEN else ():
                if draw.random() <= DRAWN_KINDS:
                    yield from _in_design(site, design, draw, DESIGNED_KIND)


def _in_design(site: DesignedSite, design: str, draw: random.Random, form: str) -> Iterator[_Job]:
    """Yield an article in a design, alone and beside examples."""
    naming, articles = draw.choice(NAMINGS), draw.sample(site.articles, min(1 + MEMORY, len(site.articles)))
    job = _Job(site.name.partition(" ")[0], site.name, form, designed=site, design=design, naming=naming)
    yield replace(job, articles=tuple(articles[:1]))
    yield replace(job, form=f"{form} example", articles=tuple(articles[: draw.choice((2, 2, 1 + MEMORY))]))


def learn(examples: Sequence[LabelledForm], weights: Mapping[str, float] = FORMS) -> Trees:
    """Return the trees of the first reading, learned from the pages in the forms that have a weight."""
    chosen = [one for one in examples if one.form in weights]
    names = NAMES_OF_ANY_KIND if OTHER in weights else NAMES
    return _learn(names, chosen, [_thinned(one)[:, : len(names)] for one in chosen], weights)


def learn_models(
    examples: Sequence[LabelledForm], chosen: Mapping[str, Sequence[LabelledForm]], weights: Mapping[str, float]
) -> dict[str, LineModel]:
    """Return a model for each choice of pages; that named fold-K has to be of those seen without fold K.

    The second reading is learned from first ones by models that have not seen a page's design, or else its site, and
    from all shared words: the first one is careful enough. Only articles are read twice: other kinds gain nothing.
    """
    if OTHER in weights:
        return {name: LineModel(learn(known, weights)) for name, known in chosen.items()}
    seen = [[one for one in examples if one.seen_without(fold)] for fold in range(FOLDS)]
    firsts = {f"fold-{fold}": learn(known or examples, weights) for fold, known in enumerate(seen)}
    contexts = {}
    for one in examples:
        if one.form in weights:
            unseen = one.fold if not one.designs or one.fold in one.designs else min(one.designs)
            values = one.values[:, : len(NAMES)]
            contexts[id(one)] = context_columns(values, firsts[f"fold-{unseen}"].log_odds(values))
    return {
        name: LineModel(firsts.get(name) or learn(known, weights), _learn_again(known, contexts, weights))
        for name, known in chosen.items()
    }


def _learn_again(examples: Sequence[LabelledForm], contexts: Contexts, weights: Mapping[str, float]) -> Trees:
    chosen = [one for one in examples if one.form in weights]
    values = [np.hstack([contexts[id(one)], one.values[:, : len(NAMES)]]) for one in chosen]
    return _learn([*CONTEXT_NAMES, *NAMES], chosen, values, weights)


def _learn(
    names: Sequence[str],
    chosen: Sequence[LabelledForm],
    values: Sequence[NDArray[np.float32]],
    weights: Mapping[str, float],
) -> Trees:
    return fit(
        names,
        np.concatenate(values),
        np.concatenate([one.target for one in chosen]).astype(np.float64),
        np.concatenate([one.weight * weights[one.form] * one.scale for one in chosen]),
    )


def save_model(model: LineModel, path: Path, about: Mapping[str, Any]) -> None:
    """Write the trees of both readings. Raises `OSError`."""
    save(model.first, path, about)
    if model.second is not None:
        save(model.second, second_of(path), about)


def _thinned(one: LabelledForm) -> NDArray[np.float32]:
    """Return the numbers of a page; on `THINNED` of the pages as if most words were others, on a third of these all."""
    draw = random.Random(f"{one.page} {one.form}")
    if draw.random() >= THINNED:
        return one.values
    kept = max(0.0, draw.uniform(-0.5, 1.0))  # share of the words that stay
    values = one.values.copy()
    values[:, _OF_LINE] *= kept * np.array([[draw.random() < kept**0.5] for _ in values], np.float32)
    values[:, _OF_LINES] *= kept
    return values


def _example(left_out: Path | None, job: _Job) -> LabelledForm | None:
    fold = job.designed.fold if job.designed else fold_of(job.site)
    try:
        made = _designed_form(job) if job.designed else _stored_form(job)
        if made is None:
            return None
        pages, truth, page, designs = made
        found = _read(pages)
    except UnusablePage:
        return None
    if found is None:
        return None
    parsed, body, similarity, known = found
    with using(left_out / f"fold-{fold}", FOLDER) if left_out else nullcontext():
        kinds = weigh(parsed, body.kept).kinds
    values = with_kinds(features_of(parsed.lines, parsed.prior, body, similarity), kinds)
    target, count = line_labels(parsed.lines.texts, truth)
    of_truth, wanted = float((target * count).sum()), max(1, len(words(truth)))
    weight = np.minimum(count / max(LEAST_WORDS, of_truth), 1) ** LINE_POWER + LINE_LEAST
    missing = max(0.0, 1 - of_truth / wanted)
    return LabelledForm(job.set, job.site, job.form, page, designs, values, target, weight, missing, known, fold)


_Made = tuple[list[tuple[bytes | str, str | None]], str, str, frozenset[int]]


def _stored_form(job: _Job) -> _Made | None:
    """Return HTML and URL of the page and its examples, its truth, its name and the folds of its designs."""
    assert job.row is not None
    html: bytes | None = job.row.html()
    row = job.row
    if job.form in PERTURBATIONS and html is not None:
        html, row = PERTURBATIONS[job.form].page(html, row), PERTURBATIONS[job.form].row(row)
    if html is None:
        return None
    pages: list[tuple[bytes | str, str | None]] = [
        (html, row.url),
        *((other.html(), other.url) for other in job.others),
    ]
    return pages, row.body or "", f"{job.set} {row.id}", frozenset()


def _designed_form(job: _Job) -> _Made:
    assert job.designed is not None
    folds, make = _design_of(job)
    pages = [make(article) for article in job.articles]
    name = f"{job.site} {job.design}" + ("" if "/" in job.design else f"/{job.naming}")
    return [(one.html, url_of(one)) for one in pages], pages[0].body, name, folds


def _design_of(job: _Job) -> tuple[frozenset[int], Callable[[StoredArticle], DesignedPage]]:
    """Return the folds of a design, and how it makes a page."""
    site, design = job.designed, job.design
    assert site is not None
    if "/" in design:
        return folds_of_collection(design, FOLDS), lambda article: written_page(site, article, design)
    if design in DESIGNS:
        folds = frozenset([fold_of_design(design, FOLDS)])
        return folds, lambda article: page_of(site, article, design, job.naming)
    seed = f"{job.site} {design}"
    folds = frozenset(random.Random(seed).sample(range(FOLDS), MIXTURE))
    own = mixed([name for name in DESIGNS if fold_of_design(name, FOLDS) in folds], seed)
    return folds, lambda article: page_of(site, article, design, job.naming, own)


def _read(
    pages: Sequence[tuple[bytes | str, str | None]],
) -> tuple[ParsedPage, Body, list[float] | None, Known] | None:
    """Return the first page with the body of the rules, or of the other pages' vote; None if there is none."""
    page = make_page(*pages[0])
    if len(pages) == 1:
        parsed = read(page, PathTrie())
        if isinstance(parsed, NoArticle):
            return None
        body = rules_body(parsed.lines, parsed.prior)
        return parsed, body, None, known_of(parsed.lines, parsed.head, body.kept, judge(parsed, body.kept).probability)
    example = Example(make_page(*pages[1]))
    for other in pages[2:]:
        example.learn(make_page(*other))
    parsed = example.read(page)
    if isinstance(parsed, NoArticle):
        return None
    valid = [vote for vote in cast_all(example.voters, parsed) if vote.counts]
    if not valid:
        return None
    voted = voted_body(parsed, valid)
    kept = voted.body.kept
    if not kept:
        return None
    known = known_of(parsed.lines, parsed.head, kept, judge(parsed, kept).probability)
    known = replace(known, match=max(vote.match for vote in valid), support=voted.support(kept))
    return parsed, voted.body, voted.similarity, known


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("evaluation.line_model", __doc__)
    parser.add_argument("--left-out", type=Path, metavar="MODELS", help="a folder that evaluation.left_out has written")
    parser.add_argument("--out", type=Path, default=HERE, metavar="DIR", help="default: that of the models in use")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="processes that read pages (default: 2)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
