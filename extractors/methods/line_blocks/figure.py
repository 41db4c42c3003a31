"""The figures of `line-blocks` and `line-blocks-verbatim`: the distribution, and the body between rise and fall.

Source: 001, its figures 3 to 9: Y by line, with the numbers of the body's first and last line.
"""

from typing import NamedTuple

from ...figures import NoFigure, title_of
from ...figures.sheet import BLUE, Sheet, counted, mark_body, span_of, threshold, turning_points
from ...html.tagless_text import Ints, read_ctext
from ...page import Page
from . import extractor as line_blocks
from . import verbatim as line_blocks_verbatim


class BlockDistribution(NamedTuple):
    """Y by line: the characters, white space apart, of the block that begins with it; and the body's lines, 0 and 0
    for none.
    """

    method: str
    title: str
    sizes: Ints
    start: int
    end: int


def read(method: str, page: Page, example: Page | None) -> BlockDistribution:
    """Return the distribution; the example is not used."""
    if method == line_blocks_verbatim.METHOD:
        found = line_blocks_verbatim.distribution(page.html)
        sizes, start, end = found.sizes, found.start, found.end
    else:
        ctext = read_ctext(page.html)
        sizes = line_blocks.block_sizes(ctext.lengths)
        start, end = line_blocks.dense_range(line_blocks.weights(ctext)) or (0, 0)
    if not sizes.any():
        raise NoFigure("no text outside links")
    return BlockDistribution(method, title_of(page), sizes, start, end)


MARKED = 300  # lines up to which each has a point of its own


def draw(sheet: Sheet, data: BlockDistribution) -> None:
    """Draw the distribution."""
    found = f"lines {span_of(data.start, data.end)} of {len(data.sizes):,} are the body"
    sheet.headline(data.method, found if data.end else f"none of {counted(len(data.sizes), 'line')} begins a body")
    [axes] = sheet.panels(1)
    mark_body([axes], data.start - 0.5, data.end - 0.5)
    axes.fill_between(range(len(data.sizes)), data.sizes, color=BLUE, alpha=0.25, linewidth=0)
    marker = "." if len(data.sizes) <= MARKED else ""
    axes.plot(data.sizes, color=BLUE, linewidth=1.2, marker=marker, markersize=3)
    rise = line_blocks_verbatim.THRESHOLD if data.method == line_blocks_verbatim.METHOD else 0
    if rise:
        threshold(axes, rise, f"threshold: {rise}")
    if data.end:
        places, labels = (data.start - 0.5, data.end - 0.5), (f"rise: line {data.start}", f"fall: line {data.end}")
        turning_points(axes, places, labels, len(data.sizes))
    axes.set_ylim(0, max(*data.sizes, rise) * 1.15)
    axes.set_xlim(0, max(1, len(data.sizes) - 1))
    axes.set_ylabel(f"characters in a block of {line_blocks.BLOCK_WIDTH} lines")
    axes.set_xlabel("line of the page")
