"""`python -m evaluation.reproduction.bp_network DATA`: the BP network by the measure of its source, and by ours.

The source trains on 20 pages from several sites and tests on 40 to 50 others of each, one row per site:

    P = pages right / pages      R = pages complete / pages right      F = 2PR / (P + R)

It does not define right and complete. Our definitions: F1 over shingles ≥ .9, and recall ≥ .99; a page with an empty
text is wrong. The text of the extracted article is judged, so the tables describe the method in use.

Sites are those of the data: each site with `--least` pages has a row, the other pages of a set have one together. A
page's site is its domain, or its set if that is one site.

source      as above: 20 pages, taken evenly from all sites that have a row; a mixed set learns from 20 of its own
unseen      the shipped recipe, in five folds of sites: no network judges a site that it learned from
ablation    the source's, trained again without some of the inputs (`--inputs`), and with other numbers of hidden
            units (`--hidden`): the source found its 5 by trial; `ablation-unseen` does it with sites left out
shipped     the shipped weights, which saw some of the pages; `density`; the labels, the best result of any lines
confidence  share of right pages by the bytes of the text, in folds of sites

`--export` writes the training pages of the shipped weights, for `extractors.methods.bp_network.train`.
"""

import argparse
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import compress
from pathlib import Path
from statistics import fmean

from extractors.content.assembly import assemble
from extractors.methods.bp_network.extractor import CONFIDENCE, VERBATIM_WEIGHTS, WEIGHTS
from extractors.methods.bp_network.network import USED, VERBATIM, Network, load
from extractors.methods.density import extractor as density
from extractors.training import positive

from ..arguments import comma_list, count, mistakes, parser_of
from ..data import DataError, DataSet, read_sets
from ..line_model import FOLDS
from ..methods import UnknownName, check_known
from ..results import score_row
from ..tables import table
from .bars import is_right
from .bp_cases import (
    FORMS,
    GROUPS,
    LEAST_SITE,
    RECIPE_PAGES,
    RECIPE_ROUNDS,
    SOURCE_PAGES,
    Case,
    Cases,
    Form,
    UnitFigures,
    drawn,
    folds_of,
    judge,
    learnable,
    read_cases,
    recipe,
    text_of,
    trained_on,
    units,
    without_fold,
)
from .speed import sampled

NOT_DRAWABLE = "no site or set has two pages with their text"
FIGURES = ("pages", "P", "R", "F", "F from", "to", "shingle F1", "bag F1")


@dataclass(frozen=True)
class Material:
    """The data of the tables; pages are read once, when they are first needed."""

    sets: Sequence[DataSet]
    options: argparse.Namespace

    @cached_property
    def cases(self) -> Cases:
        """All pages by set."""
        return read_cases(self.sets)

    @cached_property
    def units(self) -> Cases:
        """The pages by row of the tables."""
        return units(self.cases, self.options.least)

    @cached_property
    def folds(self) -> dict[str, int]:
        """The fold of each site."""
        return folds_of(self.cases)

    @property
    def seeds(self) -> range:
        """The seeds of first weights and of draws of pages."""
        return range(1, self.options.seeds + 1)

    @cached_property
    def _trained(self) -> dict[tuple[Hashable, ...], Network]:
        return {}

    def network(self, form: Form, fold: int, seed: int) -> Network:
        """Return the network that has not learned from the sites of a fold; forms that learn the same share one."""
        key = form.verbatim, form.without, form.hidden, fold, seed
        if key not in self._trained:
            self._trained[key] = trained_on(form, without_fold(self.cases, self.folds, fold), seed, RECIPE_ROUNDS)
        return self._trained[key]

    @property
    def drawable(self) -> Cases:
        """The rows with pages both to learn from and to test on."""
        return {name: pages for name, pages in self.units.items() if len(learnable(pages)) > 1}

    def draws(self, form: Form, name: str) -> list[UnitFigures]:
        """Return the figures of a row by the source's protocol, one for each seed."""
        options = self.options
        return [drawn(form, self.units, name, seed, options.test, options.least) for seed in self.seeds]

    def left_out(self, form: Form, name: str) -> list[UnitFigures]:
        """Return the figures of a row by networks that never saw the site of a page, one for each seed."""
        return [judge(partial(self.text, form, seed), self.units[name]) for seed in self.seeds]

    def text(self, form: Form, seed: int, case: Case) -> str:
        """Return the text of a page by the network that has not learned from its site."""
        return text_of(form, self.network(form, self.folds[case.site], seed), case)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the requested tables; exit code 2 for a mistake in the call."""
    reader = parser()
    options = reader.parse_args(arguments)
    with mistakes(reader, DataError, UnknownName, OSError):
        sets = [sampled(one, options.sample) for one in read_sets(options.data) if one.articles()]
        if not sets:
            raise DataError(f"{options.data} has no article with a known body")
        if options.export is not None:
            export(sets, options.export)
            return 0
        check_known(options.parts, PARTS, "part")
        check_known(options.methods, FORMS, "method")
        material = Material(sets, options)
        for part in options.parts:
            print("\n".join(PARTS[part](material)) + "\n", flush=True)
    return 0


def source_protocol(material: Material) -> Iterator[str]:
    """Yield the table of the source's protocol: means over several draws of pages and first weights."""
    options, judged = material.options, material.drawable
    yield f"trained on {SOURCE_PAGES} pages, tested on up to {options.test} others; means of {options.seeds} draws"
    if not judged:
        yield NOT_DRAWABLE
        return
    yield _table(options.methods, judged, lambda method, name: material.draws(FORMS[method], name))


