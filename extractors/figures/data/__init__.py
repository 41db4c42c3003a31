"""The data of figures: one module for each method or family. Each has `read(method, page, example)`, which returns
plain numbers.

All raise `NoFigure` for a page that has nothing to draw, `UnusablePage` for one that cannot be read.
"""
