"""`python -m evaluation.reproduction.bp_network DATA`: the BP network by its source's own measure, and by ours.

The source trains on 20 pages from several sites and tests on 40 to 50 others of each, one row a site:

    P = pages right / pages      R = pages complete / pages right      F = 2PR / (P + R)

It doesn't define right and complete. Ours: F1 over shingles ≥ .9, and recall ≥ .99. Judged is the text of the article
that comes out, so all that the table says is of the method as it is used.

Three ways to train. "source": as above, five pages of each of the four sites; a set that is no site trains on 20
pages of its own. "unseen": the shipped recipe, without the set that is judged. "shipped": the weights that come along,
which saw some of the pages. `--export` writes the pages that they learned from, for `extractors.bp_network.train`.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import compress
from pathlib import Path
from statistics import fmean, median
from unittest.mock import patch

from extractors import Section, density
from extractors.assembly import assemble
from extractors.bp_network import words
from extractors.bp_network.extractor import (
    CONFIDENCE,
    VERBATIM_WEIGHTS,
    WEIGHTS,
)
from extractors.bp_network.network import USED, VERBATIM, load

from ..data import DataError, DataSet, read_sets
from ..methods import UnknownName, nearest
from ..results import score_row
from ..tables import table
from ..timing import parse, settle, take_turns, timed
from .bp_cases import (
    FORMS,
    RECIPE_PAGES,
    RIGHT,
    SOURCE_PAGES,
    Case,
    Cases,
    Figures,
    drawn,
    judge,
    others,
    read_cases,
    recipe,
    text_of,
    trained_on,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables asked for; exit code 2 for a mistake in the call."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        sets = [one for one in read_sets(options.data) if one.articles()]
        if options.export is not None:
            export(sets, options.export)
            return 0
        for part in options.parts:
            if part not in PARTS:
                raise nearest(part, PARTS, "part")
            print("\n".join(PARTS[part](sets, options)) + "\n")
    except (DataError, UnknownName, OSError) as error:
        parser.error(str(error))
    return 0


def source_protocol(sets: Sequence[DataSet], options: argparse.Namespace) -> Iterator[str]:
    """Yield the table of the source's protocol: means over several draws of pages and first weights."""
    cases = read_cases(sets)

    def draws(method: str, name: str) -> list[Figures]:
        return [drawn(FORMS[method], cases, name, seed, options.test) for seed in range(1, options.seeds + 1)]

    yield f"trained on {SOURCE_PAGES} pages, tested on up to {options.test} others; means of {options.seeds} draws"
    yield _table(FORMS, cases, draws)


def unseen(sets: Sequence[DataSet], options: argparse.Namespace) -> Iterator[str]:
    """Yield the table of sets that training never saw: means over several first weights."""
    cases = read_cases(sets)

    def judged(method: str, name: str) -> list[Figures]:
        form, pages = FORMS[method], others(cases, name)
        networks = [trained_on(form, pages, seed) for seed in range(1, options.seeds + 1)]
        return [judge(partial(text_of, form, network), cases[name]) for network in networks]

    yield f"trained on {RECIPE_PAGES} pages of each other set, tested on all pages; means of {options.seeds} seeds"
    yield _table(FORMS, cases, judged)


def shipped(sets: Sequence[DataSet], options: argparse.Namespace) -> Iterator[str]:
    """Yield the table of the weights that come along, beside `density` and the labels themselves, the best lines."""
    cases = read_cases(sets)
    texts: dict[str, Callable[[Case], str]] = {
        "bp-network": partial(text_of, FORMS["bp-network"], load(WEIGHTS, USED)),
        "bp-network-verbatim": partial(text_of, FORMS["bp-network-verbatim"], load(VERBATIM_WEIGHTS, VERBATIM)),
        "density": lambda case: assemble(case.parsed, density.cut(case.parsed)).text,
        "labels": lambda case: "\n".join(compress(case.parsed.lines.texts, case.body)),
    }
    yield "shipped weights, all pages, those of their training among them"
    yield _table(texts, cases, lambda method, name: [judge(texts[method], cases[name])])


def confidence(sets: Sequence[DataSet], options: argparse.Namespace) -> Iterator[str]:
    """Yield the share of right pages by the bytes of the text, on sets that training never saw."""
    cases = read_cases(sets)
    rows = []
    for method in ("bp-network", "bp-network-verbatim"):
        form = FORMS[method]
        right: dict[float, dict[str, list[bool]]] = {limit: {} for limit, _ in CONFIDENCE}
        for name, tested in cases.items():
            network = trained_on(form, others(cases, name), 1)
            for case in tested:
                text = text_of(form, network, case)
                limit = next(limit for limit, _ in CONFIDENCE if len(text.encode()) < limit)
                right[limit].setdefault(name, []).append(score_row(text, case.row).f1 >= RIGHT)
        for limit, by in right.items():
            pages = [one for verdicts in by.values() for one in verdicts]
            macro = fmean(map(fmean, by.values())) if by else 0.0
            rows.append([method, f"{limit:.0f}", str(len(pages)), f"{macro:.3f}", f"{fmean(pages or [False]):.3f}"])
    yield "share of right pages by bytes of the text, on sets that training never saw"
    yield table(["method", "below", "pages", "mean over sets", "over pages"], rows)


