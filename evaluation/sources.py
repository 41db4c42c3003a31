"""`python -m evaluation.sources DATA OUT`: tables and figures of the five sources from stored pages, as one HTML page.

OUT/index.html has a section for each source: each table of the source beside the same table measured here, the figures
drawn by `extractors.figures` for stored pages (SVG files beside the page), and the figures that docs/sources.md states.
A set gives at most `--pages` pages to a table, so that all is made in minutes; the commands on the page measure all
pages. Parts that need a GPU, or weights that the user has, are named and not made.
"""

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from pathlib import Path
from shlex import split
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from extractors import Article, Section, UnusablePage
from extractors.errors import ExtraMissing
from extractors.figures import NoFigure, check_path, draw, figure_data

from .arguments import mistakes, parser_of
from .data import DataError, DataSet, Row, read_sets
from .methods import parse_methods
from .predict import Selection, predict
from .reproduction import bp_network, constants, i_awce
from .reproduction.bp_cases import LEAST_SITE
from .reproduction.lists import TRUTH, read_selectors
from .reproduction.on_articles import articles, boilerpipe, thresholds
from .reproduction.on_lists import lists
from .reproduction.roles import Run, read_roles
from .reproduction.speed import io, sampled, some
from .results import results_of
from .tables import NOTHING, TextTable, table

PAGES = 12  # pages of a set in a table
STATED = Path(__file__).parents[1] / "docs" / "sources.md"
NONE = (("no figure", "the source gives none"),)
ALL = "python -m evaluation.reproduction"
BP = f"{ALL}.bp_network DATA"
F1 = "python -m evaluation DATA --methods"
EXAMPLES = "example,example-verbatim"
PATHS = "tag-paths,tag-paths-verbatim"


