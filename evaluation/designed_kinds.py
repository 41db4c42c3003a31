"""`python -m evaluation.designed_kinds DATA`: extractions of pages in the designs of other kinds than articles.

Each design is drawn for a few sites, alone and beside another page of the same site. The table gives, for each
collection, F1 of words as a bag, the share of pages whose F1 is below .8, and, as a share of all pages, those of
them with a confidence of at least .9. With `--left-out MODELS` (of `evaluation.left_out`) only the confidence learned
from the collection.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from extractors import Article, Section

from .arguments import count, mistakes, parser_of
from .data import DataError, read_sets
from .designs.stored import DesignedSite, sites_of, url_of
from .designs.written import KINDS, collections, folds_of_collection, written_page
from .left_out import LeftOut
from .line_model import FOLDS, fold_of, site_of
from .scores import bag_score
from .tables import table

RIGHT, SURE = 0.8, 0.9  # F1 from which a text is right; confidence from which a wrong one misleads


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text: its F1 and its confidence."""

    f1: float
    confidence: float


def main(words: Sequence[str] | None = None) -> int:
    """Print the table; exit code 2 for a mistake in call or data."""
    parser = parser_of("evaluation.designed_kinds", __doc__)
    parser.add_argument("--left-out", type=Path, metavar="MODELS", help="a folder that evaluation.left_out has written")
    parser.add_argument("--sites", type=count, default=3, metavar="N", help="sites for each design (default: 3)")
    arguments = parser.parse_args(words)
    with mistakes(parser, DataError):
        left_out = LeftOut(arguments.left_out) if arguments.left_out else None
        sites = sites_of(read_sets(arguments.data), lambda row, name: fold_of(site_of(row, name)))
        found: dict[tuple[str, bool], list[JudgedText]] = defaultdict(list)
        for collection, designs in collections(KINDS).items():
            fold = min(folds_of_collection(designs[0], FOLDS))
            with left_out.without_fold(fold) if left_out else nullcontext():
                for design in designs:
                    for beside, one in _measured(design, sites, arguments.sites):
                        found[collection, beside].append(one)
        for beside in (False, True):
            found["all", beside] = [one for name in collections(KINDS) for one in found[name, beside]]
    print(
        table(
            ["collection", "", "pages", "bag F1", "wrong", "surely"], [_row(*key, some) for key, some in found.items()]
        )
    )
    return 0


def _measured(design: str, sites: Sequence[DesignedSite], number: int) -> Iterator[tuple[bool, JudgedText]]:
    """Yield the results for a design: whether the page was read beside another one, and what came of it."""
    for site in random.Random(design).sample(sites, min(number, len(sites))):
        example, page = (written_page(site, article, design) for article in site.articles[:2])
        for beside in (False, True):
            section = Section(example.html, url_of(example)) if beside else Section(None)
            result = section.extract(page.html, url_of(page), refuse="never")
            text, confidence = (result.text, result.confidence) if isinstance(result, Article) else ("", 0.0)
            yield beside, JudgedText(bag_score(text, page.body).f1, confidence)


def _row(collection: str, beside: bool, some: Sequence[JudgedText]) -> list[str]:
    wrong = [one for one in some if one.f1 < RIGHT]
    surely = sum(one.confidence >= SURE for one in wrong) / len(some)
    where = "beside another" if beside else "alone"
    f1 = fmean(one.f1 for one in some)
    return [collection, where, str(len(some)), f"{f1:.3f}", f"{len(wrong) / len(some):.1%}", f"{surely:.1%}"]


if __name__ == "__main__":
    sys.exit(main())
