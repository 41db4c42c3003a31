"""Bars for lines, which all figures by line have."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes

from .sheet import BLUE, GREY, INK


def bars(axes: Axes, values: Sequence[float], kept: Collection[int], what: str) -> None:
    """Draw a bar for each line; the bars of kept lines are in colour. `what`: the legend for the other bars."""
    heights = np.array(values, np.float64)
    chosen = np.zeros(len(heights), np.bool_)
    chosen[list(kept)] = True
    edges = np.arange(len(heights) + 1) - 0.5
    axes.stairs(np.where(chosen, 0, heights), edges, fill=True, color=GREY, label=what)
    axes.stairs(np.where(chosen, heights, 0), edges, fill=True, color=BLUE, label="line of the text")
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.set_xlim(-0.5, len(heights) - 0.5)
