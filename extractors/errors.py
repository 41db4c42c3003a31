"""Errors, named for the reaction that they require."""


class UnusablePage(Exception):
    """Nothing can be read from these bytes, and another attempt does not help: put the page into quarantine."""


class BadModel(ValueError):
    """A file of learned weights cannot be used; the message names it and gives the reason."""