@dataclass(frozen=True)
class StoredPages:
    """The stored pages of a call; what several tables share is measured once. `pages`: of a set, in a table."""

    folder: Path
    pages: int

    @cached_property
    def sets(self) -> list[DataSet]:
        """All sets. Raises `DataError` for a folder without any."""
        return read_sets(self.folder)

    @cached_property
    def run(self) -> Run:
        """The sets as `evaluation.reproduction` reads them."""
        return Run(self.sets, self.pages, read_roles(), read_selectors(TRUTH))

    @cached_property
    def articles(self) -> list[str]:
        """The lines of part `articles`."""
        return list(articles(self.run))

    def of(self, *methods: str) -> Iterator[str]:
        """Yield the lines of part `articles`, the tables with the rows of some methods only."""
        for line in self.articles:
            if isinstance(line, TextTable):
                yield table(line.header, [row for row in line.rows if row[0] in methods])

    def networks(self, command: str) -> Iterator[str]:
        """Yield the lines of a command of the BP network, on the sampled pages of each set, with one draw."""
        words = [*split(command)[3:], "--sample", str(max(self.pages, LEAST_SITE)), "--seeds", "1"]
        options = bp_network.parser().parse_args([*words, "--test", str(self.pages)])
        sets = [sampled(one, options.sample) for one in self.sets if one.articles()]
        material = bp_network.Material(sets, options)
        return chain.from_iterable(bp_network.PARTS[part](material) for part in options.parts)

    def constants(self, *methods: str) -> Iterator[str]:
        """Yield the tables of the constants that the other sets choose."""
        sets = [one for one in self.sets if one.articles()]
        for name in methods:
            method = constants.METHODS[name]
            yield name
            yield from constants.report(method, constants.measured(method, sets, self.pages, self.run.roles))

    def types(self) -> Iterator[str]:
        """Yield the tables of page types, by structure."""
        judged = [i_awce.judge(page, nullcontext()) for page in i_awce.read_pages(self.folder, self.pages)]
        yield "by structure, with the shipped models, which may have learned from these pages"
        yield from (i_awce.types(judged), i_awce.texts(judged)) if judged else ("no labelled page",)

    def f1(self, methods: str) -> Iterator[str]:
        """Yield shingle F1 by set."""
        settings = Selection(sample=self.pages, pages=self.pages)
        found = predict(self.sets, self.sets, parse_methods(methods.split(","), 4), [], [], settings)
        results = results_of(found, settings.seed, 0)
        cells = {(one.method, one.set): f"{one.f1:.3f} ({one.pages})" for one in results if one.pages}
        names = sorted({name for _, name in cells})
        columns = methods.split(",")
        yield "shingle F1 (number of pages, or of pairs of example and page)"
        yield table(
            ["set", *columns], [[name, *(cells.get((one, name), NOTHING) for one in columns)] for name in names]
        )

    def kinds(self) -> Iterator[str]:
        """Yield the number of articles and lists in each set."""
        yield table(
            ["set", "articles", "lists"], [[s.name, f"{len(s.articles())}", f"{len(s.lists())}"] for s in self.sets]
        )

    def output(self) -> Iterator[str]:
        """Yield what is extracted from one page: its title, keywords, date and body."""
        for row in _varied(self, lambda one: one.articles()):
            found = Section(None, method="line-blocks").extract(row.html(), row.url)
            if isinstance(found, Article):
                cells = ("title", found.title), ("keywords", ", ".join(found.keywords)), ("date", str(found.published))
                yield table(
                    ["field", "value"], [*([k, v or NOTHING] for k, v in cells), ["body", f"{found.text[:200]}…"]]
                )
                return


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table of a source. `there`: its rows in the source; `command`: what measures all pages; `here`: the lines."""

    name: str
    there: Sequence[Sequence[str]]
    command: str
    here: Callable[[StoredPages], Iterable[str]]


@dataclass(frozen=True, slots=True)
class SourceFigure:
    """A figure of a source: our figure of a method, drawn for `count` pages. `on`: pages of a set to choose from."""

    name: str
    method: str
    count: int = 1
    on: Callable[[DataSet], list[Row]] = DataSet.articles

    def drawn(self, stored: StoredPages, out: Path, stem: str) -> Iterator[tuple[str, str]]:
        """Draw it for stored pages of different sites, and yield the name of each file and its page."""
        needed = self.method in EXAMPLES.split(",")
        examples = {id(row): one for s in stored.sets for one, row in s.pairs()} if needed else {}
        number = 0
        for row in _varied(stored, self.on):
            example = examples[id(row)].html() if id(row) in examples else None
            if number == self.count or (needed and example is None):
                continue
            to = out / f"{stem}-{self.method}-{number + 1}.svg"
            try:
                draw(figure_data(row.html(), row.url, method=self.method, example=example, refuse="never"), to)
            except (NoFigure, UnusablePage):
                continue
            number += 1
            yield to.name, row.url or row.id


def _varied(stored: StoredPages, on: Callable[[DataSet], list[Row]]) -> Iterator[Row]:
    """Yield pages, one of each site and section, by turns of the sets, those of Chinese news first."""
    first = stored.run.roles.news
    sets = sorted(stored.sets, key=lambda one: (one.name not in first, one.name))
    by_set = [{row.group or row.id: row for row in some(on(one), stored.pages, one.name)}.values() for one in sets]
    yield from (row for turn in zip_longest(*by_set) for row in turn if row is not None)


def _of_networks(name: str, there: Sequence[Sequence[str]], words: str) -> SourceTable:
    command = f"{BP} {words}"
    return SourceTable(name, there, command, lambda stored: stored.networks(command))


SOURCES: dict[str, Sequence[SourceTable | SourceFigure]] = {
    "000": (
        _of_networks(
            "Table 1: P, R and F by site",
            (
                ("site", "pages", "P", "R", "F"),
                ("www.xinhuanet.com", "40", "95 (36 of 40)", "88.9", "89.4"),
                ("www.163.com", "40", "92.5", "89.2", "90.8"),
                ("www.sina.com.cn", "50", "86", "93", "89.4"),
                ("www.sohu.com", "50", "90", "93.3", "91.6"),
            ),
            "source --methods bp-network,bp-network-verbatim",
        ),
        _of_networks(
            "Trial of the hidden nodes, and training without relevance",
            (("hidden nodes", "5, found by trial"), ("relevance s", "the contribution; no figure")),
            "ablation --methods bp-network,bp-network-verbatim --inputs s --hidden 3..9",
        ),
        SourceFigure("Figure 1, the network: its output for each line", "bp-network-verbatim", 2),
    ),
    "001": (
        SourceTable(
            "Figure 1: the fields of the output",
            (("fields", "title, keywords, date, body"),),
            "exemplar extract page.html --method line-blocks",
            StoredPages.output,
        ),
        SourceTable(
            "Chinese news pages right",
            (("line blocks", "≥ 95%"),),
            f"{ALL} DATA articles",
            lambda s: s.of("line-blocks", "line-blocks-verbatim"),
        ),
        SourceTable("1,000 pages, files to files", (("seconds", "21.29"),), f"{ALL} DATA io", lambda s: io(s.run)),
        SourceTable(
            "The constants",
            (("K, lines of a block", "3"),),
            f"{ALL}.constants DATA line-blocks",
            lambda s: s.constants("line-blocks"),
        ),
        SourceFigure("Figures 3 to 9: distribution of the line blocks", "line-blocks-verbatim", 7),
        SourceFigure("The same in the improved form", "line-blocks", 2),
    ),
    "002": (
        SourceTable("Accuracy", NONE, f"{F1} {PATHS}", lambda s: s.f1(PATHS)),
        SourceTable(
            "Thresholds from sample pages, list noise Cn", NONE, f"{ALL} DATA thresholds", lambda s: thresholds(s.run)
        ),
        SourceTable(
            "The constants",
            (("θ splits outside", "[0.85, 2]"),),
            f"{ALL}.constants DATA tag-paths tag-paths-verbatim",
            lambda s: s.constants(*PATHS.split(",")),
        ),
        SourceFigure("Figure 1, a list block: clusters of an article", "tag-paths", 2),
        SourceFigure("Figure 1, a list block: clusters of a list page", "tag-paths", 2, DataSet.lists),
    ),
    "003": (
        SourceTable("Table 3: the data", (("sites", "16"),), "", StoredPages.kinds),
        SourceTable(
            "Table 5: types of pages",
            (("ResNet-101", "98.68%"), ("its articles", "100%"), ("its lists", "96.92%"), ("other networks", "lost")),
            f"{ALL}.i_awce DATA   (screenshots: python -m evaluation.visual, GPU)",
            StoredPages.types,
        ),
        SourceTable(
            "Table 7: articles",
            (("P and R", "above Boilerpipe's; figures lost"),),
            f"{ALL} DATA articles boilerpipe",
            lambda s: chain(s.of("article-deviation", "article-deviation-verbatim"), boilerpipe(s.run)),
        ),
        SourceTable("Table 8: lists", (("P", "≥ 95%"), ("R", "≥ 95%")), f"{ALL} DATA lists", lambda s: lists(s.run)),
        SourceFigure("Figures 2 and 7, an article and its depths: the descent", "article-deviation", 2),
        SourceFigure("Figure 3, a list: ranking of its ids", "list-rank", 2, DataSet.lists),
    ),
    "004": (
        SourceTable("Accuracy", NONE, f"{F1} {EXAMPLES}", lambda s: s.f1(EXAMPLES)),
        SourceFigure("Figures 3 and 4: similarity from both ends, the texts in three parts", "example-verbatim", 3),
        SourceFigure("The same by line, in the improved form", "example", 2),
    ),
}


def main(words: Sequence[str] | None = None) -> int:
    """Write the page and print its path; exit code 2 for a mistake in the call or in the data."""
    parser = parser_of("evaluation.sources", __doc__)
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for index.html and its pictures")
    parser.add_argument("--pages", type=int, default=PAGES, metavar="N", help=f"of a set, at most; default: {PAGES}")
    parser.add_argument(
        "--sources", nargs="+", choices=SOURCES, default=[*SOURCES], metavar="NUMBER", help="default: all"
    )
    arguments = parser.parse_args(words)
    if arguments.pages < 1:
        parser.error(f"--pages {arguments.pages}: a table needs at least 1 page of a set")
    stored = StoredPages(arguments.data, arguments.pages)
    with mistakes(parser, DataError, ExtraMissing, OSError):
        check_path(arguments.out / "figure.svg")
        page = arguments.out / "index.html"
        count = f"{sum(len(one.articles()) for one in stored.sets)} articles of {len(stored.sets)} sets"
        arguments.out.mkdir(parents=True, exist_ok=True)
        sections = [_section(number, stored, arguments.out) for number in arguments.sources]
        page.write_text(_template().render(stored=stored, count=count, sections=sections), "utf-8")
    print(page)
    return 0


def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined).get_template("sources.html")


def _section(number: str, stored: StoredPages, out: Path) -> dict[str, Any]:
    title, stated = _stated(number)
    parts = [_part(one, stored, out, f"{number}-{place}") for place, one in enumerate(SOURCES[number])]
    return {"title": title, "parts": parts, "stated": stated}


def _part(one: SourceTable | SourceFigure, stored: StoredPages, out: Path, stem: str) -> dict[str, Any]:
    """Return what the template shows of a table or of a figure; a table that this data does not have says so."""
    begun = time.monotonic()
    if isinstance(one, SourceFigure):
        found: dict[str, Any] = {"pictures": list(one.drawn(stored, out, stem))}
    else:
        try:
            found = {"lines": list(one.here(stored))}
        except DataError as error:
            found = {"lines": [f"not measured: {error}"]}
    print(f"{stem}  {time.monotonic() - begun:6.1f} s  {one.name}", file=sys.stderr, flush=True)
    return {"one": one, **found}


def _stated(number: str) -> tuple[str, list[list[str]]]:
    """Return the title of a source's section in docs/sources.md, and part, form and figures of each of its rows."""
    section = STATED.read_text("utf-8").partition(f"\n## {number}: ")[2].partition("\n## ")[0]
    title, _, rest = section.partition("\n")
    rest = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", rest)  # links lead to other pages of docs/
    rows = [[cell.strip() for cell in line.split("|")] for line in rest.splitlines() if line.startswith("| ")]
    return f"{number}: {title}", [[row[1], row[4], row[5]] for row in rows]


if __name__ == "__main__":
    sys.exit(main())
