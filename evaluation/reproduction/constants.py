"""`python -m evaluation.reproduction.constants DATA [METHOD …]`: scores with constants chosen without the set.

`line-blocks` (001), `tag-paths` (002) and `article-deviation` (003) have a few constants that their sources do not
give. Each page, an article, is read once
and extracted with all values of a small grid. Then for each set those values are chosen that give the other sets the
highest mean F1 (shingles, see `evaluation.scores`): the set's score with them is "left out", beside that with the
constants in use. Two sets of one site are left out together. Chinese news (--news) are scored as one set, too, each
page with the values that were chosen without its own set.

The second table changes one constant at a time. Values that a source rules out are tried there, but never chosen.
"""

import argparse
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from statistics import fmean
from typing import Any

from extractors import UnusablePage
from extractors.content.assembly import BodyLines
from extractors.content.body_fragment import assemble_lines
from extractors.html.tagless_text import BlockTree, Ctext, build_tree, read_ctext
from extractors.methods.article_deviation import extractor as deviation
from extractors.methods.line_blocks import extractor as line_blocks
from extractors.methods.tag_paths import (
    extractor as tag_paths,
)
from extractors.methods.tag_paths import (
    verbatim as tag_paths_verbatim,
)
from extractors.methods.tag_paths.extractor import LeafOutline, Leaves, OpenConstants, read_outline
from extractors.page import Page, make_page

from ..arguments import comma_list, mistakes, parser_of
from ..data import DataError, DataSet, Row, read_sets
from ..line_model import family_of
from ..methods import UnknownName, check_known
from ..results import score_row
from ..scores import Score, mean
from ..tables import table
from .bars import share_right
from .roles import Roles, read_roles
from .speed import some

Setting = tuple[float, ...]  # a value for each constant


