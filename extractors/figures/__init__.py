"""Figures of a method's decision on a page: its curve, distribution, clusters or ranks, and the body that it found.

    from extractors.figures import draw, figure_data

    draw(html, url, method="line-blocks", to="page.svg")

Each method has two steps, in files of its name: `data/` computes what is drawn, as numbers and by the method's own
code; `drawing/` draws that with matplotlib (extra `figures`), which nothing else here needs.
"""

from .errors import NoFigure
from .figure import check_path, draw, figure_data
from .registry import FIGURES, check_figure

__all__ = ["FIGURES", "NoFigure", "check_figure", "check_path", "draw", "figure_data"]
