"""Errors, named for the reaction that they require."""


class UnusablePage(Exception):
    """Nothing can be read from a page's bytes, and another attempt does not help: the page belongs in quarantine."""


class BadModel(ValueError):
    """A file of learned weights cannot be used; the message names it and gives the reason."""