@dataclass(frozen=True, slots=True)
class TunedMethod:
    """The values to try: `grid` by constant, first the value in use; `shown`: values that are never chosen.

    `read` computes the parts of a page that all settings share, `find` finds the body, `text` returns its text.
    """

    grid: Mapping[str, Sequence[float]]
    read: Callable[[Page], Any]
    find: Callable[[Any, Setting], Hashable]
    text: Callable[[Page, Any, Any], str]
    shown: Mapping[str, Sequence[float]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The constants."""
        return [*self.grid, *(name for name in self.shown if name not in self.grid)]

    def in_use(self) -> Setting:
        """Return the setting in use."""
        return tuple((self.grid.get(name) or self.shown[name])[0] for name in self.names)

    def choosable(self) -> list[Setting]:
        """All settings of the grid."""
        rest = self.in_use()[len(self.grid) :]
        return [(*values, *rest) for values in product(*map(dict.fromkeys, self.grid.values()))]

    def alternatives(self) -> Iterator[tuple[str, Setting]]:
        """Yield the settings that differ from that in use by one constant, with its name."""
        used = self.in_use()
        for place, name in enumerate(self.names):
            for value in sorted({*self.grid.get(name, ()), *self.shown.get(name, ())}):
                yield name, (*used[:place], value, *used[place + 1 :])


@dataclass(frozen=True, slots=True)
class PageScores:
    """A page's scores by setting. `news`: whether it is Chinese news."""

    scores: Mapping[Setting, Score]
    news: bool


def _line_blocks_find(ctext: Ctext, setting: Setting) -> Hashable:
    gap, link, width, comment = setting
    return line_blocks.dense_range(line_blocks.weights(ctext, int(gap), int(link), comment), int(width))


def _line_blocks_text(page: Page, ctext: Ctext, found: tuple[int, int]) -> str:
    return assemble_lines(page, ctext, *found, BodyLines([], 0, "line-blocks", 1, "")).text


def _tag_paths_read(page: Page) -> tuple[Ctext, LeafOutline]:
    ctext = read_ctext(page.html)
    return ctext, read_outline(ctext)


def _tag_paths_find(read: tuple[Ctext, LeafOutline], setting: Setting) -> Hashable:
    length, noise, alike, frequency, variance = setting
    thresholds = tag_paths.page_thresholds(read[1].leaves, noise, length)
    return tuple(tag_paths.body_leaves(read[1], thresholds, frequency, alike, OpenConstants(variance)))


def _tag_paths_text(page: Page, read: tuple[Ctext, LeafOutline], found: Leaves) -> str:
    return tag_paths.assemble_leaves(page, *read, found, BodyLines([], 0, "tag-paths", 1, "")).text


def _descent_read(page: Page) -> tuple[Ctext, BlockTree]:
    ctext = read_ctext(page.html)
    return ctext, build_tree(ctext)


def _descent_find(read: tuple[Ctext, BlockTree], setting: Setting) -> Hashable:
    share, cost = setting
    sizes = deviation.text_sizes(*read, int(cost))
    return deviation.find_body(read[1], sizes, share) if sizes[0] else None


def _descent_text(page: Page, read: tuple[Ctext, BlockTree], body: int) -> str:
    ctext, tree = read
    lines = BodyLines([], 0, deviation.METHOD, 1.0, "")
    return assemble_lines(page, ctext, tree.starts[body], tree.ends[body], lines).text


def _verbatim_find(tree: tag_paths_verbatim.Tree, setting: Setting) -> Hashable:
    centres, variance, size, span, filtered = setting
    settings = OpenConstants(variance, int(size), span, int(centres))
    thresholds = tag_paths_verbatim.learn_thresholds(tree, settings)
    segment = tag_paths.body_segment(tree.leaves, thresholds, settings)
    least = thresholds.frequency if filtered else 0
    return (tuple(segment), tuple(tag_paths_verbatim.frequent(tree, segment, least))) if segment else None


def _verbatim_text(page: Page, tree: tag_paths_verbatim.Tree, found: tuple[Leaves, Leaves]) -> str:
    return tag_paths_verbatim.assemble_chunks(page, tree, *found).text


METHODS = {
    "line-blocks": TunedMethod(
        {"GAP": (line_blocks.GAP, 2, 6, 8, 10), "LINK": (line_blocks.LINK, 1, 3)},
        lambda page: read_ctext(page.html),
        _line_blocks_find,
        _line_blocks_text,
        {"BLOCK_WIDTH": (line_blocks.BLOCK_WIDTH, 1, 2, 4, 5), "COMMENT": (line_blocks.COMMENT, 0.4, 1)},
    ),
    "tag-paths": TunedMethod(
        {
            "LENGTH_SHARE": (tag_paths.LENGTH_SHARE, 0.3, 0.4, 0.5),
            "NOISE": (tag_paths.NOISE, 0.15, 0.5),
            "ALIKE": (tag_paths.ALIKE, 0.3, 0.7),
            "FREQUENCY_SHARE": (tag_paths.FREQUENCY_SHARE, 0, 0.25, 0.5),
        },
        _tag_paths_read,
        _tag_paths_find,
        _tag_paths_text,
        {
            "FREQUENCY_SHARE": (tag_paths.FREQUENCY_SHARE, 1),
            "VARIANCE": (tag_paths.SETTINGS.variance, 100, inf),
        },
    ),
    "tag-paths-verbatim": TunedMethod(
        {
            "clusters": (tag_paths_verbatim.SETTINGS.centres, 2, 3, 4, 5),
            "variance": (tag_paths_verbatim.SETTINGS.variance, 10, 30, 100, 1000),
        },
        lambda page: tag_paths_verbatim.read_tree(page.html),
        _verbatim_find,
        _verbatim_text,
        {
            "MAXSIZE": (tag_paths_verbatim.SETTINGS.max_size, 0, 2, 4),
            "PreSpan": (tag_paths_verbatim.SETTINGS.pre_span, 1, 2),
            "frequency filter": (1, 0),
        },
    ),
    "article-deviation": TunedMethod(
        {"SHARE": (deviation.SHARE, 0.5, 0.55, 0.65, 0.7, 0.75, 0.8), "LINE_COST": (deviation.LINE_COST, 5, 15, 20)},
        _descent_read,
        _descent_find,
        _descent_text,
    ),
}


def read_page(method: TunedMethod, settings: Sequence[Setting], row: Row, news: bool) -> PageScores:
    """Return a page's scores. A setting that finds the same body as another is scored once."""
    page = make_page(row.html(), row.url)
    known: dict[Hashable, Score] = {None: score_row("", row)}
    try:
        read = method.read(page)
    except UnusablePage:
        return PageScores(dict.fromkeys(settings, known[None]), news)
    scores = {}
    for setting in settings:
        found = method.find(read, setting)
        if found not in known:
            known[found] = score_row(method.text(page, read, found), row)
        scores[setting] = known[found]
    return PageScores(scores, news)


def measured(method: TunedMethod, sets: Sequence[DataSet], sample: int, roles: Roles) -> dict[str, list[PageScores]]:
    """Return the scores of each set's pages, at most `sample` of a set (0: all), with all settings of the grid."""
    settings = list(dict.fromkeys([*method.choosable(), *(one for _, one in method.alternatives())]))
    return {
        one.name: [
            read_page(method, settings, row, roles.is_news(one.name, row))
            for row in some(one.articles(), sample, one.name)
        ]
        for one in sets
    }


def left_out(sets: Mapping[str, Sequence[PageScores]], settings: Sequence[Setting]) -> dict[str, Setting]:
    """Return for each set the setting with the highest mean F1 over the sets of other sites; the first of equals."""
    f1 = {(name, one): f1_of(pages, one) for name, pages in sets.items() for one in settings}
    chosen = {}
    for name in sets:
        others = [other for other in sets if family_of(other) != family_of(name)]
        if others:
            chosen[name] = max(settings, key=lambda one: fmean(f1[other, one] for other in others))
    return chosen


def report(method: TunedMethod, sets: Mapping[str, Sequence[PageScores]]) -> Iterator[str]:
    """Yield both tables of a method."""
    yield f"in use: {_words(method, method.in_use())}"
    yield table(
        ["set", "pages", "F1", "right", "F1 left out", "right left out", "chosen by the other sets"],
        list(_rows_of_sets(method, sets)),
    )
    yield table(["constant (* in use)", "value", "mean F1", "right", "Chinese news right"], list(_rows(method, sets)))


def _rows_of_sets(method: TunedMethod, sets: Mapping[str, Sequence[PageScores]]) -> Iterator[list[str]]:
    used = dict.fromkeys(sets, method.in_use())
    chosen = left_out(sets, method.choosable())
    for name, pages in sets.items():
        values = _words(method, chosen[name]) if name in chosen else "no other set"
        yield [name, str(len(pages)), *_cells(pages, used[name]), *_cells(pages, chosen.get(name)), values]
    if chosen:
        yield ["mean", "–", *_means(sets, used), *_means(sets, chosen), ""]
        cells = [_both(news) for settings in (used, chosen) if (news := _of_news(sets, settings))]
        if cells:
            yield ["Chinese news", str(len(_of_news(sets, used))), *cells[0], *cells[1], ""]


def _rows(method: TunedMethod, sets: Mapping[str, Sequence[PageScores]]) -> Iterator[list[str]]:
    for name, setting in method.alternatives():
        settings = dict.fromkeys(sets, setting)
        value = f"{setting[method.names.index(name)]:g}{' *' if setting == method.in_use() else ''}"
        news = _of_news(sets, settings)
        yield [name, value, *_means(sets, settings), _both(news)[1] if news else "–"]


def _of_news(sets: Mapping[str, Sequence[PageScores]], settings: Mapping[str, Setting]) -> list[Score]:
    return [page.scores[settings[name]] for name, pages in sets.items() for page in pages if page.news]


def f1_of(pages: Sequence[PageScores], setting: Setting) -> float:
    """Return the F1 of pages with a setting."""
    return mean([page.scores[setting] for page in pages]).f1


def _both(scores: Sequence[Score]) -> list[str]:
    return [f"{mean(scores).f1:.3f}", f"{share_right(scores):.3f}"]


def _cells(pages: Sequence[PageScores], setting: Setting | None) -> list[str]:
    return _both([page.scores[setting] for page in pages]) if setting else ["–", "–"]


def _means(sets: Mapping[str, Sequence[PageScores]], settings: Mapping[str, Setting]) -> list[str]:
    scores = [[page.scores[settings[name]] for page in pages] for name, pages in sets.items()]
    right = fmean(share_right(pages) for pages in scores)
    return [f"{fmean(mean(pages).f1 for pages in scores):.4f}", f"{right:.3f}"]


def _words(method: TunedMethod, setting: Setting) -> str:
    return ", ".join(
        f"{name} {value:g}" for name, value in zip(method.names, setting, strict=True) if name in method.grid
    )


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables; exit code 2 for a mistake in call or data."""
    parser = _parser()
    arguments = parser.parse_intermixed_args(words)
    with mistakes(parser, DataError, UnknownName):
        check_known(arguments.methods, METHODS, "method")
        sets = [one for one in read_sets(arguments.data) if one.articles()]
        if not sets:
            raise DataError(f"{arguments.data} has no page with a known body")
        check_known(arguments.news or (), {one.name for one in sets}, "set")
        roles = read_roles(news=arguments.news)
        for name in arguments.methods or METHODS:
            method = METHODS[name]
            pages = measured(method, sets, arguments.sample, roles)
            print(f"{name}:", *report(method, pages), "", sep="\n", flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = parser_of("evaluation.reproduction.constants", __doc__)
    parser.add_argument("methods", nargs="*", metavar="METHOD", help=f"default: all of {', '.join(METHODS)}")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="pages a set; default: all")
    parser.add_argument(
        "--news", type=comma_list, metavar="NAME,…", help="the sets of Chinese news; default: those of roles.json"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
