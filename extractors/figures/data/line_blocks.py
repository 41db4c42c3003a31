"""The data for the figures of `line-blocks` and `line-blocks-verbatim`: the distribution and the body's range.

Source: 001, its figures 3 to 9: Y by line, with the numbers of the body's first and last line.
"""

from dataclasses import dataclass

from ...html.tagless_text import Ints, read_ctext
from ...methods import line_blocks, line_blocks_verbatim
from ...page import Page
from ..errors import NoFigure
from .pages import title_of


@dataclass(frozen=True, slots=True)
class BlockDistribution:
    """Y by line. `sizes[i]`: characters, white space apart, of the block of `width` lines that begins with line i.

    The body: lines `start` up to `end` (exclusive), both 0 for none. `threshold`: characters of a sharp rise, or 0.
    """

    method: str
    title: str
    sizes: tuple[int, ...]
    width: int
    threshold: int
    start: int
    end: int


def read(method: str, page: Page, example: Page | None) -> BlockDistribution:
    """Return the distribution; the example is not used."""
    verbatim = method == line_blocks_verbatim.METHOD
    sizes, (start, end) = _verbatim(page) if verbatim else _used(page)
    if not sizes.any():
        raise NoFigure("no text outside links" if not verbatim else "no text")
    return BlockDistribution(
        method=method,
        title=title_of(page),
        sizes=tuple(sizes.tolist()),
        width=line_blocks.BLOCK_WIDTH,
        threshold=line_blocks_verbatim.THRESHOLD if verbatim else 0,
        start=start,
        end=end,
    )


def _used(page: Page) -> tuple[Ints, tuple[int, int]]:
    ctext = read_ctext(page.html)
    return line_blocks.block_sizes(ctext.lengths), line_blocks.dense_range(line_blocks.weights(ctext)) or (0, 0)


def _verbatim(page: Page) -> tuple[Ints, tuple[int, int]]:
    found = line_blocks_verbatim.distribution(page.html)
    return found.sizes, (found.start, found.end)