def speed(sets: Sequence[DataSet], options: argparse.Namespace) -> Iterator[str]:
    """Yield median CPU times: parsing, the method with either tokenizer, and `density` for comparison."""
    jieba, rjieba = _tokenizers()
    cuts = {"bp-network, jieba": jieba, "bp-network, rjieba": rjieba}
    remembered = {name: lru_cache(words.CACHED)(partial(_cut, cut)) for name, cut in cuts.items()}
    sections = {name: Section(None, method="bp-network") for name in cuts}
    others = {name: Section(None, method=name) for name in ("bp-network-verbatim", "density")}
    settle()
    times: dict[str, list[tuple[str, float, float]]] = {}
    for one in sets:
        for turn, row in enumerate(one.articles()[: options.test]):
            html = row.html()
            calls: dict[str, Callable[[], object]] = {"parse": partial(parse, html)}
            for name, section in sections.items():
                calls[name] = partial(_extract_with, remembered[name], section, html)
            for name, section in others.items():
                calls[name] = partial(section.extract, html)
            results = {name: ms for name, (_, ms) in take_turns(calls, turn).items()}
            for name, ms in results.items():
                times.setdefault(name, []).append((one.name, ms, ms / results["parse"]))
    yield "median CPU ms a page, and × the time of lxml.html.document_fromstring on the same bytes, interleaved"
    names = [one.name for one in sets]
    yield table(
        ["method", "all sets", *names],
        [[name, _speed(rows), *(_speed([row for row in rows if row[0] == one]) for one in names)]
         for name, rows in times.items()],
    )  # fmt: skip


def tokens(sets: Sequence[DataSet], options: argparse.Namespace) -> Iterator[str]:
    """Yield how many runs of Chinese, in titles and all lines, jieba and rjieba cut differently, and their CPU time."""
    cuts = _tokenizers()
    rows = []
    for name, cases in read_cases(sets).items():
        texts = [text for case in cases for text in (case.parsed.head.title, *case.parsed.lines.texts)]
        runs = list(dict.fromkeys(run for text in texts for run in words.HAN.findall(text)))
        (ours, slow), (theirs, fast) = (timed(partial(_cut_all, cut, runs)) for cut in cuts)
        differing = [run for run, one, other in zip(runs, ours, theirs, strict=True) if one != other]
        times = f"{slow:.0f}", f"{fast:.0f}", f"{slow / fast:.1f}" if runs else "–"
        rows.append([name, str(len(runs)), str(len(differing)), *times, " ".join(differing[:3]) or "–"])
    yield "distinct runs of Chinese that jieba and rjieba cut differently, and CPU ms for all"
    yield table(["set", "runs", "differ", "jieba", "rjieba", "×", "such as"], rows)


def export(sets: Sequence[DataSet], folder: Path) -> None:
    """Write the pages and texts from which the shipped weights are learned. Raises `DataError` if the folder exists."""
    if folder.exists():
        raise DataError(f"{folder} exists already")
    folder.mkdir(parents=True)
    for name, cases in read_cases(sets).items():
        for number, case in enumerate(recipe(cases)):
            (folder / f"{name}-{number:02}.html").write_bytes(case.row.html())
            (folder / f"{name}-{number:02}.txt").write_text(case.row.body or "", "utf-8")


def _table(methods: Iterable[str], cases: Cases, figures: Callable[[str, str], list[Figures]]) -> str:
    """Return a table of methods and sets, with the mean over the sets of each method."""
    rows = []
    for method in methods:
        of_sets = [figures(method, name) for name in cases]
        rows += [[method, name, *_means(found)] for name, found in zip(cases, of_sets, strict=True)]
        _, *shares = _means([one for found in of_sets for one in found])
        rows.append([method, "mean", "–", *shares[:3], "–", "–", shares[-1]])
    return table(["method", "set", "pages", "P", "R", "F", "F from", "to", "shingle F1"], rows)


def _means(figures: Sequence[Figures]) -> list[str]:
    f = [one.f for one in figures]
    return [
        str(figures[0].pages),
        f"{fmean(one.precision for one in figures):.1%}",
        f"{fmean(one.recall for one in figures):.1%}",
        f"{fmean(f):.1%}",
        f"{min(f):.1%}",
        f"{max(f):.1%}",
        f"{fmean(one.f1 for one in figures):.3f}",
    ]


def _tokenizers() -> tuple[Callable[[str], list[str]], Callable[[str], list[str]]]:
    """Return jieba's cut and rjieba's. Raises `DataError` without the latter."""
    try:
        return words.jieba_tokenizer(), words.rjieba_tokenizer()
    except ImportError:
        raise DataError("rjieba is not installed: pip install -e '.[fast]'") from None


def _cut(cut: Callable[[str], list[str]], run: str) -> tuple[str, ...]:
    return tuple(cut(run))


def _cut_all(cut: Callable[[str], list[str]], runs: list[str]) -> list[list[str]]:
    return [list(cut(run)) for run in runs]


def _extract_with(cut: Callable[[str], tuple[str, ...]], section: Section, html: bytes) -> object:
    with patch("extractors.bp_network.topic.cut_run", cut):
        return section.extract(html)


def _speed(rows: Sequence[tuple[str, float, float]]) -> str:
    return f"{median(row[1] for row in rows):.2f} ({median(row[2] for row in rows):.2f}×)"


PARTS: dict[str, Callable[[Sequence[DataSet], argparse.Namespace], Iterator[str]]] = {
    "source": source_protocol,
    "unseen": unseen,
    "shipped": shipped,
    "confidence": confidence,
    "speed": speed,
    "tokens": tokens,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.reproduction.bp_network",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, help="folder with sets/ and sites/")
    parser.add_argument(
        "parts", nargs="*", default=["source", "unseen", "shipped"], metavar="PART", help=", ".join(PARTS)
    )
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="draws that are averaged; default: 5")
    parser.add_argument("--test", type=int, default=50, metavar="N", help="pages tested a set; default: 50")
    parser.add_argument("--export", type=Path, metavar="DIR", help="only write the shipped weights' training pages")
    return parser


if __name__ == "__main__":
    sys.exit(main())
