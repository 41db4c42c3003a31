"""The figures of `line-blocks` and `line-blocks-verbatim`: the distribution, and the body between rise and fall.

Source: 001, its figures 3 to 9: Y by line, with the numbers of the body's first and last line.
"""

from dataclasses import dataclass

from ...figures import NoFigure, title_of
from ...figures.sheet import BLUE, Sheet, counted, mark_body, span_of, threshold, turning_points
from ...html.tagless_text import Ints, read_ctext
from ...page import Page
from . import extractor as line_blocks
from . import verbatim as line_blocks_verbatim


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
    if data.threshold:
        threshold(axes, data.threshold, f"threshold: {data.threshold}")
    if data.end:
        places, labels = (data.start - 0.5, data.end - 0.5), (f"rise: line {data.start}", f"fall: line {data.end}")
        turning_points(axes, places, labels, len(data.sizes))
    axes.set_ylim(0, max(*data.sizes, data.threshold) * 1.15)
    axes.set_xlim(0, max(1, len(data.sizes) - 1))
    axes.set_ylabel(f"characters in a block of {data.width} lines")
    axes.set_xlabel("line of the page")
