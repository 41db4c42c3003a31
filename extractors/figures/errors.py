"""Errors of figures."""


class NoFigure(Exception):
    """A page shows nothing that could be drawn; the message says why."""
