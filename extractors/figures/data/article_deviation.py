"""The data for the figure of `article-deviation`: for each level of the tree, the sizes of its children."""

from dataclasses import dataclass

from ...html.block_tree import BlockTree, build_tree
from ...html.tagless_text import read_ctext
from ...methods import article_deviation
from ...methods.article_deviation import MIN_DIFFERENCE, SHARE, descend, deviation, text_sizes
from ...page import Page
from ..errors import NoFigure
from .pages import element_name, title_of


@dataclass(frozen=True, slots=True)
class Level:
    """An element on the path down. In characters: its `size`, `first` and `second`, the sizes of its two largest
    children (0 for none), and `deviation`, σ of all children's sizes. `children`: how many of them have text.
    """

    name: str
    size: int
    first: int
    second: int
    deviation: float
    children: int


@dataclass(frozen=True, slots=True)
class Descent:
    """The path down the tree, from the document to the body.

    `body`: the element that is the body, of `body_size` characters: the last level or, if `body_is_child`, its largest
    child. `share` (of an element's text) and `min_difference` (characters) are the limits for entering a child.
    """

    method: str
    title: str
    levels: tuple[Level, ...]
    body: str
    body_size: int
    body_is_child: bool
    share: float
    min_difference: int


def read(method: str, page: Page, example: Page | None) -> Descent:
    """Return the path down the tree; the example is not used."""
    ctext = read_ctext(page.html)
    tree = build_tree(ctext)
    sizes = text_sizes(ctext, tree)
    if not sizes[0]:
        raise NoFigure("no running text: only links and fragments")
    steps = list(descend(tree, sizes))
    last = steps[-1]
    body = article_deviation.find_body(tree, sizes)
    return Descent(
        method=method,
        title=title_of(page),
        levels=tuple(_level(tree, sizes, step) for step in steps),
        body=_name(tree, body),
        body_size=sizes[body],
        body_is_child=body != last.element,
        share=SHARE,
        min_difference=MIN_DIFFERENCE,
    )


def _level(tree: BlockTree, sizes: list[int], step: article_deviation.DescentStep) -> Level:
    lengths = [sizes[child] for child in step.texts]
    first, second = [*lengths, 0, 0][:2]
    sigma = deviation(lengths) if lengths else 0.0
    return Level(_name(tree, step.element), sizes[step.element], first, second, sigma, len(lengths))


def _name(tree: BlockTree, element: int) -> str:
    return element_name(tree.tags[element], tree.places[element])