def unseen(material: Material) -> Iterator[str]:
    """Yield the table of sites that training never saw: means over several first weights."""

    yield (
        f"trained on up to {RECIPE_PAGES} pages of each site of the other {FOLDS - 1} of {FOLDS} folds of sites, "
        f"tested on all pages; means of {material.options.seeds} seeds"
    )
    yield _table(material.options.methods, material.units, lambda method, name: material.left_out(FORMS[method], name))


def ablation(material: Material, sites_left_out: bool = False) -> Iterator[str]:
    """Yield the table of networks trained again without some of the inputs, and with other numbers of hidden units.

    The protocol is that of the source, or of `unseen`. Figures are means over the units; "F lost": in points.
    """
    options = material.options
    found = material.units if sites_left_out else material.drawable
    if not found:
        yield NOT_DRAWABLE
        return
    rows = []
    for method in options.methods:
        form = FORMS[method]
        variants = {"as it is": form} | {f"without {name}": replace(form, without=name) for name in options.inputs}
        variants |= {f"{units} hidden": replace(form, hidden=units) for units in options.hidden if units != form.hidden}
        whole = 0.0
        for label, variant in variants.items():
            judged = material.left_out if sites_left_out else material.draws
            figures = [one for name in found for one in judged(variant, name)]
            f = fmean(one.f for one in figures)
            whole = f if variant == form else whole
            rows.append(
                [method, label, *_means(figures)[1:4], f"{round(100 * (whole - f), 1) + 0.0:.1f}", _means(figures)[-2]]
            )
    how = "sites left out" if sites_left_out else f"{SOURCE_PAGES} pages learned, up to {options.test} others tested"
    yield f"{how}; {sum(map(len, found.values()))} pages read of {len(found)} sites and sets; {options.seeds} seeds"
    yield table(["method", "variant", "P", "R", "F", "F lost", "shingle F1"], rows)


def shipped(material: Material) -> Iterator[str]:
    """Yield the table of the shipped weights, beside `density` and the labels themselves, the best lines."""
    texts: dict[str, Callable[[Case], str]] = {
        "bp-network": partial(text_of, FORMS["bp-network"], load(WEIGHTS, USED)),
        "bp-network-verbatim": partial(text_of, FORMS["bp-network-verbatim"], load(VERBATIM_WEIGHTS, VERBATIM)),
        "density": _by_density,
        "labels": lambda case: "\n".join(compress(case.parsed.lines.texts, case.body)) if case.parsed else "",
    }
    yield "shipped weights, all pages, those of their training among them"
    yield _table(texts, material.units, lambda method, name: [judge(texts[method], material.units[name])])


def confidence(material: Material) -> Iterator[str]:
    """Yield the share of right pages by the bytes of the text, on sites that training never saw."""
    form = FORMS["bp-network"]
    right: dict[float, dict[str, list[bool]]] = {limit: {} for limit, _ in CONFIDENCE}
    for name, tested in material.cases.items():
        for case in tested:
            text = material.text(form, 1, case)
            limit = next(limit for limit, _ in CONFIDENCE if len(text.encode()) < limit)
            right[limit].setdefault(name, []).append(is_right(score_row(text, case.row)))
    rows = []
    for limit, by in right.items():
        pages = [one for verdicts in by.values() for one in verdicts]
        macro = fmean(map(fmean, by.values())) if by else 0.0
        rows.append([f"{limit:.0f}", str(len(pages)), f"{macro:.3f}", f"{fmean(pages or [False]):.3f}"])
    yield "share of right pages by bytes of the text, on sites that training never saw"
    yield table(["bytes below", "pages", "mean over sets", "over pages"], rows)


