"""Errors, named for the reaction that they require."""


class UnusablePage(Exception):
    """Nothing can be read from these bytes, and another attempt won't help: put the page into quarantine."""


class BadModel(ValueError):
    """A file of learned weights can't be used; the message names it and gives the reason."""
