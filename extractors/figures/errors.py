"""Errors of figures."""


class NoFigure(Exception):
    """A page gives no data for a figure; the message gives the reason."""
