"""Figures of a method's decision on a page: its curve, distribution, clusters or ranks, and the body that it found.

    from extractors.figures import draw, figure_data

    draw(html, url, method="line-blocks", to="page.svg")

Each method's figure is beside its extractor, in `extractors/methods/`: `read` computes what is drawn, as numbers and by
the method's own code; `draw` draws that with matplotlib (extra `figures`), which nothing else here needs.
"""

from .figure import FIGURES, NoFigure, check_figure, check_path, draw, figure_data

__all__ = ["FIGURES", "NoFigure", "check_figure", "check_path", "draw", "figure_data"]
