"""Errors, named for the reaction they ask for."""


class UnusablePage(Exception):
    """Nothing can be read from these bytes, and trying again won't help: put the page aside for a person to look at."""


class BadModel(ValueError):
    """A file of learned numbers can't be used; the message names it and says why."""
