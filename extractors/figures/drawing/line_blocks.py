"""The line-block distribution as the source draws it: Y by line, and the body between its rise and its fall."""

from ..data.line_blocks import BlockDistribution
from .sheet import BLUE, Sheet, counted, mark_body, span_of, threshold, turning_points

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
