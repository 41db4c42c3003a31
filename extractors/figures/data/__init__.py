"""What figures show, as plain numbers: one module a method or family. Each has `read`: method, page, example → data.

Raised by all: `NoFigure` for a page that shows nothing, `UnusablePage` for one that cannot be read.
"""
