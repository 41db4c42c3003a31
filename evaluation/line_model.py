"""`python -m evaluation.line_model DATA`: trains the line model of `density`.

It is trained on the scored pages of all sets of DATA, at most `PER_SITE` of a site, unchanged and in the perturbed
forms of `perturb`, with the weights in `FORMS`. The lines of a page together have a weight of about 1. Seeds are fixed:
the same pages, library versions and machine give the same weights.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from extractors.article import NoArticle
from extractors.content.assembly import read
from extractors.content.line_model.features import NAMES, features_of
from extractors.content.line_model.opinion import WEIGHTS
from extractors.content.line_model.trees import Trees, fit, save
from extractors.content.page_body import rules_body
from extractors.errors import UnusablePage
from extractors.html.paths import PathTrie
from extractors.page_types.labelled import domain_of
from extractors.section import make_page

from .data import DataError, DataSet, Row, read_sets
from .line_labels import line_labels
from .perturb import PERTURBATIONS

PER_SITE = 12  # pages of a site that are used for training
FORMS = {"plain": 1.0, "pieces": 0.5, "names": 0.3, "short": 0.3}  # weight of each form of a page
SITE_PAGES = 8  # a site's pages together weigh at most as much as this many
LINE_POWER, LINE_LEAST = 0.7, 0.002  # weight of a line: (its share of the body's words) ** power, and the least weight
LEAST_WORDS = 30  # words of a body from which lines are weighted
FOLDS = 5
SAME_SITE = {"meiwen_desktop_zh": "meiwen", "meiwen_mobile_zh": "meiwen"}  # one site in two themes


@dataclass(frozen=True, slots=True)
class LabelledForm:
    """A page in one form: `values` (lines, features), `target` and `weight` of each line."""

    set: str
    site: str
    form: str
    values: NDArray[np.float32]
    target: NDArray[np.float32]
    weight: NDArray[np.float64]


def main(words: Sequence[str] | None = None) -> int:
    """Train and write; exit code 2 for a mistake in call or data."""
    parser = _parser()
    arguments = parser.parse_args(words)
    try:
        examples = read_examples(read_sets(arguments.data), arguments.processes)
    except DataError as error:
        parser.error(str(error))
    pages, sites = sum(one.form == "plain" for one in examples), len({(one.set, one.site) for one in examples})
    about = {"pages": pages, "sites": sites, "sets": sorted({one.set for one in examples})}
    save(learn(examples), arguments.out, about)
    print(f"{arguments.out}: learned from {pages} pages of {sites} sites")
    return 0


def family_of(name: str) -> str:
    """Return the name under which sets of one site are left out together."""
    return SAME_SITE.get(name, name)


def fold_of(site: str) -> int:
    """Return the fold of a site, 0 to `FOLDS` − 1; the same in each run."""
    return blake2b(site.encode(), digest_size=4).digest()[0] % FOLDS


def site_of(row: Row, set_name: str) -> str:
    """Return the site by which pages are left out together."""
    return (
        family_of(set_name) if set_name in SAME_SITE else domain_of(row.url) or row.group.partition("/")[0] or set_name
    )


def read_examples(sets: Sequence[DataSet], processes: int) -> list[LabelledForm]:
    """Return all pages for training in all forms; forms that a page does not have are left out."""
    counts: Counter[tuple[str, str]] = Counter()
    jobs = []
    for one in sets:
        for row in one.articles():
            key = (one.name, site_of(row, one.name))
            counts[key] += 1
            if row.body and counts[key] <= PER_SITE:
                jobs += [(one.name, key[1], row, form) for form in FORMS]
    with Pool(processes) as pool:
        found = [one for one in pool.imap(_example, jobs, chunksize=16) if one is not None]
    sizes = Counter((one.set, one.site, one.form) for one in found)
    return [_weighed(one, sizes[one.set, one.site, one.form]) for one in found]


def learn(examples: Sequence[LabelledForm]) -> Trees:
    """Return the trees learned from pages."""
    return fit(
        NAMES,
        np.concatenate([one.values for one in examples]),
        np.concatenate([one.target for one in examples]).astype(np.float64),
        np.concatenate([one.weight for one in examples]),
    )


def _example(job: tuple[str, str, Row, str]) -> LabelledForm | None:
    set_name, site, row, form = job
    html: bytes | None = row.html()
    if form != "plain" and html is not None:
        html, row = PERTURBATIONS[form].page(html, row), PERTURBATIONS[form].row(row)
    if html is None:
        return None
    try:
        parsed = read(make_page(html, row.url), PathTrie())
    except UnusablePage:
        return None
    if isinstance(parsed, NoArticle):
        return None
    body = rules_body(parsed.lines, parsed.prior)
    values = features_of(parsed.lines, parsed.prior, body)
    target, count = line_labels(parsed.lines.texts, row.body or "")
    share = count / max(LEAST_WORDS, float((target * count).sum()))
    return LabelledForm(set_name, site, form, values, target, np.minimum(share, 1) ** LINE_POWER + LINE_LEAST)


def _weighed(one: LabelledForm, pages: int) -> LabelledForm:
    weight = one.weight * FORMS[one.form] * min(1.0, SITE_PAGES / pages)
    return LabelledForm(one.set, one.site, one.form, one.values, one.target, weight)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.line_model",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="folder with sets/ and sites/")
    parser.add_argument("--out", type=Path, default=WEIGHTS, metavar="FILE", help="default: the model in use")
    parser.add_argument(
        "--left-out", type=Path, metavar="DIR", help="models that have not seen a set or a fold of sites"
    )
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="processes that read pages (default: 2)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