def export(sets: Sequence[DataSet], folder: Path) -> None:
    """Write the pages and texts from which the shipped weights are learned. Raises `DataError` if the folder exists."""
    if folder.exists():
        raise DataError(f"{folder} exists already")
    folder.mkdir(parents=True)
    for name, cases in read_cases(sets).items():
        for number, case in enumerate(recipe(cases)):
            (folder / f"{name}-{number:03}.html").write_bytes(case.row.html())
            (folder / f"{name}-{number:03}.txt").write_text(case.row.body or "", "utf-8")


def _table(methods: Iterable[str], cases: Cases, figures: Callable[[str, str], list[UnitFigures]]) -> str:
    """Return a table of methods and units, with the mean over the units of each method."""
    rows = []
    for method in methods:
        of_units = [figures(method, name) for name in cases]
        rows += [[method, name, *_means(found)] for name, found in zip(cases, of_units, strict=True)]
        _, *shares = _means([one for found in of_units for one in found])
        rows.append([method, "mean", "–", *shares[:3], "–", "–", *shares[-2:]])
    return table(["method", "site or set", *FIGURES], rows)


def _means(figures: Sequence[UnitFigures]) -> list[str]:
    f = [one.f for one in figures]
    return [
        str(figures[0].pages),
        f"{fmean(one.precision for one in figures):.1%}",
        f"{fmean(one.recall for one in figures):.1%}",
        f"{fmean(f):.1%}",
        f"{min(f):.1%}",
        f"{max(f):.1%}",
        f"{fmean(one.f1 for one in figures):.3f}",
        f"{fmean(one.bag for one in figures):.3f}",
    ]


def _by_density(case: Case) -> str:
    return assemble(case.parsed, density.find_body(case.parsed)).text if case.parsed else ""


PARTS: dict[str, Callable[[Material], Iterator[str]]] = {
    "source": source_protocol,
    "unseen": unseen,
    "ablation": ablation,
    "ablation-unseen": partial(ablation, sites_left_out=True),
    "shipped": shipped,
    "confidence": confidence,
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = parser_of("evaluation.reproduction.bp_network", __doc__)
    parser.add_argument(
        "parts", nargs="*", default=["unseen", "source", "shipped"], metavar="PART", help=", ".join(PARTS)
    )
    parser.add_argument(
        "--least",
        type=positive,
        default=LEAST_SITE,
        metavar="N",
        help=f"pages of a site with a row of its own; default: {LEAST_SITE}",
    )
    parser.add_argument(
        "--methods",
        type=comma_list,
        default=list(FORMS),
        metavar="A,B",
        help=f"of source and unseen: {'; '.join(FORMS)}",
    )
    parser.add_argument("--seeds", type=positive, default=5, metavar="N", help="draws that are averaged; default: 5")
    parser.add_argument("--test", type=positive, default=50, metavar="N", help="pages tested a set; default: 50")
    parser.add_argument("--sample", type=count, default=0, metavar="N", help="pages read a set; default: all")
    parser.add_argument(
        "--inputs",
        type=_inputs,
        default=list(GROUPS),
        metavar="A,B",
        help=f"of ablation: inputs to leave out, each in turn; default: {','.join(GROUPS)}",
    )
    parser.add_argument(
        "--hidden", type=_span, default=[], metavar="A..B", help="of ablation: numbers of hidden units, such as 3..9"
    )
    parser.add_argument("--export", type=Path, metavar="DIR", help="only write the shipped weights' training pages")
    return parser


def _inputs(text: str) -> list[str]:
    names = comma_list(text)
    if unknown := [name for name in names if name not in GROUPS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no input; write some of {','.join(GROUPS)}")
    return names


def _span(text: str) -> list[int]:
    first, _, last = text.partition("..")
    last = last or first
    if not (first.isdecimal() and last.isdecimal() and 0 < int(first) <= int(last)):
        raise argparse.ArgumentTypeError(f"{text!r} is no span of numbers above 0; write, for example, 3..9")
    return list(range(int(first), int(last) + 1))


if __name__ == "__main__":
    sys.exit(main())
