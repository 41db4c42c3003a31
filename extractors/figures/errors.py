"""Errors of figures."""


class NoFigure(Exception):
    """A page has nothing that could be drawn; the message gives the reason."""
